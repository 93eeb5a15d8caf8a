package agent_test

import (
	"context"
	"fmt"
	"log"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
)

// A set of tools grows between two turns. The block of tools follows, and the
// run says what that costs.
func ExampleAgent_AddSet() {
	script, err := scripted.Parse([]byte("turns: [{text: Hello.}]"), "script.yaml")
	if err != nil {
		log.Fatal(err)
	}
	tickets := tool.NewSet("tickets", lookup("find_ticket"))
	tickets.Instruct("Find a ticket before you close it.")
	a, err := agent.New(agent.Config{Model: scripted.New(*script), ModelName: "qwen3", Sets: []tool.Set{tickets}})
	if err != nil {
		log.Fatal(err)
	}
	ask := func(text string) {
		for e, err := range a.Run(context.Background(), "session-1", agent.Text(text)) {
			if err != nil {
				log.Fatal(err)
			}
			switch e.Kind {
			case session.Context:
				fmt.Println(e.Message.Text())
			case session.Diagnostic:
				fmt.Println(e.Diagnostic)
			}
		}
	}
	ask("Hello")
	tickets.Add(lookup("close_ticket"))
	ask("Hello again")
	// Output:
	// warning cache.break: cause=tools.added(tickets/close_ticket) tokens=169 (estimated): the tools changed; what stands behind the first change is read anew
	// [context: tool-changes]
	// Since this session began, the tools have changed.
	// The tool close_ticket of the set tickets joined and can be used.
}

func lookup(name string) tool.Tool {
	type query struct {
		ID string `json:"id"`
	}
	return tool.Must(tool.New(name, "Does "+name+".", func(_ context.Context, q query) (tool.Result, error) { return tool.Text(q.ID), nil }))
}
