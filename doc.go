// Package proem is the map of the module: an agent harness whose prompt is a
// value. It holds no code; the packages below it do.
//
// A prompt is composed in four steps. Registrations say what there is, sources
// read the world once per step, stages compute, a dialect encodes:
//
//	registrations → snapshot ┐
//	sources ────→ facts ─────┴→ Resolve → stages → assembly → Encode → body + marks
//
// # To build an agent
//
// [github.com/proemhq/proem/agent] runs the loop. A model is all it needs:
//
//	a, err := agent.New(agent.Config{Model: model, ModelName: "qwen3", System: "You serve tea."})
//	p, err := a.Preview(ctx, "s1", agent.Text("Hello")) // what would be sent
//	for event, err := range a.Run(ctx, "s1", agent.Text("Hello")) { … }
//
// [github.com/proemhq/proem/provider] is a model behind HTTP, and its package
// scripted one that plays a script:
//
//	model := &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: "http://127.0.0.1:8080/v1"}
//
// [github.com/proemhq/proem/tool] is what a model may do, and its package fs the
// tools that look at files; search, shell, ask and memory have more:
//
//	tools := fs.Tools(fs.Config{Roots: []string{"/w"}})
//
// [github.com/proemhq/proem/tool/permit] decides whether a call may run:
//
//	policy, err := permit.New(permit.Config{Mode: permit.Default, Rules: rules, Roots: roots})
//	decision := policy.Decide(policy.Request(files, "shell", args, effect, cwd), permit.Grants{})
//
// [github.com/proemhq/proem/session] is the log of what happened, kept by its
// packages memory and jsonl:
//
//	store, err := jsonl.Open(jsonl.Config{Dir: dir})
//
// # To put something into the prompt
//
// [github.com/proemhq/proem/registry] holds sections, variables and tools, in
// layers:
//
//	reg.Global().Section(prompt.SectionDef{Name: "house", Order: 200, Body: prompt.Body{Literal: "Be brief."}})
//	reg.Scope("agent-1").Variable("shop", "the house by the river")
//
// [github.com/proemhq/proem/source] reads what changes; its packages know
// instruction files, the date and the machine:
//
//	reg.Global().Dynamic(prompt.SectionDef{Name: "date", Channel: prompt.Context}, clock.New(clock.Config{}))
//
// [github.com/proemhq/proem/stage] has the stages, and
// [github.com/proemhq/proem/preset] lists of them: standard, deepseek and ai4j.
//
//	rules := standard.New(standard.Config{ToolOrder: []string{"read_file", stage.Unlisted}})
//
// # To look at a prompt, and to test one
//
// [github.com/proemhq/proem/prompt] is the core: definitions, snapshots,
// assemblies, and what became of each section.
//
//	assembly, err := prompt.Assemble(snapshot, input, stages...)
//	frames, err := prompt.Trace(snapshot, input, stages...)
//
// [github.com/proemhq/proem/span] is text that knows where it came from,
// [github.com/proemhq/proem/chat] the conversation,
// [github.com/proemhq/proem/wire] the border to a provider's bytes:
//
//	text.At(12).From.Path
//	body, err := openaichat.Dialect.Encode(nil, request)
//
// [github.com/proemhq/proem/inspect] makes reports of them,
// [github.com/proemhq/proem/token] counts, and
// [github.com/proemhq/proem/prompttest] keeps a prompt as it is:
//
//	prompttest.Golden(t, preview.Assembly)
//
// [github.com/proemhq/proem/providertest] is a provider for tests of a whole
// agent, and package record of provider plays a real run again:
//
//	server := providertest.New(t, providertest.Config{Script: providertest.Script(t, script)})
//	model, err := record.From("testdata/run", openaichat.Dialect, nil)
//
// # To have the commands
//
// [github.com/proemhq/proem/cli] holds the commands as a library, and cmd/proem
// is a few lines over it:
//
//	cli.Main(cli.App{Name: "acme", Agents: agents})
//
// [github.com/proemhq/proem/env] is the one seam to clock, ids, files and
// network. The folder examples has programs, docs a first agent step by step.
package proem
