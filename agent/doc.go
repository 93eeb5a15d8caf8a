// Package agent runs a model in a loop: it assembles the prompt, sends it, runs
// the tools that the model calls, and goes on until the model answers.
//
//	a, err := agent.New(agent.Config{
//		Model:     &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: "http://127.0.0.1:8080/v1"},
//		ModelName: "qwen3",
//		System:    "You answer in one sentence.",
//	})
//	if err != nil {
//		log.Fatal(err)
//	}
//	for event, err := range a.Run(ctx, "session-1", agent.Text("What is a monad?")) {
//		if err != nil {
//			log.Fatal(err)
//		}
//		fmt.Print(event.Delta)
//	}
//
// One step is: fold the session's events into a view, take a snapshot of the
// registry, gather the facts, assemble, encode, send, decode, run the tools,
// record. [Agent.Preview] does the first five and returns what would be sent: the
// same bytes that Run then sends, because both come from one function.
//
// What a request was made from is kept with the session, where the store is a
// [session.Keeper], so that [Agent.Replay] makes any past request again and
// compares it byte for byte.
//
// A turn is bounded by [Limits]: of steps, time, tokens, cost, and of calls that
// repeat themselves. What holds for one turn alone, such as another model, stands
// in its [Input].
//
// A conversation that outgrows the model's window is made shorter: see
// [Compaction].
//
// Tools that come and go while sessions run are a [tool.Set]: see Config.Sets and
// [Agent.AddSet]. [ToolChanges] says whether the tools block follows them or stays
// as the session began. What a set says of its tools is pinned when a session first
// shows it; a tool that says something else later is held back.
//
// A [Hook] takes part in turns: it implements one or more small interfaces, one
// for each point. From the outside to the inside they are
//
//	TurnHook     around a turn                    also in a preview
//	InputHook    the input, before it is stored   also in a preview
//	NoticeHook   what is told before a request    also in a preview
//	StepHook     around a request and its answer  also in a preview
//	PromptHook   the texts before the history     also in a preview
//	RequestHook  the request, before encoding     also in a preview
//	ModelHook    around the call of the model
//	CallsHook    around the calls of an answer
//	CallHook     a call, before it runs
//	ResultHook   a result, before it is recorded
//	Observer     every event, as a copy
//
// A [Runtime] lets the model act by its answers instead of by tool calls; package
// codeact lets it write code.
//
// An Agent may be used concurrently. A session runs one turn at a time; a second
// input waits for the first, or is refused with [ErrBusy] if Config.RefuseBusy
// says so.
package agent
