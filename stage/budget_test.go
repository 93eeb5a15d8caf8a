package stage_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// words counts words, so that tests can be read.
func words(s string) int { return len(strings.Fields(s)) }

func sized(name string, n, priority int) prompt.Section {
	s := section(prompt.System, name, strings.TrimSpace(strings.Repeat(name+" ", n)))
	s.Priority, s.Required = priority, priority < 0
	return s
}

func names(a prompt.Assembly) []string {
	out := []string{}
	for _, s := range a.Sections {
		out = append(out, fmt.Sprintf("%s %d", s.Name, words(s.Text.String())))
	}
	return out
}

func TestBudget(t *testing.T) {
	base, doc := sized("base", 100, -1), sized("doc", 50, -1)
	tests := []struct {
		name     string
		tokens   int
		reserve  int
		sections []prompt.Section
		want     []string
		notes    []string
	}{
		{"the lowest priority first", 700, 0, []prompt.Section{base, doc, sized("k1", 400, 10), sized("k2", 400, 20)},
			[]string{"base 100", "doc 50", "k2 400"}, []string{"budget: k1: dropped to fit 700 tokens: priority 10, 400 tokens won"}},
		{"a reserve", 1000, 300, []prompt.Section{base, doc, sized("k1", 400, 10), sized("k2", 400, 20)},
			[]string{"base 100", "doc 50", "k2 400"}, []string{"budget: k1: dropped to fit 700 tokens: priority 10, 400 tokens won"}},
		{"of equal ones the last", 560, 0, []prompt.Section{base, sized("k1", 200, 0), sized("k2", 200, 0), doc, sized("k3", 200, 0)},
			[]string{"base 100", "k1 200", "k2 200", "doc 50"}, []string{"budget: k3: dropped to fit 560 tokens: priority 0, 200 tokens won"}},
		{"several", 250, 0, []prompt.Section{sized("k1", 200, 3), base, sized("k2", 200, 1), doc, sized("k3", 90, 2)},
			[]string{"base 100", "doc 50"}, []string{
				"budget: k2: dropped to fit 250 tokens: priority 1, 200 tokens won", "budget: k3: dropped to fit 250 tokens: priority 2, 90 tokens won",
				"budget: k1: dropped to fit 250 tokens: priority 3, 200 tokens won"}},
		{"it fits exactly", 150, 0, []prompt.Section{base, doc}, []string{"base 100", "doc 50"}, []string{}},
		{"no limit", 0, 0, []prompt.Section{base, doc}, []string{"base 100", "doc 50"}, []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := prompt.Assembly{Sections: tt.sections}
			got := apply(t, stage.Budget(stage.BudgetConfig{Tokens: tt.tokens, Reserve: tt.reserve, Count: words}), prompt.Input{}, a)
			diff(t, "sections", names(got), tt.want)
			diff(t, "notes", notes(got), tt.notes)
			if len(got.Notes) == 0 {
				untouched(t, a, got)
			}
			for i, n := range got.Notes {
				d := got.Diagnostics[i]
				if n.Tokens == 0 || d.Code != "budget.dropped" || d.Severity != prompt.Warning || !strings.Contains(d.Message, n.Name) {
					t.Errorf("note %+v, diagnostic %v", n, d)
				}
			}
		})
	}
}

func TestBudgetRequiredOverflow(t *testing.T) {
	a := prompt.Assembly{Sections: []prompt.Section{sized("base", 100, -1), sized("k", 10, 0)}, Tools: []chat.ToolSpec{{Name: "t", Description: "a b"}}}
	out, err := stage.Budget(stage.BudgetConfig{Tokens: 99, Count: words}).Apply(prompt.Input{}, a)
	diff(t, "codes", codes(err), []string{"budget.required_overflow"})
	untouched(t, a, out)

	_, err = stage.Budget(stage.BudgetConfig{Tokens: 102, Count: words, Tools: true}).Apply(prompt.Input{}, a)
	diff(t, "with tools", codes(err), []string{"budget.required_overflow"})
	got := apply(t, stage.Budget(stage.BudgetConfig{Tokens: 103, Count: words, Tools: true}), prompt.Input{}, a)
	diff(t, "with room for the tools", names(got), []string{"base 100"})
	_, err = stage.Budget(stage.BudgetConfig{Tokens: 10, Reserve: 20, Count: words}).Apply(prompt.Input{}, a)
	diff(t, "all reserved", codes(err), []string{"budget.required_overflow"})
}

