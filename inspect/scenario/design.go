package scenario

import (
	"context"

	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/agentscope"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
)

// A Design is a composition model with the places that it has for the parts of a
// scenario.
type Design struct {
	Name string
	// New returns the preset and the registry that an agent composes from. The base
	// prompt and the tools are not its business: the agent registers them.
	New func(*World) (preset.Preset, *registry.Registry, error)
}

// Designs returns those of the presets there are.
func Designs() []Design {
	return []Design{{"standard", newStandard}, {"deepseek", newDeepSeek}, {"agentscope", newAgentScope}, {"ai4j", newAI4J}}
}

// A World is what the sources of a scenario read.
type World struct {
	scenario Scenario
	write    *writer
}

// Parts returns the parts of a kind.
func (w *World) Parts(k Kind) []Part {
	var out []Part
	for _, p := range w.scenario.Parts {
		if p.Kind == k {
			out = append(out, p)
		}
	}
	return out
}

// Step returns the step of the scenario that a source is asked at, from 1.
func (w *World) Step(q source.Query) int {
	return (q.Turn-1)*w.scenario.PerTurn() + q.Step
}

// Text returns a part as it is at a step, and whether it is there.
func (w *World) Text(p Part, step int) (string, bool) {
	if !p.There(step) {
		return "", false
	}
	return w.write.part(p, step), true
}

// Source returns a source of a part.
func (w *World) Source(p Part) source.Source {
	return source.Func(func(_ context.Context, q source.Query) (prompt.Fact, error) {
		text, ok := w.Text(p, w.Step(q))
		return prompt.Fact{Text: text, None: !ok}, nil
	})
}

// Docs returns a source of the parts of a kind as documents of their own; nil:
// there are none.
func (w *World) Docs(k Kind, prefix string, trust span.Trust) source.Source {
	parts := w.Parts(k)
	if len(parts) == 0 {
		return nil
	}
	return source.Func(func(_ context.Context, q source.Query) (prompt.Fact, error) {
		var f prompt.Fact
		for _, p := range parts {
			if text, ok := w.Text(p, w.Step(q)); ok {
				f.Docs = append(f.Docs, prompt.Doc{Name: prefix + p.Name, Text: text, Trust: trust, Class: prompt.Session})
			}
		}
		f.None = len(f.Docs) == 0
		return f, nil
	})
}

// Register registers a section for each part of a kind. Its name is that of the
// part.
func (w *World) Register(s *registry.Scope, k Kind, d prompt.SectionDef) error {
	for _, p := range w.Parts(k) {
		d.Name = p.Name
		if _, err := s.Dynamic(d, w.Source(p)); err != nil {
			return err
		}
	}
	return nil
}

// A spot is a place for the parts of a kind.
type spot struct {
	kind Kind
	def  prompt.SectionDef
}

func (w *World) registerAll(s *registry.Scope, spots []spot) error {
	for _, x := range spots {
		if err := w.Register(s, x.kind, x.def); err != nil {
			return err
		}
	}
	return nil
}

// newStandard puts everything where the commands put it. The list of what is to be
// done stands in the conversation.
func newStandard(w *World) (preset.Preset, *registry.Registry, error) {
	reg := registry.New()
	s := reg.Global()
	err := standard.Define(s, standard.Texts{
		Files: w.Docs(File, "project:", span.Project), Workspace: w.Docs(Memory, "workspace:", span.Workspace),
	})
	if err == nil {
		err = w.registerAll(s, []spot{
			{Section, prompt.SectionDef{Order: standard.OrderRole, Class: prompt.Stable}},
			{Skills, prompt.SectionDef{Order: standard.OrderSkills, Class: prompt.Session, Source: "skills"}},
			{Subagents, prompt.SectionDef{Order: standard.OrderSubagents, Class: prompt.Session, Source: "subagents"}},
			{Date, prompt.SectionDef{Channel: prompt.Context, Order: 100, Class: prompt.Turn, Source: "clock"}},
			{Tasks, prompt.SectionDef{Channel: prompt.Context, Order: 300, Class: prompt.Turn, Source: "subagents"}},
		})
	}
	return standard.New(standard.Config{}), reg, err
}

