package agentscope

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/todo"
)

// Config holds the options of the stages. The zero value is the default.
type Config struct {
	ToolOrder  []string // names and stage.Unlisted; empty: by name
	Visibility []stage.VisibilityRule
	Hooks      []stage.Hook // of the assembly
	// Transformers are the host's, besides those of an agent's hooks, which come
	// behind them at equal order.
	Transformers []Transformer
	Place        Place // how paths are meant, for the workspace paragraph
	// Extracts says that what is worth keeping is written down after each turn.
	Extracts       bool
	NoTaskList     bool // leave out the guidance for todos and their reminder
	NoPlan         bool // leave out the banners of plan mode
	SubagentsAfter bool // put the subagents behind everything, not in front
	// KeepLoop keeps what every agent is told of the loop that it runs in. Without it
	// the guidance of the workspace stands for that.
	KeepLoop    bool
	KeepMissing bool // leave references to unknown variables in the text, with a warning
	// Refresh, if not nil, takes the place of preset.EachStep.
	Refresh *preset.Refresh
}

// A Transformer changes the text that the transformers before it made. The first
// one is given the base prompt without the white space around it.
type Transformer struct {
	Name string // of the text that it adds
	// Order says where it runs: higher ones first, equal ones as listed, those below
	// preset.DefaultOrder behind what the preset contributes. nil: DefaultOrder.
	Order *int
	// Text returns the new text. It is pure; the same text costs nothing.
	Text func(in prompt.Input, text string) (string, error)
}

// New returns the preset. A wrong tool order is reported at every assembly;
// [stage.CheckOrder] tells beforehand.
func New(cfg Config) preset.Preset {
	var own []preset.Transformer
	for _, t := range cfg.Transformers {
		order := preset.DefaultOrder
		if t.Order != nil {
			order = *t.Order
		}
		own = append(own, preset.Transformer{Order: order, Stage: stage.Text(t.Name, prompt.System, t.Text)})
	}
	plain := slices.Clip(cfg.stages(own))
	refresh := preset.EachStep
	if cfg.Refresh != nil {
		refresh = *cfg.Refresh
	}
	return preset.Preset{
		Name:   "agentscope",
		Stages: func([]string) []prompt.Stage { return plain },
		Transform: func(_ []string, hosts []preset.Transformer) []prompt.Stage {
			return cfg.stages(slices.Concat(own, hosts))
		},
		Contexts: preset.Deltas,
		Refresh:  refresh,
		Live:     func(s *prompt.Section) bool { return s.Name == SubagentsSection },
		Untold:   refresh == preset.EachTurn,
	}
}

// stages is the list of the model.
func (cfg Config) stages(hosts []preset.Transformer) []prompt.Stage {
	hosts = slices.Clone(hosts)
	slices.SortStableFunc(hosts, func(a, b preset.Transformer) int { return b.Order - a.Order })
	late := slices.IndexFunc(hosts, func(t preset.Transformer) bool { return t.Order < preset.DefaultOrder })
	if late < 0 {
		late = len(hosts)
	}
	var out []prompt.Stage
	if len(cfg.Visibility) > 0 {
		out = append(out, stage.Visibility(cfg.Visibility...))
	}
	out = append(out,
		stage.ToolOrder(cfg.ToolOrder),
		stage.Protect(cfg.Hooks...),
		stage.Interpolate(stage.InterpolateConfig{Optional: true, Keep: cfg.KeepMissing}),
		cfg.replaced(),
		stage.DropBlank(),
		seed,
	)
	for _, h := range hosts[:late] {
		out = append(out, apart(h.Stage, isOwn))
	}
	out = append(out, cfg.workspace(), cfg.taskList(), cfg.banner())
	for _, h := range hosts[late:] {
		out = append(out, apart(h.Stage, func(s *prompt.Section) bool { return s.Name == SubagentsSection }))
	}
	return append(out, apart(stage.Fence(stage.FenceConfig{}), isOwn), cfg.subagents())
}

// isOwn reports whether the preset contributes the section.
func isOwn(s *prompt.Section) bool {
	return s.Channel == prompt.System && s.Order >= OrderContext || s.Channel == prompt.Reminder && s.Name == TodosSection
}

