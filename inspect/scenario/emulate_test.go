package scenario_test

import (
	"context"
	"math"
	"testing"

	"github.com/proemhq/proem/inspect/scenario"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/stage"
)

// An emulation says where another harness puts what changes. The rest stands in
// the system text.
type emulation struct {
	memory  float64 // its order; it is read once per turn of the user
	tasks   float64 // its order in the system text; 0: behind the history, when it changes
	noTasks bool
	todo    bool // the list stands at the end of every request
	date    bool // the date stands in the system text
}

// design makes an emulation of a preset without any of our own stages.
func (e emulation) design(name string) scenario.Design {
	return scenario.Design{Name: name, New: func(w *scenario.World) (preset.Preset, *registry.Registry, error) {
		reg := registry.New()
		add := func(k scenario.Kind, d prompt.SectionDef, read func(scenario.Part) source.Source) error {
			for _, p := range w.Parts(k) {
				d.Name = p.Name
				if _, err := reg.Global().Dynamic(d, read(p)); err != nil {
					return err
				}
			}
			return nil
		}
		perTurn := func(p scenario.Part) source.Source {
			return source.Func(func(ctx context.Context, q source.Query) (prompt.Fact, error) {
				q.Step = 1
				return w.Source(p).Read(ctx, q)
			})
		}
		system := func(order float64) prompt.SectionDef {
			return prompt.SectionDef{Order: order, Class: prompt.Session}
		}
		live := prompt.SectionDef{Channel: prompt.Context, Class: prompt.Turn}
		errs := []error{
			add(scenario.Section, system(200), w.Source), add(scenario.File, system(300), w.Source),
			add(scenario.Skills, system(400), w.Source), add(scenario.Subagents, system(600), w.Source),
			add(scenario.Memory, system(e.memory), perTurn),
		}
		if e.date {
			errs = append(errs, add(scenario.Date, system(150), perTurn))
		} else {
			errs = append(errs, add(scenario.Date, live, w.Source))
		}
		switch {
		case e.noTasks:
		case e.tasks != 0:
			errs = append(errs, add(scenario.Tasks, system(e.tasks), w.Source))
		default:
			errs = append(errs, add(scenario.Tasks, live, w.Source))
		}
		if e.todo {
			errs = append(errs, add(scenario.Todo, prompt.SectionDef{Channel: prompt.Reminder, Class: prompt.Turn}, w.Source))
		}
		for _, err := range errs {
			if err != nil {
				return preset.Preset{}, nil, err
			}
		}
		return preset.Preset{Name: name, Contexts: preset.Deltas, Stages: func([]string) []prompt.Stage {
			return []prompt.Stage{stage.DropBlank()}
		}}, reg, nil
	}}
}

// The figures of other designs, as they were computed once by another program
// from the same description, which leaves some things open: which texts move at
// which of the steps. So they agree about, and not to the digit.
func TestOtherDesigns(t *testing.T) {
	type figures struct {
		input                          int // thousands
		retained                       float64
		append                         int
		token, openAI, anthropic, deep float64
		costOpenAI, costDeep           float64
	}
	cases := []struct {
		name string
		emulation
		want figures
	}{
		{"chain, prepended", emulation{memory: 500, tasks: 50, todo: true, date: true}, figures{557, .774, 2, .737, .734, .699, .527, 2.37, 8.15}},
		{"chain, appended", emulation{memory: 500, tasks: 950, todo: true, date: true}, figures{557, .829, 2, .790, .787, .699, .611, 2.04, 6.76}},
		{"chain, no tasks", emulation{memory: 500, noTasks: true, todo: true, date: true}, figures{554, .902, 2, .859, .856, .828, .719, 1.59, 4.94}},
		{"fields, memory in the first", emulation{memory: 250}, figures{558, .879, 24, .838, .835, .834, .823, 1.74, 3.27}},
		{"fields, memory in the second", emulation{memory: 950}, figures{558, .924, 24, .881, .877, .834, .849, 1.47, 2.84}},
	}
	var designs []scenario.Design
	for _, c := range cases {
		designs = append(designs, c.design(c.name))
	}
	reports, _, err := scenario.Compare(t.Context(), scenario.Default(), designs, count)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := reports[i]
			near := func(what string, got, want, by float64) {
				t.Helper()
				if math.Abs(got-want) > by {
					t.Errorf("%s: got %.4g, want about %.4g", what, got, want)
				}
			}
			near("input", float64(r.Input), float64(c.want.input)*1e3, 20e3)
			near("retained", r.Retained, c.want.retained, .03)
			near("append-only", float64(r.AppendOnly), float64(c.want.append), 0)
			near("token hits", r.Hit.Token, c.want.token, .03)
			near("openai", r.Hit.OpenAI, c.want.openAI, .03)
			near("anthropic", r.Hit.Anthropic, c.want.anthropic, .06)
			near("deepseek", r.Hit.DeepSeek, c.want.deep, .06)
			near("cost openai", r.CostOverBound.OpenAI/c.want.costOpenAI, 1, .15)
			near("cost deepseek", r.CostOverBound.DeepSeek/c.want.costDeep, 1, .25)
		})
	}
}