// newAI4J puts all but the date into the two fields, which are sent anew at every
// step: what changes in a file moves what stands behind it.
func newAI4J(w *World) (preset.Preset, *registry.Registry, error) {
	reg := registry.New()
	err := w.registerAll(reg.Global(), []spot{
		{Section, prompt.SectionDef{Order: standard.OrderRole, Class: prompt.Stable}},
		{File, prompt.SectionDef{Order: standard.OrderInstructions, Class: prompt.Session, Trust: span.Project, Source: "file"}},
		{Skills, prompt.SectionDef{Order: standard.OrderSkills, Class: prompt.Session, Source: "skills"}},
		{Memory, prompt.SectionDef{Order: standard.OrderWorkspace, Class: prompt.Session, Trust: span.Workspace, Source: "file"}},
		{Subagents, prompt.SectionDef{Order: standard.OrderSubagents, Class: prompt.Session, Source: "subagents"}},
		{Date, prompt.SectionDef{Channel: prompt.Context, Order: 100, Class: prompt.Turn, Source: "clock"}},
		{Tasks, prompt.SectionDef{Channel: prompt.Context, Order: 300, Class: prompt.Turn, Source: "subagents"}},
	})
	return ai4j.New(ai4j.Config{}), reg, err
}

// newDeepSeek puts what changes into the contexts, of which the whole is sent
// again at each change. The list of what is to be done stands in the
// conversation.
func newDeepSeek(w *World) (preset.Preset, *registry.Registry, error) {
	d, err := deepseek.New(deepseek.Config{})
	if err != nil {
		return preset.Preset{}, nil, err
	}
	err = w.registerAll(d.Registry.Global(), []spot{
		{Section, prompt.SectionDef{Order: deepseek.FileReference.Order(), Class: prompt.Stable}},
		{Subagents, prompt.SectionDef{Order: deepseek.Subagent.Order(), Class: prompt.Session, Source: "subagents"}},
		{File, prompt.SectionDef{Order: deepseek.OrderInstructions, Class: prompt.Session, Trust: span.Project, Source: "file"}},
		{Skills, prompt.SectionDef{Order: deepseek.OrderSkills, Class: prompt.Session, Source: "skills"}},
		{Date, prompt.SectionDef{Channel: prompt.Context, Order: 100, Class: prompt.Turn, Source: "clock"}},
		{Memory, prompt.SectionDef{Channel: prompt.Context, Order: 200, Class: prompt.Turn, Trust: span.Workspace, Source: "file"}},
		{Tasks, prompt.SectionDef{Channel: prompt.Context, Order: 300, Class: prompt.Turn, Source: "subagents"}},
	})
	return d.Preset(), d.Registry, err
}

// newAgentScope rewrites the system text wherever something of it changes: the
// subagents with what they do now stand in front of it, the date at the head of the
// workspace's files. The list of what is to be done is sent with every request. The
// scenario's sections stand for the guidance, which is not sent again.
func newAgentScope(w *World) (preset.Preset, *registry.Registry, error) {
	reg := registry.New()
	err := w.registerAll(reg.Global(), []spot{
		{Subagents, prompt.SectionDef{Order: 1, Class: prompt.Turn, Source: "subagents"}},
		{Tasks, prompt.SectionDef{Order: 2, Class: prompt.Turn, Source: "subagents"}},
		{Section, prompt.SectionDef{Order: agentscope.OrderKnowledge, Class: prompt.Stable}},
		{Date, prompt.SectionDef{Order: agentscope.OrderSession, Class: prompt.Session, Source: "clock"}},
		{File, prompt.SectionDef{Order: agentscope.OrderDocs, Class: prompt.Session, Trust: span.Project, Source: "file"}},
		{Memory, prompt.SectionDef{Order: agentscope.OrderDocs + 1, Class: prompt.Session, Trust: span.Workspace, Source: "file"}},
		{Skills, prompt.SectionDef{Order: agentscope.OrderSkills, Class: prompt.Session, Source: "skills"}},
		{Todo, prompt.SectionDef{Channel: prompt.Reminder, Class: prompt.Turn, Source: "todos"}},
	})
	return agentscope.New(agentscope.Config{}), reg, err
}
