package scenario_test

import (
	"testing"

	"github.com/proemhq/proem/inspect/cache"
	"github.com/proemhq/proem/inspect/scenario"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
)

// compare plays a scenario with one design.
func compare(t testing.TB, s scenario.Scenario, d scenario.Design) (report, bound cache.Report) {
	t.Helper()
	reports, bound, err := scenario.Compare(t.Context(), s, []scenario.Design{d}, count)
	if err != nil {
		t.Fatal(err)
	}
	return reports[0], bound
}

// below checks that costs are at most so many times those of the bound.
func below(t *testing.T, what string, got, most cache.Costs) {
	t.Helper()
	if got.OpenAI > most.OpenAI || got.Anthropic > most.Anthropic || got.DeepSeek > most.DeepSeek {
		t.Errorf("%s: the cost is %+v times that of the bound, want at most %+v", what, got, most)
	}
}

// Contexts that change never move what was sent before, and cost little more than
// if they had been free.
func TestStandardOnlyGrows(t *testing.T) {
	for _, c := range []struct {
		name   string
		result int
		most   cache.Costs
	}{
		{"default", 400, cache.Costs{OpenAI: 1.05, Anthropic: 1.05, DeepSeek: 1.06}},
		{"long results", 2000, cache.Costs{OpenAI: 1.03, Anthropic: 1.03, DeepSeek: 1.03}},
	} {
		s := scenario.Default()
		s.Result = c.result
		r, _ := compare(t, s, design(t, "standard"))
		if r.Retained != 1 || r.AppendOnly != s.Steps-1 || len(r.Breaks) > 0 {
			t.Errorf("%s: got %+v", c.name, r)
		}
		below(t, c.name, r.CostOverBound, c.most)
	}
}

func TestDeepSeekOnlyGrows(t *testing.T) {
	r, bound := compare(t, scenario.Default(), design(t, "deepseek"))
	if r.Retained != 1 || r.AppendOnly != 29 || bound.Retained != 1 {
		t.Errorf("got %+v", r)
	}
	below(t, "deepseek", r.CostOverBound, cache.Costs{OpenAI: 1.47, Anthropic: 1.48, DeepSeek: 1.57})
}

// With both texts read anew at every step, an edit of memory moves what stands
// behind it, and nothing else does.
func TestAI4JBreaks(t *testing.T) {
	r, _ := compare(t, scenario.Default(), design(t, "ai4j"))
	if r.AppendOnly != 24 || r.Retained < .9 || len(r.Breaks) != 5 {
		t.Errorf("got %+v", r)
	}
	for i, b := range r.Breaks {
		if b.Request != 6+5*i || b.Section != "memory/MEMORY.md" || b.Cause != "source.changed" {
			t.Errorf("break %d is %+v", i, b)
		}
	}
}

// A reminder at the end of every request costs its own tokens and no others, where
// a beginning of a request is found. Where only whole units are found, the request
// before ends in one that is not the beginning of the next, and what it added is
// read anew: there a reminder has to be kept, or costs several times its tokens.
func TestReminderCostsItself(t *testing.T) {
	const name = "standard"
	with := scenario.Design{Name: name, New: func(w *scenario.World) (preset.Preset, *registry.Registry, error) {
		p, reg, err := design(t, name).New(w)
		if err == nil {
			err = w.Register(reg.Global(), scenario.Todo, prompt.SectionDef{Channel: prompt.Reminder, Class: prompt.Turn})
		}
		return p, reg, err
	}}
	s := scenario.Default()
	plain, _ := compare(t, s, design(t, name))
	reminded, bound := compare(t, s, with)
	own := reminded.Input - plain.Input
	if own < 28*150 {
		t.Fatalf("the reminder has %d tokens in all", own)
	}
	// in returns a cost over the bound in tokens that are read anew.
	in := func(more, hit, read, write float64) float64 {
		return more * float64(bound.Input) * (read*hit + write*(1-hit))
	}
	a, b, h := reminded.CostOverBound, plain.CostOverBound, bound.Hit
	openAI := in(a.OpenAI-b.OpenAI, h.OpenAI, 0.1, 1)
	anthropic := in(a.Anthropic-b.Anthropic, h.Anthropic, 0.1, 1.25)
	deepSeek := in(a.DeepSeek-b.DeepSeek, h.DeepSeek, 0.02, 1)
	if most := 1.02 * float64(own); openAI > most || anthropic > most { // the ratios have four digits
		t.Errorf("%d tokens of reminders cost as much as %.0f and %.0f", own, openAI, anthropic)
	}
	if times := deepSeek / float64(own); times < 4 || times > 6 {
		t.Errorf("with whole units reminders cost %.2f times their tokens", times)
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ yaml, want string }{
		{"steps: 3\nturns: 2\ninput: 1\nanswer: 1\nresult: 1\ntools: {count: 1, tokens: 1}\n", "s.yaml: steps is 3 and turns 2; all turns must be of the same length"},
		{"steps: 0\n", "s.yaml: steps is 0; it must be from 1 to 2000"},
		{"steps: 2\nturns: 1\ninput: 1\nanswer: 1\nresult: 1\ntools: {count: 1, tokens: 1}\nparts: [{name: a, kind: x, tokens: 1}]\n", `s.yaml: parts[0].kind is "x"; it must be one of [base section file skills memory subagents tasks todo date]`},
		{"steps: 2\nturns: 1\ninput: 1\nanswer: 1\nresult: 1\ntools: {count: 500, tokens: 100000}\n", ""},
		{"steps: 2000\nturns: 1\ninput: 1\nanswer: 1\nresult: 100000\ntools: {count: 500, tokens: 100000}\n", "s.yaml: its requests have more than 200000000 tokens together"},
		{"steps: &a 1\nturns: *a\n", "s.yaml: a scenario has no aliases: write each text out"},
	} {
		_, err := scenario.Parse([]byte(tt.yaml), "s.yaml")
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.yaml, got, tt.want)
		}
	}
	if _, err := scenario.Parse([]byte("stepz: 1\n"), "s.yaml"); err == nil {
		t.Error("an unknown key is taken")
	}
}