func TestBudgetCuts(t *testing.T) {
	marker := words(stage.CutMarker)
	long := section(prompt.System, "long", lines(50, "a b c d"))
	long.Min = 20
	base := sized("base", 10, -1)
	run := func(tokens int, s prompt.Section) prompt.Assembly {
		return apply(t, stage.Budget(stage.BudgetConfig{Tokens: tokens, Count: words}), prompt.Input{}, prompt.Assembly{Sections: []prompt.Section{base, s}})
	}

	got := run(10+marker+103, long)
	diff(t, "at a line", got.Sections[1].Text.String(), lines(25, "a b c d")+stage.CutMarker)
	diff(t, "origins", origins(got.Sections[1].Text)[1], fmt.Sprintf("/budget: %q", stage.CutMarker))
	diff(t, "source", got.Sections[1].Text[1].From.Source, "generated:cut")
	diff(t, "note", notes(got), []string{fmt.Sprintf("budget: long: cut from 200 to %d tokens to fit %d: priority 0", 100+marker, 10+marker+103)})
	diff(t, "won", got.Notes[0].Tokens, 100-marker)
	diff(t, "code", got.Diagnostics[0].Code, "budget.cut")

	diff(t, "down to the minimum", names(run(10+marker+20, long)), []string{"base 10", fmt.Sprint("long ", 20+marker)})
	diff(t, "not below", names(run(10+marker+19, long)), []string{"base 10"})

	one := section(prompt.System, "one", strings.TrimSpace(strings.Repeat("é ", 100)))
	one.Min = 5
	got = run(10+marker+50, one)
	diff(t, "between runes", names(got), []string{"base 10", fmt.Sprint("one ", 50+marker)})
	if text := got.Sections[1].Text.String(); !utf8.ValidString(text) || !strings.HasSuffix(text, "\n"+stage.CutMarker) {
		t.Errorf("got %q", text)
	}

	fenced := apply(t, stage.Fence(stage.FenceConfig{}), prompt.Input{}, prompt.Assembly{Sections: []prompt.Section{file("f", "f.md", lines(50, "a b c d"), span.Tool)}}).Sections[0]
	fenced.Min = 1
	got = run(60, fenced)
	blocks := stage.ParseFences(got.Render(prompt.System))
	if len(blocks) != 2 || !blocks[1].Fenced || !strings.HasSuffix(blocks[1].Text, "d\n"+stage.CutMarker) || words(got.Render(prompt.System)) > 60 {
		t.Errorf("got blocks %+v", blocks)
	}
}

func TestBudgetHeading(t *testing.T) {
	a := prompt.Assembly{Sections: []prompt.Section{sized("base", 100, -1), section(prompt.Context, "k", lines(50, "a b"))}}
	a = apply(t, stage.Heading(prompt.Context, "Context as of now."), prompt.Input{}, a)
	got := apply(t, stage.Budget(stage.BudgetConfig{Tokens: 150, Count: words}), prompt.Input{}, a)
	diff(t, "sections", names(got), []string{"base 100"})
	diff(t, "heading without a body", got.Render(prompt.Context), "")

	run := func(tokens int) []string {
		return names(apply(t, stage.Budget(stage.BudgetConfig{Tokens: tokens, Count: words}), prompt.Input{}, a))
	}
	diff(t, "the heading counts", run(203), []string{"base 100"})
	diff(t, "there is room for it", run(204), []string{"base 100", "k 100"})
}

func TestBudgetLeavesMutedAndEmpty(t *testing.T) {
	a := prompt.Assembly{Sections: []prompt.Section{sized("a", 10, 0), section(prompt.System, "empty", ""), section(prompt.Context, "muted", lines(50, "x"))}, Mutes: []prompt.Channel{prompt.Context}}
	got := apply(t, stage.Budget(stage.BudgetConfig{Tokens: 5, Count: words}), prompt.Input{}, a)
	diff(t, "sections", names(got), []string{"empty 0", "muted 50"})
}

func TestBudgetNothingToDo(t *testing.T) {
	a := system("A", "B")
	for _, cfg := range []stage.BudgetConfig{{}, {Tokens: 100}, {Tokens: 100, Tools: true}} {
		untouched(t, a, apply(t, stage.Budget(cfg), prompt.Input{}, a))
	}
	unlimited := stage.Budget(stage.BudgetConfig{})
	noAllocs(t, unlimited, a)
	if !unlimited.Local || stage.Budget(stage.BudgetConfig{Tokens: 1}).Local {
		t.Error("only a stage without a limit is local")
	}
}

