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
// An Agent may be used concurrently. A session runs one turn at a time; a second
// input waits for the first.
package agent
