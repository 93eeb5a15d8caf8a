package agent_test

import (
	"context"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
)

// A tool of a set asks a person; the answer comes in another process, where the
// set is as it was, has changed or is gone.
func TestSetPause(t *testing.T) {
	asking := func(description string) tool.Tool {
		return tool.Must(tool.Make(tool.Def[struct{}]{Name: "a", Description: description,
			Call: func(context.Context, struct{}) (tool.Result, error) {
				return tool.Result{}, &tool.Pending{Question: "which?"}
			},
			Answer: func(_ context.Context, _ struct{}, s string) (tool.Result, error) {
				return tool.Text("answered " + s), nil
			}}))
	}
	for _, tt := range []struct {
		name    string
		policy  agent.ToolChanges
		after   []tool.Tool
		trusted bool
		want    string
	}{
		{"as it was", agent.LiveTools, []tool.Tool{asking("1")}, false, "answered this"},
		{"as it was, frozen", agent.FrozenTools, []tool.Tool{asking("1"), says("b", "")}, false, "answered this"},
		{"changed", agent.LiveTools, []tool.Tool{asking("2")}, false, "!not run: the tool a of the set S changed its description within the session and is held back until a new one"},
		{"changed and trusted", agent.LiveTools, []tool.Tool{asking("2")}, true, "!not run: the tool a is not available as it was shown to you"},
		{"gone", agent.LiveTools, []tool.Tool{says("b", "")}, false, "!not run: the tool a was removed from the set S; it cannot be called any more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, store := calling(t, 1, "a"), &memory.Store{}
			cfg := agent.Config{Model: m, Sets: []tool.Set{tool.NewSet("S", asking("1"))}, Store: store, ToolChanges: tt.policy}
			a := newAgent(t, cfg)
			turn(t, a, "s", "go")
			questions := asked(t, a, "s")
			if len(questions) != 1 || questions[0].Text != "which?" {
				t.Fatalf("asked %v", questions)
			}
			cfg.Sets = []tool.Set{tool.NewSet("S", tt.after...)}
			if tt.trusted {
				cfg.Sets[0] = tool.Trusted(cfg.Sets[0])
			}
			events := answer(t, newAgent(t, cfg), "s", session.Reply{Call: questions[0].Call, Text: "this"})
			diff(t, "results", outcomes(events), []string{tt.want})
			diff(t, "stop", stop(t, events).Stop.Reason, "end")
			readLog(t, store, "s")
		})
	}
}
