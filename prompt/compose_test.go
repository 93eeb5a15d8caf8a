package prompt_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// world is a random registry with random facts that change at random.
type world struct {
	*rand.Rand
	version uint64
	snap    prompt.Snapshot
	layers  map[string]prompt.Layer
	facts   map[string]prompt.Fact
	kept    *prompt.Facts
	calm    bool // facts are texts and nothing else
}

var scopes = []string{"", "team", "agent", "other"}

func (w *world) pick(words ...string) string { return words[w.IntN(len(words))] }

func (w *world) fact() string { return fmt.Sprint("f", w.IntN(7)) }

func (w *world) body() prompt.Body {
	b := prompt.Body{Template: w.IntN(3) > 0}
	if w.IntN(2) == 0 {
		b.Literal = w.text()
	} else {
		b.Fact = w.fact()
	}
	return b
}

func (w *world) text() string {
	return w.pick("", " ", "plain", "two\nlines", "{{a}} and {{b}}", "{{a}}", "x{{b}}", "a longer text without references", "世界")
}

// register replaces what a random scope has registered.
func (w *world) register() {
	l := prompt.Layer{Scope: scopes[w.IntN(len(scopes))]}
	taken := map[string]bool{}
	for range w.IntN(7) {
		d := prompt.SectionDef{Name: fmt.Sprint("s", w.IntN(8)), Channel: prompt.Channel(w.IntN(int(prompt.Channels))), Order: float64(w.IntN(3)),
			Class: prompt.Class(w.IntN(3)), Trust: span.Trust(w.IntN(5)), Body: w.body()}
		if w.IntN(8) == 0 {
			d.Sep = "\n"
		}
		d.Sole, d.Required = w.IntN(40) == 0, w.IntN(15) == 0
		if key := fmt.Sprint(d.Name, d.Channel); !taken[key] {
			taken[key] = true
			l.Sections = append(l.Sections, d)
		}
	}
	for _, name := range []string{"a", "b"} {
		if w.IntN(2) == 0 || l.Scope == "" {
			v := prompt.VarDef{Name: name, Body: prompt.Body{Literal: w.pick("", "1", "{{a}}")}}
			if w.IntN(4) == 0 {
				v.Body = prompt.Body{Fact: w.fact()}
			}
			l.Vars = append(l.Vars, v)
		}
	}
	if w.IntN(3) == 0 {
		l.Tools = append(l.Tools, prompt.ToolDef{Specs: []chat.ToolSpec{{Name: w.pick("t1", "t2")}, {Name: "t3"}}})
	}
	if !w.calm && w.IntN(4) == 0 {
		l.Tools = append(l.Tools, prompt.ToolDef{Fact: w.fact()})
	}
	if w.IntN(12) == 0 {
		l.Mutes = append(l.Mutes, prompt.Channel(w.IntN(int(prompt.Channels))))
	}
	w.version++
	w.layers[l.Scope] = l
	w.snap = w.snap.With(w.version, l)
}

func (w *world) change() {
	f := prompt.Fact{Text: w.text()}
	kind := w.IntN(14)
	if w.calm && kind > 1 {
		kind = 9
	}
	switch kind {
	case 0:
		f.Ref = w.pick("/a", "/b")
	case 1:
		f.Trust = span.Trust(w.IntN(5))
	case 2:
		f = prompt.Fact{None: true}
	case 3:
		f.Err = errors.New(w.pick("down", "gone"))
	case 4:
		f.Docs = []prompt.Doc{}
		for i := range w.IntN(3) {
			f.Docs = append(f.Docs, prompt.Doc{Name: fmt.Sprint("d", i), Text: w.text(), Class: prompt.Class(w.IntN(3))})
		}
	case 5:
		f.Notes = []prompt.Note{{Name: "n", Reason: w.text()}}
	case 6:
		f.Diagnostics = []prompt.Diagnostic{{Code: "c", Message: w.text()}}
	case 7:
		f.Spans = span.Text{{Text: f.Text, From: &span.Origin{Path: "/p"}, Off: 3}}
	case 8:
		f.Tools = []chat.ToolSpec{{Name: w.pick("t1", "t4"), Description: w.text()}}
	}
	w.facts[w.fact()] = f
}

// gather does what source.Gather does.
func (w *world) gather(needs []string) *prompt.Facts {
	read := make([]prompt.Fact, len(needs))
	for i, n := range needs {
		read[i] = w.facts[n]
	}
	w.kept = w.kept.Next(needs, read)
	return w.kept
}

