// Package agentscope is the composition model of AgentScope's HarnessAgent as a
// preset: a base prompt that passes a chain of ordered transformers, behind it
// the workspace with its guidance and files, the task list, the banner of plan
// mode and the skills, all in one system message that is made anew for every
// request.
//
//	reg := registry.New()
//	err := agentscope.Define(reg.Global(), agentscope.Parts{
//		Session: &agentscope.Session{Name: "helper", Workspace: "/w/.agentscope/workspace"},
//		Home:    agentscope.NewHome(memory.Config{Root: "/w", Dir: ".agentscope/workspace"}, nil),
//		Skills:  set,
//	})
//	p := agentscope.New(agentscope.Config{Place: agentscope.Place{Project: "/w", Workspace: "/w/.agentscope/workspace"}})
//	a, err := agent.New(agent.Config{Preset: &p, Registry: reg, System: "You help.", Tools: tools, …})
//
// The whole model, in the order of its text:
//
//	base             what the host registers below OrderContext, its ends trimmed
//	host             transformers of an order of DefaultOrder or more, from high to low
//	session          ## AgentStateStore Context
//	knowledge        ## Domain Knowledge
//	recall           ## Memory Recall            with tools that look into the memory
//	persistence      ## Memory Persistence       with the tool that saves, or extraction
//	workspace        ## Workspace                by the kind of the file system
//	files            ## Workspace Files (Injected), <loaded_context> and its blocks
//	task list        ## Task List                with todo_write
//	banner           <system-reminder> of plan mode, or of the turn after it
//	skills           ## Available Skills
//	late host        transformers of a lower order
//	subagents        ## Subagents, in front of everything or behind it
//
// and at the end of each request the todos, in a <system-reminder> of their own.
// What somebody else wrote into a file cannot end its block: tags that belong to
// the format are escaped in it. Headings and tags are the original's, sentences
// are proem's own, and tools are named as they are registered.
//
// Refresh is EachStep: an edited file shows in the next request of the same run.
// With EachTurn the text is that of the turn's first request, but for the
// subagents, which always follow. Package toolset has the tools under the names of
// the original and its policy of two roots.
//
// Where it differs on purpose: the workspace's AGENTS.md goes before the
// project's for everybody; a memory that does not fit keeps its newest entries,
// and one for which there is no room is announced and left out; a blank file
// counts as absent; the build banner stands in the turn after plan mode and in no
// later one; what is listed can be opened. docs/coming-from-agentscope.md has the
// table of all behaviours.
package agentscope
