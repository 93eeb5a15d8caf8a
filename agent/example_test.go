package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
)

// A first program. With a server, Model is a provider.HTTP; here it plays a
// script.
func ExampleNew() {
	script, err := scripted.Parse([]byte("turns: [{text: A monad is a monoid.}]"), "script.yaml")
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{
		Model:     scripted.New(*script),
		ModelName: "qwen3",
		System:    "You answer in one sentence.",
	})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range a.Run(context.Background(), "session-1", agent.Text("What is a monad?")) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(event.Delta)
	}
	// Output: A monad is a monoid.
}

// A request of a recorded session is made again from the log and what was kept
// with it.
func ExampleAgent_Replay() {
	ctx := context.Background()
	script, err := scripted.Parse([]byte("turns: [{text: A monad is a monoid.}]"), "script.yaml")
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{Model: scripted.New(*script), ModelName: "qwen3", System: "You answer in one sentence."})
	if err != nil {
		log.Fatal(err)
	}
	for _, err := range a.Run(ctx, "session-1", agent.Text("What is a monad?")) {
		if err != nil {
			log.Fatal(err)
		}
	}
	past, err := a.Replay(ctx, "session-1", 1)
	if err != nil {
		log.Fatal(err) // says what of the request came out different
	}
	fmt.Println(past.Whole, len(past.Body.JSON) == past.Recorded.Bytes)
	_, err = a.Replay(ctx, "session-1", 2)
	fmt.Println(err)
	// Output:
	// true true
	// session session-1: there is no request 2; the last one is 1
}

// upper is a tool.
type upper struct{}

func (upper) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: "upper", Description: "Returns a text in capitals.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`)}
}

func (upper) Call(_ context.Context, args json.RawMessage) (tool.Result, error) {
	var in struct{ Text string }
	if err := json.Unmarshal(args, &in); err != nil {
		return tool.Result{}, err
	}
	return tool.Text(strings.ToUpper(in.Text)), nil
}

func ExampleAgent_Run() {
	script, err := scripted.Parse([]byte(`
turns:
  - calls: [{tool: upper, args: {text: quiet}}]
  - text: It reads QUIET.
`), "script.yaml")
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{Model: scripted.New(*script), ModelName: "m", Tools: []tool.Tool{upper{}}})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range a.Run(context.Background(), "s", agent.Text("Shout quiet.")) {
		if err != nil {
			log.Fatal(err)
		}
		switch event.Kind {
		case session.Call:
			fmt.Println("call:", event.Call.Name, string(event.Call.Args))
		case session.Result:
			fmt.Println("result:", event.Message.Results()[0].Text.String())
		case session.Answer:
			if text := event.Message.Text().String(); text != "" {
				fmt.Println("answer:", text)
			}
		case session.Stopped:
			fmt.Println("stop:", event.Stop.Reason)
		}
	}
	// Output:
	// call: upper {"text":"quiet"}
	// result: QUIET
	// answer: It reads QUIET.
	// stop: end
}

func ExampleAgent_Preview() {
	a, err := agent.New(agent.Config{Model: scripted.New(scripted.Script{}), ModelName: "m", System: "Be brief."})
	if err != nil {
		log.Fatal(err)
	}
	p, err := a.Preview(context.Background(), "s", agent.Text("Hello."))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(p.Body.JSON))
	// Output:
	// {"model":"m","stream":true,"stream_options":{"include_usage":true},"prompt_cache_key":"84b7f22e96ec191769ad2ca082677294","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hello."}]}
}