// apart returns a stage that does not see some sections of its channel. These
// stand behind the others, and are put back there.
func apart(s prompt.Stage, away func(*prompt.Section) bool) prompt.Stage {
	inner := s.Apply
	s.Local = false
	s.Apply = func(in prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
		n := 0
		for i := range a.Sections {
			if away(&a.Sections[i]) {
				n++
			}
		}
		if n == 0 {
			return inner(in, a)
		}
		was := a.Sections
		rest := make([]prompt.Section, 0, len(was)-n)
		for i := range was {
			if !away(&was[i]) {
				rest = append(rest, was[i])
			}
		}
		a.Sections = rest
		out, err := inner(in, a)
		if err != nil {
			return out, err
		}
		all := make([]prompt.Section, 0, len(out.Sections)+n)
		for ch := range prompt.Channels {
			for _, s := range out.Sections {
				if s.Channel == ch {
					all = append(all, s)
				}
			}
			for i := range was {
				if was[i].Channel == ch && away(&was[i]) {
					all = append(all, was[i])
				}
			}
		}
		out.Sections = all
		return out, nil
	}
	return s
}

// replacedBy are the texts that other parts of proem bring and that this model
// says in its own words.
var replacedBy = []struct{ name, by string }{
	{standard.RuntimeSection, "the guidance of the workspace"},
	{todo.Name, TaskListSection},
	{"todo-reminder", TodosSection},
	{plan.EnterName, PlanSection},
	{"plan-reminder", PlanSection},
	{"plan-tools", PlanSection},
}

// replaced leaves those texts out. It knows them by name and by who wrote them.
// Without banners of its own, the model is still told of plan mode by its tools.
func (cfg Config) replaced() prompt.Stage {
	by := func(s *prompt.Section) string {
		if cfg.KeepLoop && s.Name == standard.RuntimeSection || cfg.NoPlan && s.Channel == prompt.Reminder && strings.HasPrefix(s.Name, "plan-") ||
			s.Doc != nil || s.Trust() != span.Builtin ||
			s.From != nil && (s.From.Source == "config" || s.From.Source == "file") {
			return ""
		}
		for _, r := range replacedBy {
			if r.name == s.Name && (s.Name != standard.RuntimeSection || s.Text.String() == standard.RuntimeText) {
				return r.by
			}
		}
		return ""
	}
	return prompt.Stage{
		Name: "replaced",
		Doc:  "leaves out texts of tools and of the loop that the model says in its own words",
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			var kept []prompt.Section
			for i := range a.Sections {
				s := &a.Sections[i]
				why := by(s)
				if why != "" && kept == nil {
					kept = append(make([]prompt.Section, 0, len(a.Sections)), a.Sections[:i]...)
					a.Notes = slices.Clip(a.Notes)
				}
				if why != "" {
					a.Notes = append(a.Notes, prompt.Note{Name: s.Name, Stage: "replaced", From: s.From, Reason: "this preset says it in " + why})
				} else if kept != nil {
					kept = append(kept, *s)
				}
			}
			if kept != nil {
				a.Sections = kept
			}
			return a, nil
		},
	}
}

// seed trims what the host's transformers begin with.
var seed = prompt.Stage{
	Name: "seed",
	Doc:  "trims the white space around the base prompt",
	Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
		first, last := -1, -1
		for i := range a.Sections {
			if s := &a.Sections[i]; s.Channel == prompt.System && !isOwn(s) && s.Text.Len() > 0 {
				if first < 0 {
					first = i
				}
				last = i
			}
		}
		if first < 0 || !loose(a.Sections[first].Text, true) && !loose(a.Sections[last].Text, false) {
			return a, nil
		}
		a.Sections = slices.Clone(a.Sections)
		s := &a.Sections[first]
		text := s.Text.String()
		s.Text = s.Text.Slice(len(text)-len(strings.TrimLeftFunc(text, unicode.IsSpace)), len(text))
		s = &a.Sections[last]
		s.Text = s.Text.Slice(0, len(strings.TrimRightFunc(s.Text.String(), unicode.IsSpace)))
		return a, nil
	},
}

// loose reports whether a text begins, or ends, with white space.
func loose(t span.Text, front bool) bool {
	for i := range t {
		s := t[i].Text
		if !front {
			s = t[len(t)-1-i].Text
		}
		if s == "" {
			continue
		}
		r, _ := utf8.DecodeRuneInString(s)
		if !front {
			r, _ = utf8.DecodeLastRuneInString(s)
		}
		return unicode.IsSpace(r)
	}
	return false
}
