package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/todo"
)

// planning is the configuration of an agent that plans and keeps a list.
func planning(model provider.Model) agent.Config {
	return agent.Config{
		Model: model, ModelName: "gpt-5",
		Tools: append(plan.New(), todo.New(todo.Config{Every: 10})),
	}
}

// As long as plan mode is on, each request ends with a reminder.
func ExampleAgent_SetPlan() {
	ctx := context.Background()
	a, err := agent.New(planning(scripted.New(scripted.Script{Turns: []scripted.Turn{{Text: "ok"}}})))
	if err != nil {
		log.Fatal(err)
	}
	for _, on := range []bool{true, false} {
		if _, err := a.SetPlan(ctx, "s", on); err != nil {
			log.Fatal(err)
		}
		p, err := a.Preview(ctx, "s", agent.Text("Rename the package."))
		if err != nil {
			log.Fatal(err)
		}
		last := p.Request.Messages[len(p.Request.Messages)-1]
		fmt.Printf("%q %.20s\n", last.Name, last.Text())
	}
	// Output:
	// "reminder" Plan mode is on. Loo
	// "" Rename the package.
}

// tally is a tool that counts its calls in a session.
func tally() (tool.Tool, error) {
	return tool.Make(tool.Def[struct{}]{
		Name: "tally", Description: "Counts its calls.",
		Call: func(ctx context.Context, _ struct{}) (tool.Result, error) {
			n := 0
			if kept := tool.StateOf(ctx, "tally"); kept.Value != nil {
				if err := json.Unmarshal(kept.Value, &n); err != nil {
					return tool.Result{}, err
				}
			}
			state, err := tool.NewState("tally", n+1)
			result := tool.Text(fmt.Sprint("call ", n+1))
			result.State = []tool.State{state}
			return result, err
		},
		Effect: func(context.Context, struct{}) tool.Effect { return tool.Effect{ReadOnly: true, Keeps: true} },
	})
}

func ExampleConfig_state() {
	counter, err := tally()
	if err != nil {
		log.Fatal(err)
	}
	model := scripted.New(scripted.Script{Turns: []scripted.Turn{{Calls: []scripted.Call{{Tool: "tally"}, {Tool: "tally"}}}, {Text: "ok"}}})
	a, err := agent.New(agent.Config{Model: model, ModelName: "m", Tools: []tool.Tool{counter}})
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range a.Run(context.Background(), "s", agent.Text("Count.")) {
		if err != nil {
			log.Fatal(err)
		}
		if e.State != nil {
			fmt.Println(e.State.Name, string(e.State.Value))
		}
	}
	// Output:
	// tally 1
	// tally 2
}
