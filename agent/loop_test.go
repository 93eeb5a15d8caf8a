package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

func callOf(name, args string) *chat.ToolCall {
	return &chat.ToolCall{Name: name, Args: json.RawMessage(args)}
}

// repeating is a model that calls what f says at each request, from 0; "" ends.
func repeating(t *testing.T, f func(n int) []wire.Event) fixedModel {
	n := -1
	return fixedModel{Model: script(t, "turns: [{text: x}]"), events: func(context.Context) []wire.Event {
		n++
		return f(n)
	}}
}

func TestLoopBreaker(t *testing.T) {
	one := func(name, args string) []wire.Event { return []wire.Event{call(name, args)} }
	for _, tt := range []struct {
		name   string
		limit  int
		calls  func(n int) []wire.Event
		reason string
		steps  int
		says   []string
	}{
		{"the same call, written in two ways", 0, func(n int) []wire.Event {
			return one("same", []string{`{"a":1,"b":2}`, `{ "b": 2, "a": 1 }`}[n%2])
		}, agent.StopLoop, 5, []string{`same {"a":1,"b":2}`, "5 times"}},
		{"ping-pong", 0, func(n int) []wire.Event { return one([]string{"x", "y"}[n%2], `{}`) }, agent.StopLoop, 10, []string{"x {}", "y {}"}},
		{"both in one answer", 3, func(int) []wire.Event {
			a, b := call("x", "{}"), call("y", "{}")
			b.Index = 1
			return []wire.Event{a, b}
		}, agent.StopLoop, 3, []string{"x {}; y {}"}},
		{"a tool there is not", 0, func(int) []wire.Event { return one("none", "{}") }, agent.StopLoop, 5, []string{"none {}"}},
		{"another limit", 2, func(int) []wire.Event { return one("x", "{}") }, agent.StopLoop, 2, nil},
		{"off", -1, func(int) []wire.Event { return one("x", "{}") }, agent.StopSteps, 20, nil},
		{"other arguments", 0, func(n int) []wire.Event { return one("x", fmt.Sprintf(`{"n":%d}`, n)) }, agent.StopSteps, 20, nil},
		{"other results", 0, func(int) []wire.Event { return one("count", `{}`) }, agent.StopSteps, 20, nil},
		{"a test after each edit", 0, func(n int) []wire.Event {
			if n%2 == 0 {
				return one("x", `{"run":"tests"}`)
			}
			return one("y", fmt.Sprintf(`{"edit":%d}`, n))
		}, agent.StopSteps, 20, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 0
			count := &fake{name: "count", call: func(context.Context, json.RawMessage) (tool.Result, error) {
				n++
				return tool.Text(fmt.Sprint(n)), nil
			}}
			same := &fake{name: "same", call: func(context.Context, json.RawMessage) (tool.Result, error) { return tool.Text("as before"), nil }}
			a := newAgent(t, agent.Config{Model: repeating(t, tt.calls), Tools: []tool.Tool{same, &fake{name: "x"}, &fake{name: "y"}, count},
				Limits: agent.Limits{Steps: 20, Repeats: tt.limit}})
			events := turn(t, a, "s", "go")
			end := stop(t, events)
			diff(t, "reason", end.Stop.Reason, tt.reason)
			diff(t, "requests", strings.Count(kinds(events), "request"), tt.steps)
			for _, w := range tt.says {
				if !strings.Contains(end.Stop.Message, w) {
					t.Errorf("the message lacks %q: %s", w, end.Stop.Message)
				}
			}
			open := 0
			for _, e := range events {
				if e.Kind == session.Answer {
					open += len(e.Message.Calls())
				}
			}
			diff(t, "results", len(results(events)), open)
		})
	}
}

// The next turn counts anew.
func TestLoopInTheNextTurn(t *testing.T) {
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{calls: [{tool: x}]}]"), Tools: []tool.Tool{&fake{name: "x"}}})
	for range 2 {
		events := turn(t, a, "s", "go")
		diff(t, "reason", stop(t, events).Stop.Reason, agent.StopLoop)
		diff(t, "calls", strings.Count(kinds(events), "tool.call"), agent.DefaultRepeats)
	}
}

// Long arguments are shortened between runes where a person reads them.
func TestLoopWithLongArguments(t *testing.T) {
	args := `{"text":"` + strings.Repeat("世", 100) + `"}`
	a := newAgent(t, agent.Config{Model: repeating(t, func(int) []wire.Event { return []wire.Event{call("x", args)} }), Tools: []tool.Tool{&fake{name: "x"}}})
	says := stop(t, turn(t, a, "s", "go")).Stop.Message
	if len(says) > 250 || !utf8.ValidString(says) || !strings.HasSuffix(says, "世…") {
		t.Errorf("got %q", says)
	}
}
