package stage_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/prompttest"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// adds returns a hook that appends a section before it delegates and another one
// afterwards.
func adds(name string) stage.Hook {
	return stage.Hook{Name: name, Apply: func(_ prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
		a.Sections = append(a.Sections, prompt.Section{Name: name + " in", Text: span.Of(name, nil)})
		a, err := next(a)
		a.Sections = append(a.Sections, prompt.Section{Name: name + " out", Text: span.Of(name, nil)})
		return a, err
	}}
}

func sectionNames(a prompt.Assembly) string {
	var out []string
	for _, s := range a.Sections {
		out = append(out, s.Name)
	}
	return strings.Join(out, ", ")
}

func TestProtectOrder(t *testing.T) {
	out := apply(t, stage.Protect(adds("one"), adds("two"), adds("three")), prompt.Input{}, system("base"))
	diff(t, "order", sectionNames(out), "s0, one in, two in, three in, three out, two out, one out")
	for _, s := range out.Sections[1:] {
		who, _, _ := strings.Cut(s.Name, " ")
		diff(t, s.Name, *s.From, span.Origin{Section: s.Name, Source: "hook", Stage: who})
		diff(t, s.Name+" text", s.Text[0].From.Stage, who)
	}
}

func TestProtectShortCircuit(t *testing.T) {
	alone := stage.Hook{Name: "alone", Apply: func(prompt.Input, prompt.Assembly, stage.Next) (prompt.Assembly, error) {
		return system("only"), nil
	}}
	ran := false
	never := stage.Hook{Name: "never", Apply: func(_ prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
		ran = true
		return next(a)
	}}
	out := apply(t, stage.Protect(adds("outer"), alone, never), prompt.Input{}, system("base", "more"))
	diff(t, "sections", sectionNames(out), "s0, outer out")
	if ran {
		t.Error("a hook behind the one that did not delegate ran")
	}
}

func TestProtectErrors(t *testing.T) {
	cause := errors.New("refused")
	fails := stage.Hook{Name: "fails", Apply: func(prompt.Input, prompt.Assembly, stage.Next) (prompt.Assembly, error) { return system("x"), cause }}
	_, err := stage.Protect(adds("outer"), fails).Apply(prompt.Input{}, system("base"))
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	// An outer hook may make good an inner one's failure.
	mends := stage.Hook{Name: "mends", Apply: func(_ prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
		if out, err := next(a); err == nil {
			return out, nil
		}
		return a, nil
	}}
	diff(t, "sections", sectionNames(apply(t, stage.Protect(mends, fails), prompt.Input{}, system("base"))), "s0")
}

// What a hook does to the slices it is given stays in this assembly.
func TestProtectMutationStaysInside(t *testing.T) {
	vandal := stage.Hook{Name: "vandal", Apply: func(_ prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
		slices.Reverse(a.Sections)
		a.Sections[0].Name = "changed"
		a.Sections[0].Text = span.Of("changed", nil)
		a.Tools[0].Description = "changed"
		a.Vars[0].Value = "changed"
		a.Notes[0].Reason = "changed"
		a.Diagnostics[0].Message = "changed"
		a.Mutes[0] = prompt.Reminder
		a.Known[0] = "changed"
		a.Heads[0].Name = "changed"
		return next(a)
	}}
	a := system("base", "more")
	a.Tools, a.Vars, a.Notes, a.Known = tools("read"), []prompt.Var{{Name: "v", Value: "1"}}, []prompt.Note{{Name: "n"}}, []string{"read"}
	a.Diagnostics, a.Mutes = []prompt.Diagnostic{{Code: "c"}}, []prompt.Channel{prompt.Context}
	a.Heads = []prompt.Head{{Name: "h", Text: span.Of("h", nil)}}
	before := a.Clone()
	s := stage.Protect(vandal)
	first := apply(t, s, prompt.Input{}, a)
	diff(t, "the argument", a, before)
	diff(t, "the next assembly", apply(t, s, prompt.Input{}, a), first)
}

func TestProtectSole(t *testing.T) {
	sole := func() prompt.Assembly {
		a := system("one", "{{v}} alone", "three")
		a.Sections = append(a.Sections, section(prompt.Context, "c", "context"))
		a.Sections[1].Sole, a.Sections[1].Text[0].Template = true, true
		return a
	}
	diff(t, "without hooks", shape(apply(t, stage.Protect(), prompt.Input{}, sole())), []string{`system s1: "{{v}} alone"`, `context c: "context"`})
	diff(t, "receipts", notes(apply(t, stage.Protect(), prompt.Input{}, sole())), []string{
		`protect: s0: the section "s1" is the only one of the channel system`, `protect: s2: the section "s1" is the only one of the channel system`})
	noAllocs(t, stage.Protect(), system("a", "b"))

	hooks := map[string]func(prompt.Assembly) prompt.Assembly{
		"removes it": func(a prompt.Assembly) prompt.Assembly { a.Sections = a.Sections[3:]; return a },
		"removes everything": func(prompt.Assembly) prompt.Assembly {
			return prompt.Assembly{Sections: []prompt.Section{section(prompt.Context, "c", "context")}}
		},
		"rewrites it": func(a prompt.Assembly) prompt.Assembly {
			a.Sections[1].Text, a.Sections[1].Sole = span.Of("other", nil), false
			return a
		},
		"adds to it": func(a prompt.Assembly) prompt.Assembly {
			a.Sections = append([]prompt.Section{section(prompt.System, "first", "x")}, a.Sections...)
			return a
		},
		"moves it": func(a prompt.Assembly) prompt.Assembly { a.Sections[1].Channel = prompt.Reminder; return a },
	}
	for name, do := range hooks {
		h := stage.Hook{Name: name, Apply: func(_ prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
			return next(do(a))
		}}
		out := apply(t, stage.Protect(h), prompt.Input{}, sole())
		got := shape(out)
		want := []string{`system s1: "{{v}} alone"`, `context c: "context"`}
		if name == "moves it" { // what a hook put elsewhere is its own business
			want = append(want, `reminder s1: "{{v}} alone"`)
			slices.Sort(got)
			slices.Sort(want)
		}
		diff(t, name, got, want)
		if !out.Sections[0].Text[0].Template || !out.Sections[0].Sole {
			t.Errorf("%s: the sole section is not as it was", name)
		}
	}
}