func pipelines() map[string][]prompt.Stage {
	upper := stage.Hook{Name: "hook", Apply: func(in prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
		a.Sections = append(a.Sections, prompt.Section{Name: "hooked", Text: span.Of(fmt.Sprint("step ", in.Step, " {{a}}"), nil)})
		a, err := next(a)
		for i := range a.Vars {
			a.Vars[i].Value += "!"
		}
		return a, err
	}}
	hooks := stage.Protect(upper)
	hooks.PerStep = true
	keep := stage.Interpolate(stage.InterpolateConfig{Optional: true, Keep: true})
	return map[string][]prompt.Stage{
		"none":     nil,
		"local":    {stage.ToolOrder(nil), stage.Protect(), keep, stage.Heading(prompt.Context, "Now."), stage.Fence(stage.FenceConfig{})},
		"standard": {stage.ToolOrder(nil), stage.Protect(), stage.MoveTurn(), keep, stage.DropBlank(), stage.Fence(stage.FenceConfig{})},
		"strict":   {stage.Interpolate(stage.InterpolateConfig{}), stage.Protect()},
		"hooks":    {stage.ToolOrder(nil), hooks, keep},
	}
}

// A Composer, whatever it reuses, gives what Assemble gives; and what it gave
// before stays as it was.
func TestComposerEqualsAssemble(t *testing.T) {
	type seen struct {
		composed *prompt.Composed
		want     prompt.Assembly
		texts    [prompt.Channels]string
		rendered [prompt.Channels]bool
	}
	total, reused, failed := 0, 0, 0
	for name, stages := range pipelines() {
		for seed := range uint64(24) {
			w := &world{Rand: rand.New(rand.NewPCG(seed, 7)), layers: map[string]prompt.Layer{}, facts: map[string]prompt.Fact{}, calm: seed%2 == 0}
			c := prompt.NewComposer(stages...)
			var history []seen
			var last *prompt.Composed
			lineage := []string{"agent", "team"}
			in := prompt.Input{}
			for round := range 60 {
				if round == 0 || w.IntN(9) == 0 {
					w.register()
				}
				for range w.IntN(3) {
					w.change()
				}
				switch w.IntN(20) {
				case 0:
					lineage = [][]string{nil, {"agent"}, {"agent", "team"}, {"other"}}[w.IntN(4)]
				case 1:
					in.Strict = !in.Strict
				case 2:
					in.Who = prompt.Who{User: w.pick("", "u"), Attrs: map[string]string{"k": w.pick("1", "2")}}
				case 3:
					in.Ties = prompt.Ties{Names: prompt.NameOrder(w.IntN(2)), KeepTools: w.IntN(2) == 0}
				case 4:
					c.Forget()
				}
				in.Lineage, in.Step = lineage, in.Step+w.IntN(2)
				in.Facts = w.gather(c.Plan(w.snap, lineage, in.Ties).Needs())
				got, err := c.Compose(w.snap, in)
				want, wantErr := prompt.Assemble(w.snap, in, stages...)
				total++
				if fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Fatalf("%s, seed %d, round %d: got error\n%v\nwant\n%v", name, seed, round, err, wantErr)
				}
				if err != nil {
					failed++
					continue
				}
				if got == last {
					reused++
				}
				last = got
				if d := difference(got.Assembly, want); d != "" {
					t.Fatalf("%s, seed %d, round %d (-composed +assembled):\n%s", name, seed, round, d)
				}
				s := seen{composed: got, want: want}
				for ch := range prompt.Channels {
					// A channel that was never asked for takes another way later.
					if s.rendered[ch] = w.IntN(3) > 0; s.rendered[ch] {
						s.texts[ch] = want.Render(ch)
						if text := got.Text(ch); text != s.texts[ch] || string(want.AppendText(nil, ch)) != text || want.Text(ch).String() != text {
							t.Fatalf("%s, seed %d, round %d, %s: got %q, want %q", name, seed, round, ch, text, s.texts[ch])
						}
					}
				}
				history = append(history, s)
				old := history[w.IntN(len(history))]
				if d := difference(old.composed.Assembly, old.want); d != "" {
					t.Fatalf("%s, seed %d, round %d: an earlier composition was changed:\n%s", name, seed, round, d)
				}
				for ch := range prompt.Channels {
					if text := old.composed.Text(ch); text != old.want.Render(ch) {
						t.Fatalf("%s, seed %d, round %d, %s of an earlier composition: got %q", name, seed, round, ch, text)
					}
				}
			}
		}
	}
	t.Logf("%d compositions, %d of them reused whole, %d failed", total, reused, failed)
	if reused < total/50 || failed > total/2 {
		t.Errorf("the cases say little: %d compositions, %d reused, %d failed", total, reused, failed)
	}
}

// difference looks closer only if there may be one: it takes its time.
func difference(got, want prompt.Assembly) string {
	if reflect.DeepEqual(got, want) {
		return ""
	}
	return cmp.Diff(got, want, cmpopts.IgnoreUnexported(prompt.Section{}), cmpopts.EquateEmpty())
}

