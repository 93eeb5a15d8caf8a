package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// house is a hook of three points: it refuses some calls, adds a line to each
// request, and counts what happens.
type house struct{ events int }

func (*house) Name() string { return "house" }

func (*house) InterceptCall(_ context.Context, _ agent.At, call chat.ToolCall) (chat.ToolCall, error) {
	if strings.Contains(string(call.Args), "loud") {
		return call, agent.Blocked("we are quiet here")
	}
	return call, nil
}

func (*house) EditRequest(_ context.Context, at agent.At, r wire.Request) (wire.Request, error) {
	r.System = append(r.System, prompt.Part{Name: "house", Sep: "\n\n", Text: span.Of("Keep quiet.", nil)})
	return r, nil
}

func (h *house) Observe(context.Context, string, session.Event) { h.events++ }

// A hook implements the points it needs. What it changed carries its name.
func ExampleHook() {
	script, err := scripted.Parse([]byte(`
turns:
  - calls: [{tool: upper, args: {text: loud}}]
  - text: I will whisper.
`), "script.yaml")
	if err != nil {
		log.Fatal(err)
	}
	h := &house{}
	a, err := agent.New(agent.Config{Model: scripted.New(*script), ModelName: "m", System: "You read out.",
		Tools: []tool.Tool{upper{}}, Hooks: []agent.Hook{h}})
	if err != nil {
		log.Fatal(err)
	}
	p, err := a.Preview(context.Background(), "s", agent.Text("Read it."))
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range p.Body.Marks {
		if m.From != nil && m.From.Stage == "house" {
			fmt.Println("house wrote:", string(p.Body.JSON[m.Lo:m.Hi]))
		}
	}
	for event, err := range a.Run(context.Background(), "s", agent.Text("Read it.")) {
		if err != nil {
			log.Fatal(err)
		}
		switch event.Kind {
		case session.Requested:
			fmt.Println("request changed by:", event.Request.ChangedBy)
		case session.Result:
			fmt.Println("result:", event.Message.Results()[0].Text.String())
		}
	}
	fmt.Println(h.events > 5)
	// Output:
	// house wrote: Keep quiet.
	// request changed by: [house]
	// result: not run: blocked by house: we are quiet here
	// request changed by: [house]
	// true
}

// A turn ends when it costs too much, or when it gets nowhere.
func ExampleLimits() {
	script, err := scripted.Parse([]byte(`turns: [{calls: [{tool: upper, args: {text: again}}]}]`), "script.yaml")
	if err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{Model: scripted.New(*script), ModelName: "m", Tools: []tool.Tool{upper{}},
		Limits: agent.Limits{Steps: 30, Tokens: 100_000, Repeats: 3}})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range a.Run(context.Background(), "s", agent.Text("Go.")) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Kind == session.Stopped {
			fmt.Printf("%s: %s\n", event.Stop.Reason, event.Stop.Message)
		}
	}
	// Output: loop: the model made the same calls with the same results, up to 3 times: upper {"text":"again"}
}

// What holds for one turn: a variable and an option.
func ExampleInput() {
	a, err := agent.New(agent.Config{Model: scripted.New(scripted.Script{}), ModelName: "m", System: "Be brief."})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := a.Registry().Global().Section(prompt.SectionDef{Name: "guest", Order: 200,
		Body: prompt.Body{Literal: "The guest is {{guest}}.", Template: true}}); err != nil {
		log.Fatal(err)
	}
	p, err := a.Preview(context.Background(), "s", agent.Input{Text: "Hello.",
		Vars: map[string]string{"guest": "Ada"}, Options: wire.Options{MaxOutputTokens: 50}})
	if err != nil {
		log.Fatal(err)
	}
	var body struct {
		Limit    int `json:"max_completion_tokens"`
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(p.Body.JSON, &body); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q %d\n", body.Messages[0].Content, body.Limit)
	// Output: "Be brief.\n\nThe guest is Ada." 50
}
