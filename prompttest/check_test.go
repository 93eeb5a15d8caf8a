package prompttest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/prompttest"
	"github.com/proemhq/proem/span"
)

func stage(f func(prompt.Input, prompt.Assembly) (prompt.Assembly, error)) prompt.Stage {
	return prompt.Stage{Name: "x", Doc: "does x", Apply: f}
}

func upper(a prompt.Assembly, which func(prompt.Section) bool) prompt.Assembly {
	a = a.Clone()
	for i := range a.Sections {
		if s := &a.Sections[i]; which(*s) {
			s.Text = span.Of(strings.ToUpper(s.Text.String()), s.From)
		}
	}
	return a
}

func every(prompt.Section) bool { return true }

func TestCheck(t *testing.T) {
	calls := 0
	tests := []struct {
		name string
		s    prompt.Stage
		want []string
	}{
		{"pure", stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) { return upper(a, every), nil }), nil},
		{"untouched", stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) { return a, nil }), nil},
		{"local", prompt.Stage{Name: "x", Doc: "x", Local: true, Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) { return upper(a, every), nil }}, nil},
		{"nameless", prompt.Stage{}, []string{"has no name", "has no Doc", "has no Apply"}},
		{"changes a section", stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a.Sections[0].Name = "changed"
			return a, nil
		}), []string{`stage "x", case "sample": it changes its argument`, `"changed"`}},
		{"changes a span", stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a = a.Clone()
			a.Sections[0].Text[0].Text = "changed"
			return a, nil
		}), []string{"it changes its argument"}},
		{"changes an origin", stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a.Sections[1].From.Trust = span.Builtin
			return a, nil
		}), []string{"it changes its argument"}},
		{"changes a schema", stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a.Tools[0].Parameters[0] = '['
			return a, nil
		}), []string{"it changes its argument"}},
		{"appends to a shared slice", stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a.Notes = append(a.Notes, prompt.Note{Name: "x"})
			return a, nil
		}), []string{"it writes behind the end of its argument's notes"}},
		{"appends to a shared text", stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a = a.Clone()
			a.Sections[0].Text = append(a.Sections[0].Text, span.Span{Text: "x"})
			return a, nil
		}), []string{"behind the end of its argument's section base"}},
		{"counts its calls", stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			calls++
			a = a.Clone()
			a.Sections[0].Name = fmt.Sprint(calls)
			return a, nil
		}), []string{"two runs differ"}},
		{"fails every other time", stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			if calls++; calls%2 == 0 {
				return a, errors.New("boom")
			}
			return a, nil
		}), []string{"two runs differ in their errors"}},
		{"looks at the step", stage(func(in prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a = a.Clone()
			a.Sections[0].Min = in.Step
			return a, nil
		}), []string{"set PerStep"}},
		{"looks at the step and says so", prompt.Stage{Name: "x", Doc: "x", PerStep: true, Apply: func(in prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a = a.Clone()
			a.Sections[0].Min = in.Step
			return a, nil
		}}, nil},
		{"local, but removes", prompt.Stage{Name: "x", Doc: "x", Local: true, Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a.Sections = a.Sections[1:]
			return a, nil
		}}, []string{"marked Local but makes 3 sections of 4"}},
		{"local, but looks around", prompt.Stage{Name: "x", Doc: "x", Local: true, Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			return upper(a, func(s prompt.Section) bool { return s.Name == a.Sections[0].Name }), nil
		}}, []string{`marked Local but the section "odd" depends on others`}},
		{"local, but changes tools by section", prompt.Stage{Name: "x", Doc: "x", Local: true, Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			a.Tools = a.Tools[:min(len(a.Tools), len(a.Sections))]
			return a, nil
		}}, []string{"marked Local but the tools, variables or heads depend on the sections"}},
		{"local, but fails for the whole", prompt.Stage{Name: "x", Doc: "x", Local: true, Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			if len(a.Sections) > 1 {
				return a, prompt.Faults{{Code: "x"}}
			}
			return a, nil
		}}, []string{"fails for the whole and not for any section alone"}},
		{"always fails", prompt.Stage{Name: "x", Doc: "x", Local: true, Apply: func(prompt.Input, prompt.Assembly) (prompt.Assembly, error) {
			return prompt.Assembly{}, errors.New("boom")
		}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := failing("x", func(t testing.TB) { prompttest.Check(t, tt.s, prompttest.Case{Name: "sample", Assembly: sample()}) })
			wantAll(t, got, tt.want...)
		})
	}
}

func TestShuffle(t *testing.T) {
	def := func(name string, order float64) prompt.SectionDef {
		return prompt.SectionDef{Name: name, Order: order, Body: prompt.Body{Literal: name}}
	}
	layers := []prompt.Layer{
		{Sections: []prompt.SectionDef{def("a", 1), def("b", 1)}, Vars: []prompt.VarDef{{Name: "v"}}},
		{Scope: "s", Sections: []prompt.SectionDef{def("c", 0)}, Mutes: []prompt.Channel{prompt.Reminder}},
	}
	in := prompt.Input{Lineage: []string{"s"}}
	runs := 0
	count := stage(func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
		runs++
		a.Vars = nil // their order is that of registration
		return a, nil
	})
	wantAll(t, failing("x", func(t testing.TB) { prompttest.Shuffle(t, in, layers, count) }))
	diff(t, "orders of five", runs, 1+120)

	runs = 0
	layers[0].Sections = append(layers[0].Sections, def("d", 1))
	wantAll(t, failing("x", func(t testing.TB) { prompttest.Shuffle(t, in, layers, count) }))
	diff(t, "orders of more", runs, 1+200)

	in.Ties.ByPosition[prompt.System] = true
	wantAll(t, failing("x", func(t testing.TB) { prompttest.Shuffle(t, in, layers) }),
		"the prompt depends on the order of registration; registered as mute reminder in \"s\", section c in \"s\", variable v,", "was moved")

	layers[0].Sections[0].Required, layers[0].Sections[0].Body = true, prompt.Body{Fact: "none"}
	wantAll(t, failing("x", func(t testing.TB) { prompttest.Shuffle(t, in, layers) }), "prompttest: as registered: ")

	wantAll(t, failing("x", func(t testing.TB) { prompttest.Shuffle(t, prompt.Input{}, nil) }))
}
