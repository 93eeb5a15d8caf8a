// Command ai4j reads an agent's blueprint and runs it under the preset of that
// name: two fields that travel apart, a runtime text in the first, a history that is
// shortened for the request, and tools that are hidden by rules.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

const blueprint = `
version: ai4j.agent/v1
id: tea
model: {provider: scripted, model: demo}
instructions:
  system: You serve tea.
  developer: Answer in one sentence.
workflow: {mode: react, maxTurns: 8}
session: {memory: {enabled: true}}
`

func main() {
	b, err := ai4j.LoadBlueprint([]byte(blueprint))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("for you to carry over:", b.Ignored)
	preset := ai4j.New(ai4j.Config{
		Projection: ai4j.Projection{MaxMessages: 6, RecentResults: 1},
		Visibility: []stage.VisibilityRule{{Name: "guests", Tool: "order_*"}},
	})
	call := func(tea string) scripted.Turn {
		return scripted.Turn{Calls: []scripted.Call{{Tool: "price", Args: scripted.Args(`{"tea":"` + tea + `"}`), ID: tea}}}
	}
	a, err := agent.New(agent.Config{
		Model:     scripted.New(scripted.Script{Turns: []scripted.Turn{call("white"), call("green"), {Text: "White is 42, green 38."}}}),
		ModelName: b.Model, Preset: &preset, System: b.System, Instructions: b.Instructions, Limits: agent.Limits{Steps: b.MaxSteps},
		Tools: []tool.Tool{newTool("price", "42 or 38, ask the cook"), newTool("order_leaves", "ordered")},
		Hooks: []agent.Hook{printer{}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range a.Run(context.Background(), "s1", agent.Text("Prices?")) {
		if err != nil {
			log.Fatal(err)
		}
		if e.Kind == session.Requested && e.Step == 1 { // the trace says what was sent, and which part is the runtime's
			t := e.Request.Trace
			fmt.Printf("system: %q\nruntime: %q\ninstructions: %q\n", t.System, t.System[t.Runtime.Lo:t.Runtime.Hi], t.Instructions)
		}
		fmt.Print(e.Delta)
	}
	fmt.Println()
}

// A printer is a request hook: it sees what will be sent.
type printer struct{}

func (printer) Name() string { return "printer" }

func (printer) EditRequest(_ context.Context, at agent.At, r wire.Request) (wire.Request, error) {
	fmt.Printf("step %d: %d tool, %d messages\n", at.Step, len(r.Tools), len(r.Messages))
	for _, m := range r.Messages {
		for _, result := range m.Results() {
			fmt.Println("  result:", result.Text)
		}
	}
	return r, nil
}

type input struct {
	Tea string `json:"tea"`
}

func newTool(name, answer string) tool.Tool {
	return tool.Must(tool.Make(tool.Def[input]{Name: name, Description: "Tells the " + name + ".",
		Call: func(context.Context, input) (tool.Result, error) { return tool.Text(answer), nil }}))
}