// Whatever the counter, the prompt is within its limit afterwards, by parts and
// as rendered, and what is required is whole.
func TestBudgetNeverMore(t *testing.T) {
	counters := map[string]func(string) int{
		"bytes": func(s string) int { return len(s) }, "words": words, "quarter": nil,
		"floor": func(s string) int { return len(s) / 4 },
		"runs":  func(s string) int { return len(strings.FieldsFunc(s, func(r rune) bool { return r < 'c' })) },
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, count := range counters {
		t.Run(name, func(t *testing.T) {
			for range 400 {
				a := prompt.Assembly{}
				for i := range 1 + r.IntN(8) {
					var text strings.Builder
					for range r.IntN(60) {
						text.WriteString([]string{"a", "bc", "é", " ", "\n", "word ", "line\n"}[r.IntN(7)])
					}
					s := file(fmt.Sprint(i), "p", text.String(), span.Trust(r.IntN(5)))
					s.Channel = prompt.Channel(r.IntN(4))
					s.Priority, s.Min, s.Required = r.IntN(3), r.IntN(3)*r.IntN(20), r.IntN(6) == 0
					s.Sep = []string{"", "\n", " "}[r.IntN(3)]
					a.Sections = append(a.Sections, s)
				}
				if r.IntN(2) == 0 {
					a = apply(t, stage.Fence(stage.FenceConfig{}), prompt.Input{}, a)
				}
				if r.IntN(2) == 0 {
					a = apply(t, stage.Heading(prompt.Channel(r.IntN(4)), "Some heading."), prompt.Input{}, a)
				}
				limit := 1 + r.IntN(120)
				got, err := stage.Budget(stage.BudgetConfig{Tokens: limit, Count: count}).Apply(prompt.Input{}, a)
				if err != nil {
					untouched(t, a, got)
					continue
				}
				checkBudget(t, a, got, limit, count)
			}
		})
	}
}

func checkBudget(t *testing.T, a, got prompt.Assembly, limit int, count func(string) int) {
	t.Helper()
	if count == nil {
		count = func(s string) int { return (len(s) + 3) / 4 }
	}
	parts, rendered := 0, 0
	for ch := range prompt.Channels {
		for _, p := range got.Parts(ch) {
			parts += count(p.Text.String())
			if p.Sep != "" {
				parts += count(p.Sep)
			}
		}
		rendered += count(got.Render(ch))
		for _, b := range stage.ParseFences(got.Render(ch)) {
			if !b.Fenced && strings.Contains(b.Text, "<block ") {
				t.Fatalf("a fence is broken: %q", b.Text)
			}
		}
	}
	if parts > limit || rendered > limit {
		t.Fatalf("%d tokens by parts, %d rendered, the limit is %d: %q", parts, rendered, limit, shape(got))
	}
	next := 0
	for _, s := range a.Sections {
		if next < len(got.Sections) && got.Sections[next].Name == s.Name {
			g := got.Sections[next]
			next++
			if g.Text.Equal(s.Text) {
				continue
			}
			kept, ok := strings.CutSuffix(stage.Content(g).String(), stage.CutMarker)
			if s.Required || !ok || count(kept) < s.Min || !strings.HasPrefix(stage.Content(s).String(), strings.TrimSuffix(kept, "\n")) {
				t.Fatalf("section %s with min %d became %q", s.Name, s.Min, g.Text.String())
			}
		} else if s.Required {
			t.Fatalf("the required section %s is gone or out of order", s.Name)
		}
	}
}

func BenchmarkBudget(b *testing.B) {
	var a prompt.Assembly
	for i := range 100 {
		s := section(prompt.System, fmt.Sprint(i), lines(20, "some words of a section"))
		s.Priority, s.Min = i*7%10, i%2*20
		a.Sections = append(a.Sections, s)
	}
	for name, tokens := range map[string]int{"fits": 1 << 20, "half": 6000} {
		b.Run(name, func(b *testing.B) {
			st := stage.Budget(stage.BudgetConfig{Tokens: tokens})
			b.ReportAllocs()
			for b.Loop() {
				apply(b, st, prompt.Input{}, a)
			}
		})
	}
}
