package stage_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

func constant(s string) func(prompt.Input, string) (string, error) {
	return func(prompt.Input, string) (string, error) { return s, nil }
}

func TestText(t *testing.T) {
	abc := system("A1\nA2", "B1\nB2", "C1")
	tests := []struct {
		name  string
		a     prompt.Assembly
		f     func(string) string
		want  []string
		notes []string
	}{
		{"appended after a blank line", abc, func(s string) string { return s + "\n\nmore" },
			[]string{`system s0: "A1\nA2"`, `system s1: "B1\nB2"`, `system s2: "C1"`, `system x: "more"`}, nil},
		{"appended after a line end", abc, func(s string) string { return s + "\nmore\n" },
			[]string{`system s0: "A1\nA2"`, `system s1: "B1\nB2"`, `system s2: "C1"`, `system x"\n": "more\n"`}, nil},
		{"appended without white space", abc, func(s string) string { return s + "more" },
			[]string{`system s0: "A1\nA2"`, `system s1: "B1\nB2"`, `system s2: "C1more"`}, nil},
		{"appended white space only", abc, func(s string) string { return s + "\n\n" },
			[]string{`system s0: "A1\nA2"`, `system s1: "B1\nB2"`, `system s2: "C1\n\n"`}, nil},
		{"a third line end belongs to the text", abc, func(s string) string { return s + "\n\n\nmore" },
			[]string{`system s0: "A1\nA2"`, `system s1: "B1\nB2"`, `system s2: "C1"`, `system x: "\nmore"`}, nil},
		{"put in front", abc, func(s string) string { return "more\n\n" + s },
			[]string{`system x: "more"`, `system s0: "A1\nA2"`, `system s1: "B1\nB2"`, `system s2: "C1"`}, nil},
		{"put in front with a space", abc, func(s string) string { return "more " + s },
			[]string{`system x: "more"`, `system s0" ": "A1\nA2"`, `system s1: "B1\nB2"`, `system s2: "C1"`}, nil},
		{"put in front without white space", abc, func(s string) string { return "more" + s },
			[]string{`system s0: "moreA1\nA2"`, `system s1: "B1\nB2"`, `system s2: "C1"`}, nil},
		{"put around", abc, func(s string) string { return "top\n\n" + s + "\n\nend" },
			[]string{`system x: "top"`, `system s0: "A1\nA2"`, `system s1: "B1\nB2"`, `system s2: "C1"`, `system x: "end"`}, nil},
		{"added around and rewritten inside", abc, func(s string) string {
			return "top\n\n" + strings.Replace(s, "B1", "changed", 1) + "\n\nend"
		}, []string{`system x: "top"`, `system s0: "A1\nA2"`, `system s1: "changed\nB2"`, `system s2: "C1"`, `system x: "end"`}, nil},
		{"rewritten in two sections", abc, func(s string) string { return strings.ReplaceAll(s, "2", "two") },
			[]string{`system s0: "A1\nAtwo"`, `system s1: "B1\nBtwo"`, `system s2: "C1"`}, nil},
		{"a section removed", abc, func(s string) string { return strings.Replace(s, "B1\nB2\n\n", "", 1) },
			[]string{`system s0: "A1\nA2"`, `system s2: "C1"`}, []string{"x: s1: its text was removed"}},
		{"two sections joined", abc, func(s string) string { return strings.Replace(s, "A2\n\nB1", "A2 B1", 1) },
			[]string{`system s0: "A1\nA2 B1\nB2"`, `system s2: "C1"`}, []string{"x: s1: its text became part of the section s0"}},
		{"everything replaced", abc, func(string) string { return "new" },
			[]string{`system x: "new"`},
			[]string{"x: s0: its text was replaced", "x: s1: its text was removed", "x: s2: its text was removed"}},
		{"the only section replaced", system("old"), func(string) string { return "new" }, []string{`system s0: "new"`}, nil},
		{"emptied", abc, func(string) string { return "" }, []string{},
			[]string{"x: s0: the channel was emptied", "x: s1: the channel was emptied", "x: s2: the channel was emptied"}},
		{"nothing there", system(), func(string) string { return "new" }, []string{`system x: "new"`}, nil},
		{"only an empty section there", system(""), func(string) string { return "\nnew" },
			[]string{`system s0: ""`, `system x: "\nnew"`}, nil},
		{"a short text inside a word", system("a"), func(string) string { return "banana" }, []string{`system s0: "banana"`}, nil},
		{"emptied but for the separators", system("A", "B", "C"), func(s string) string { return strings.Replace(s, "B", "", 1) },
			[]string{`system s0: "A"`, `system s2: "\n\nC"`}, []string{"x: s1: its text was removed"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.f(tt.a.Render(prompt.System))
			st := stage.Text("x", prompt.System, func(_ prompt.Input, s string) (string, error) { return tt.f(s), nil })
			got := apply(t, st, prompt.Input{}, tt.a)
			diff(t, "sections", shape(got), tt.want)
			if tt.notes == nil {
				tt.notes = []string{}
			}
			diff(t, "notes", notes(got), tt.notes)
			diff(t, "text", got.Render(prompt.System), want)
		})
	}
}

