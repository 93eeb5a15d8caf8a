// Package deepseek is the composition model of DeepSeek Harness as a preset: a
// scoped, layered registry of sections, contexts, variables and tools, with
// order numbers, strict references, assembly hooks, a complete section and
// muted contexts.
//
//	p, err := deepseek.New(deepseek.Config{PersonaPrefix: "You run on {{model}}."})
//	p.Registry.Global().Variable("model", "deepseek-chat")
//	p.Registry.Scope("agent-1").Section(prompt.SectionDef{
//		Name: "tool:read", Order: deepseek.Read.Order(), Body: prompt.Body{Literal: "Read before you write.", Template: true},
//	})
//	a, err := p.Assemble("agent-1", nil)
//	text, err := deepseek.RenderPrompt(a)
//
// What the original calls a context is a section of the channel context; a
// complete section has Sole set; a suppressor is a mute of that channel; a
// provider is a source, read before anything is composed.
//
// Ties between sections are decided by name in UTF-16 order, between contexts by
// place of registration, and all tools of one name are kept, as in the original.
//
// proem's own sections have places among those of the table, see [OrderBase] and
// its siblings; [Guidance] is what is said of proem's own tools.
//
// Where it differs on purpose: all faults are reported at once instead of the
// first; texts that no visible section uses are not evaluated; a source can time
// out; the identity sentence and the heading of the snapshot are ours and can be
// replaced.
package deepseek