// What did not change is not made again.
func TestComposerReuses(t *testing.T) {
	s := snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{literal("a", 0, "a"), dynamic("b", 1), dynamic("c", 2)}})
	ran := 0
	count := prompt.Stage{Name: "count", Local: true, Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
		ran += len(a.Sections)
		return a, nil
	}}
	c := prompt.NewComposer(count)
	facts := prompt.NewFacts(map[string]prompt.Fact{"b": {Text: "b"}, "c": {Text: "c"}})
	compose := func(f *prompt.Facts, step int) *prompt.Composed {
		t.Helper()
		out, err := c.Compose(s, prompt.Input{Facts: f, Step: step})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := compose(facts, 1)
	if compose(facts, 2) != first || ran != 3 {
		t.Errorf("an unchanged step was composed again: %d sections ran", ran)
	}
	next := facts.Next([]string{"b", "c"}, []prompt.Fact{{Text: "b"}, {Text: "C"}})
	second := compose(next, 3)
	if ran != 4 {
		t.Errorf("one changed section: %d ran, want one more than 3", ran)
	}
	if &second.Assembly.Sections[1].Text[0] != &first.Assembly.Sections[1].Text[0] {
		t.Error("an unchanged section was made again")
	}
	diff(t, "texts", []string{first.Text(prompt.System), second.Text(prompt.System)}, []string{"a\n\nb\n\nc", "a\n\nb\n\nC"})
	if slices.Equal(shape(first.Assembly), shape(second.Assembly)) {
		t.Error("the earlier composition was changed")
	}
	// Equal facts in another value need nothing either.
	if compose(prompt.NewFacts(map[string]prompt.Fact{"b": {Text: "b"}, "c": {Text: "C"}}), 4) != second || ran != 4 {
		t.Error("equal facts were composed again")
	}
}

// A fact that goes while another becomes two documents leaves the number of
// sections as it was, but not their places.
func TestComposerOneSectionIsNotAnother(t *testing.T) {
	s := snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{dynamic("a", 1), literal("middle", 2, "middle"), dynamic("b", 3)}})
	c := prompt.NewComposer()
	for _, facts := range []map[string]prompt.Fact{
		{"a": {Text: "a"}, "b": {Text: "b"}},
		{"a": {None: true}, "b": {Docs: []prompt.Doc{{Name: "one", Text: "one"}, {Name: "two", Text: "two"}}}},
		{"a": {Docs: []prompt.Doc{{Name: "one", Text: "one"}}}, "b": {Text: "b"}},
		{"a": {Docs: []prompt.Doc{}}, "b": {Docs: []prompt.Doc{{Name: "one", Text: "one"}, {Name: "two", Text: "two"}}}},
	} {
		in := prompt.Input{Facts: prompt.NewFacts(facts)}
		got, err := c.Compose(s, in)
		if err != nil {
			t.Fatal(err)
		}
		diff(t, "sections", shape(got.Assembly), shape(must(prompt.Assemble(s, in))))
	}
}

// Sections without a value and sections of several documents can make up for
// each other in number, but not in place.
func TestComposerCountsPlaces(t *testing.T) {
	s := snapshot(t, prompt.Layer{Sections: []prompt.SectionDef{dynamic("a", 1), dynamic("b", 2), dynamic("c", 3)}})
	c := prompt.NewComposer()
	docs := []prompt.Doc{{Name: "d1", Text: "1"}, {Name: "d2", Text: "2"}}
	facts := prompt.NewFacts(map[string]prompt.Fact{"a": {None: true}, "b": {Docs: docs}, "c": {Text: "c"}})
	for _, f := range []prompt.Fact{{Docs: docs}, {Docs: docs[:1]}, {Text: "b"}, {Docs: docs}, {None: true}} {
		in := prompt.Input{Facts: facts.Next([]string{"a", "b", "c"}, []prompt.Fact{{None: true}, f, {Text: fmt.Sprint(len(f.Docs), f.Text)}})}
		got, err := c.Compose(s, in)
		if err != nil {
			t.Fatal(err)
		}
		diff(t, "composed", shape(got.Assembly), shape(must(prompt.Assemble(s, in))))
	}
	for _, texts := range [][3]string{{"x", "d", "y"}, {"z", "d", "y"}} {
		in := prompt.Input{Facts: prompt.NewFacts(map[string]prompt.Fact{"a": {None: true}, "b": {Docs: docs}, "c": {Text: texts[0]}})}
		got, err := c.Compose(s, in)
		if err != nil {
			t.Fatal(err)
		}
		diff(t, "composed", shape(got.Assembly), shape(must(prompt.Assemble(s, in))))
	}
}