func TestTextSeparators(t *testing.T) {
	a := system("A", "B", "C")
	a.Sections[1].Sep = "\n---\n"
	got := apply(t, stage.Text("x", prompt.System, constant("top\n---\nA\n---\nB\n\nC")), prompt.Input{}, a)
	diff(t, "own separators stay", shape(got), []string{`system x: "top\n---"`, `system s0"\n": "A"`, `system s1"\n---\n": "B"`, `system s2: "C"`})

	// The section behind a removed one takes over the separator that is left.
	got = apply(t, stage.Text("x", prompt.System, constant("A\n---\nC")), prompt.Input{}, a)
	diff(t, "left", shape(got), []string{`system s0: "A"`, `system s2"\n---\n": "C"`})
}

func TestTextKeepsOrigins(t *testing.T) {
	a := system("A1\nA2\nA3", "B1")
	got := apply(t, stage.Text("x", prompt.System, constant("A1\nnew\nA3\n\nB1\n\nmore")), prompt.Input{}, a)
	diff(t, "origins", origins(got.Text(prompt.System)), []string{
		`s0: "A1\n"`, `s0/x: "new"`, `s0: "\nA3"`, `: "\n\n"`, `s1: "B1"`, `: "\n\n"`, `x/x: "more"`,
	})
	if !same(got.Sections[1].Text, a.Sections[1].Text) {
		t.Error("an untouched section got a new text")
	}
}

func TestTextTrust(t *testing.T) {
	a := system("A1\nA2", "P1\nP2", "B1")
	a.Sections[1].From.Trust = span.Project
	tests := []struct {
		name, text string
		want       []span.Trust
	}{
		{"an addition", "A1\nA2\n\nP1\nP2\n\nB1\n\nmore", []span.Trust{span.Builtin, span.Project, span.Builtin, span.Builtin}},
		{"a rewrite of each", "A1\nA3\n\nP1\nP3\n\nB1", []span.Trust{span.Builtin, span.Project, span.Builtin}},
		{"a clean removal", "A1\nA2\n\nB1", []span.Trust{span.Builtin, span.Builtin}},
		{"a mixture", "A1\nA2 P1\nP2\n\nB1", []span.Trust{span.Project, span.Builtin}},
		{"new words for all", "words", []span.Trust{span.Project}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := apply(t, stage.Text("x", prompt.System, constant(tt.text)), prompt.Input{}, a)
			var trusts []span.Trust
			for _, s := range got.Sections {
				trusts = append(trusts, s.Trust())
			}
			diff(t, "trust", trusts, tt.want)
		})
	}
	if a.Sections[0].From.Trust != span.Builtin {
		t.Error("a shared origin was changed")
	}
}

func TestTextDemandsOfMergedSections(t *testing.T) {
	a := system("A1\nA2", "B1\nB2")
	a.Sections[1].Class, a.Sections[1].Priority, a.Sections[1].Required = prompt.Turn, 7, true
	got := apply(t, stage.Text("x", prompt.System, constant("A1\nA2 B1\nB2")), prompt.Input{}, a).Sections
	if len(got) != 1 || got[0].Class != prompt.Turn || got[0].Priority != 7 || !got[0].Required {
		t.Errorf("got %+v", got)
	}
}

func TestTextHeads(t *testing.T) {
	a := apply(t, stage.Heading(prompt.System, "Title"), prompt.Input{}, system("A", "B"))
	tests := []struct {
		name, text string
		want       []string
		heads      int
	}{
		{"appended", "Title\n\nA\n\nB\n\nmore", []string{`system s0: "A"`, `system s1: "B"`, `system x: "more"`}, 1},
		{"put in front", "more\n\nTitle\n\nA\n\nB", []string{`system x: "more"`, `system heading: "Title"`, `system s0: "A"`, `system s1: "B"`}, 0},
		{"changed", "Name\n\nA\n\nB", []string{`system heading: "Name"`, `system s0: "A"`, `system s1: "B"`}, 0},
		{"changed below", "Title\n\na\n\nB", []string{`system s0: "a"`, `system s1: "B"`}, 1},
		{"left alone", "Title", []string{`system heading: "Title"`}, 0},
		{"emptied", "", []string{}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := apply(t, stage.Text("x", prompt.System, constant(tt.text)), prompt.Input{}, a)
			diff(t, "text", got.Render(prompt.System), tt.text)
			diff(t, "sections", shape(got), tt.want)
			diff(t, "heads", len(got.Heads), tt.heads)
			diff(t, "argument", a.Render(prompt.System), "Title\n\nA\n\nB")
		})
	}
}

