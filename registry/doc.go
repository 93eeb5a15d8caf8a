// Package registry holds what was registered for a prompt: sections, variables,
// tools and mutes, in a global layer and one layer per scope. It hands out
// immutable snapshots and never evaluates anything.
//
//	reg := registry.New()
//	reg.Global().Section(prompt.SectionDef{Name: "base", Order: 100,
//		Body: prompt.Body{Literal: "You write Go.", Template: true}})
//
//	agent := reg.Scope("agent-1")
//	reg.Bind("agent-1", "team")         // agent-1 also sees what team registered
//	agent.Dynamic(prompt.SectionDef{Name: "date", Channel: prompt.Context, Class: prompt.Turn}, clock)
//
//	view := reg.View()                  // cheap; later registrations do not show in it
//	view.Snapshot.Plan(reg.Lineage("agent-1"), prompt.Ties{})
//	agent.Dispose()                     // removes all that agent registered
//
// A registration is data. Dynamic text is a source, which is registered under
// the name of a fact, and a section that names the fact; [Scope.Dynamic]
// registers both at once and removes both together.
//
// Every registration and every disposal is announced to the listeners of
// [Registry.OnChange], synchronously and one by one, and raises the version of
// the next snapshot by one. All methods may be called concurrently.
package registry