func TestProtectMutes(t *testing.T) {
	loud := stage.Hook{Name: "loud", Apply: func(_ prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
		a.Mutes = nil
		a.Sections = append(a.Sections, section(prompt.Context, "noise", "psst"))
		return next(a)
	}}
	a := system("base")
	a.Mutes = []prompt.Channel{prompt.Context}
	out := apply(t, stage.Protect(loud), prompt.Input{}, a)
	diff(t, "sections", sectionNames(out), "s0")
	diff(t, "mutes", out.Mutes, []prompt.Channel{prompt.Context})
	diff(t, "notes", notes(out), []string{"protect: noise: the channel context is muted"})
}

// No hook takes away the receipts of what was left out before.
func TestProtectKeepsReceipts(t *testing.T) {
	old, other, own := prompt.Note{Name: "old"}, prompt.Note{Name: "other"}, prompt.Note{Name: "own"}
	for name, left := range map[string][]prompt.Note{
		"none": nil, "one of two": {old}, "only its own": {own}, "as many of its own": {own, own}, "another order": {other, old, own}, "both": {old, other, own},
	} {
		h := stage.Hook{Name: "h", Apply: func(_ prompt.Input, a prompt.Assembly, _ stage.Next) (prompt.Assembly, error) {
			a.Notes, a.Diagnostics = slices.Clone(left), nil
			for _, n := range left {
				a.Diagnostics = append(a.Diagnostics, prompt.Diagnostic{Code: n.Name})
			}
			return a, nil
		}}
		a := system("base")
		a.Notes, a.Diagnostics = []prompt.Note{old, other}, []prompt.Diagnostic{{Code: "old"}, {Code: "other"}}
		out := apply(t, stage.Protect(h), prompt.Input{}, a)
		want := []prompt.Note{old, other}
		for _, n := range left {
			if n == own {
				want = append(want, n)
			}
		}
		diff(t, name, out.Notes, want)
		var got []string
		for _, d := range out.Diagnostics {
			got = append(got, d.Code)
		}
		var codes []string
		for _, n := range want {
			codes = append(codes, n.Name)
		}
		diff(t, name+", diagnostics", got, codes)
	}
}

func TestProtectAttributes(t *testing.T) {
	h := stage.Hook{Name: "h", Apply: func(_ prompt.Input, a prompt.Assembly, next stage.Next) (prompt.Assembly, error) {
		a.Sections[0].Text = span.Concat(a.Sections[0].Text, span.Of(" more", nil))
		a.Tools = append(a.Tools, chat.ToolSpec{Name: "new"})
		a.Vars = append(a.Vars, prompt.Var{Name: "v"})
		return next(a)
	}}
	a := system("base")
	a.Sections[0].From.Trust = span.Project
	a.Tools = tools("read")
	out := apply(t, stage.Protect(h), prompt.Input{}, a)
	diff(t, "text", origins(out.Sections[0].Text), []string{`s0: "base"`, `s0/h: " more"`})
	if out.Sections[0].Text[1].From.Trust != span.Project {
		t.Error("text added to a section of little trust is trusted more")
	}
	diff(t, "tool", *out.Tools[1].From, span.Origin{Section: "new", Source: "hook", Stage: "h"})
	diff(t, "old tool", out.Tools[0].From, a.Tools[0].From)
	diff(t, "variable", *out.Vars[0].From, span.Origin{Section: "v", Source: "hook", Stage: "h"})
}

func TestProtectPromises(t *testing.T) {
	sole := system("one", "two")
	sole.Sections[1].Sole = true
	muted := system("one")
	muted.Mutes = []prompt.Channel{prompt.Context}
	muted.Notes = []prompt.Note{{Name: "n"}}
	cases := []prompttest.Case{{Name: "plain", Assembly: system("a", "b")}, {Name: "sole", Assembly: sole}, {Name: "muted", Assembly: muted}, {Name: "empty"}}
	prompttest.Check(t, stage.Protect(adds("one"), adds("two")), cases...)
	prompttest.Check(t, stage.Protect(), cases[0], cases[2], cases[3])
}