func TestTextPlaces(t *testing.T) {
	a := prompt.Assembly{Sections: []prompt.Section{
		section(prompt.System, "s", "S"), section(prompt.Context, "empty", ""), section(prompt.Context, "c", "C"), section(prompt.Reminder, "r", "R"),
	}}
	got := apply(t, stage.Text("x", prompt.Context, constant("top\n\nC\n\nend")), prompt.Input{}, a)
	diff(t, "context", shape(got), []string{`system s: "S"`, `context x: "top"`, `context empty: ""`, `context c: "C"`, `context x: "end"`, `reminder r: "R"`})
	got = apply(t, stage.Text("x", prompt.Instructions, constant("new")), prompt.Input{}, a)
	diff(t, "instructions", shape(got), []string{`system s: "S"`, `instructions x: "new"`, `context empty: ""`, `context c: "C"`, `reminder r: "R"`})
}

func TestTextNothingToDo(t *testing.T) {
	a := system("A", "B")
	untouched(t, a, apply(t, stage.Text("x", prompt.System, func(_ prompt.Input, s string) (string, error) { return s, nil }), prompt.Input{}, a))

	a.Mutes = []prompt.Channel{prompt.System}
	muted := stage.Text("x", prompt.System, func(prompt.Input, string) (string, error) { panic("called") })
	untouched(t, a, apply(t, muted, prompt.Input{}, a))
}

func TestTextError(t *testing.T) {
	cause := errors.New("boom")
	a := system("A")
	out, err := stage.Text("x", prompt.System, func(prompt.Input, string) (string, error) { return "B", cause }).Apply(prompt.Input{}, a)
	if !errors.Is(err, cause) {
		t.Errorf("got error %v", err)
	}
	untouched(t, a, out)
}

// FuzzText checks that the channel reads exactly as the function said, whatever
// the sections, their separators and the function, and that the argument stays
// as it was.
func FuzzText(f *testing.F) {
	f.Add("A1\nA2|B1|C", "A1\nB1\n\nC", "\n|", uint8(0))
	f.Add("one\ntwo|three\nfour|five", "one\n\nthree\nfour\n\nfive\n\nsix", "", uint8(1))
	f.Add("|a||b|", "b\n\na", "x||\n\n", uint8(2))
	f.Add("same|same|same", "same\n\nsame", "\n\n", uint8(3))
	f.Add("one\ntwo|three", "Title\n", "", uint8(130))
	f.Add("", "b\n\na", "x", uint8(140))
	f.Add("é\xff|\xc3|\xa9z", "\xa9\xc3\n\n", "\xc3|\xa9", uint8(4))
	f.Fuzz(func(t *testing.T, texts, want, seps string, how uint8) {
		a := system(strings.Split(texts, "|")...)
		for i, sep := range strings.Split(seps, "|") {
			if i < len(a.Sections) {
				a.Sections[i].Sep = sep
			}
		}
		if how >= 128 {
			a = apply(t, stage.Heading(prompt.System, "Title\n"), prompt.Input{}, a)
		}
		old := a.Render(prompt.System)
		switch how % 8 {
		case 1:
			want = old + want
		case 2:
			want += old
		case 3:
			want = want + old + want
		case 4:
			want = old[:len(old)/2] + want + old[len(old)/2:]
		case 5:
			want = old[len(old)/3:] + want
		case 6:
			want = strings.ReplaceAll(old, "\n", want)
		case 7:
			want = old[len(old)/2:] + old[:len(old)/2]
		}
		before := fmt.Sprintf("%+v", a)
		got := apply(t, stage.Text("x", prompt.System, constant(want)), prompt.Input{}, a)
		if text := got.Text(prompt.System).String(); text != want {
			t.Fatalf("got  %q\nwant %q\nfrom %q\nsections %q", text, want, old, shape(got))
		}
		if after := fmt.Sprintf("%+v", a); after != before {
			t.Fatalf("the argument was changed:\n%s\n%s", before, after)
		}
		for _, s := range got.Sections {
			for _, p := range s.Text {
				if p.From == nil {
					t.Fatalf("%q has no origin", p.Text)
				}
				if p.Off >= 0 && p.From.Stage == "" && p.From.Source == "literal" {
					src := ""
					for _, o := range a.Sections {
						if o.Name == p.From.Section {
							src = o.Text.String()
						}
					}
					if end := int(p.Off) + len(p.Text); end > len(src) || src[p.Off:end] != p.Text {
						t.Fatalf("%q is not at %d of %q", p.Text, p.Off, src)
					}
				}
			}
		}
	})
}

func BenchmarkText(b *testing.B) {
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = lines(50, fmt.Sprintf("line of section %d", i))
	}
	a := system(texts...)
	for name, f := range map[string]func(string) string{
		"append":  func(s string) string { return s + "\n\nmore" },
		"rewrite": func(s string) string { return strings.ReplaceAll(s, "section 7", "chapter 7") },
		"same":    func(s string) string { return s },
	} {
		b.Run(name, func(b *testing.B) {
			st := stage.Text("x", prompt.System, func(_ prompt.Input, s string) (string, error) { return f(s), nil })
			b.ReportAllocs()
			for b.Loop() {
				apply(b, st, prompt.Input{}, a)
			}
		})
	}
}
