package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// Whatever a call does, the model gets one result for it and may go on.
func TestToolOutcomes(t *testing.T) {
	tools := func() []*fake {
		return []*fake{
			{name: "fine"},
			{name: "fails", call: func(context.Context, json.RawMessage) (tool.Result, error) {
				return tool.Result{}, errors.New("no such table")
			}},
			{name: "refuses", call: func(context.Context, json.RawMessage) (tool.Result, error) { return tool.Errorf("not today"), nil }},
			{name: "panics", call: func(context.Context, json.RawMessage) (tool.Result, error) { panic("oops") }},
			{name: "dirty", call: func(context.Context, json.RawMessage) (tool.Result, error) { return tool.Text("a\xffb"), nil }},
			{name: "empty", call: func(context.Context, json.RawMessage) (tool.Result, error) { return tool.Result{}, nil }},
			{name: "times out", call: func(context.Context, json.RawMessage) (tool.Result, error) {
				return tool.Result{}, fmt.Errorf("query: %w", context.DeadlineExceeded)
			}},
			{name: "hidden"},
		}
	}
	tests := []struct {
		name, call string
		want       string
		runs       int
	}{
		{"fine", "{tool: fine, args: {a: 1}, id: c}", `c: fine {"a":1}`, 1},
		{"without arguments", "{tool: fine, id: c}", `c: fine {}`, 1},
		{"error", "{tool: fails, id: c}", "!c: no such table", 1},
		{"error result", "{tool: refuses, id: c}", "!c: not today", 1},
		{"panic", "{tool: panics, id: c}", "!c: the tool panics panicked: oops", 1},
		{"invalid UTF-8", "{tool: dirty, id: c}", "c: a\uFFFDb", 1},
		{"no text", "{tool: empty, id: c}", "c: ", 1},
		{"a deadline of its own", "{tool: times out, id: c}", "!c: query: context deadline exceeded", 1},
		{"unknown", "{tool: nobody, id: c}", `!c: there is no tool "nobody"; the tools are: dirty, empty, fails, fine, hidden, panics, refuses, times out`, 0},
		{"hidden", "{tool: hidden, id: c}", `!c: the tool "hidden" is not available in this step`, 0},
		{"not JSON", `{tool: fine, raw: '{"a":', id: c}`, "!c: not run: the arguments are not a complete JSON object (arguments: json at offset 5: unexpected end); call the tool again", 0},
		{"not an object", `{tool: fine, raw: '[1]', id: c}`, "", 0},
		{"two objects", `{tool: fine, raw: '{}{}', id: c}`, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fakes := tools()
			store := &memory.Store{}
			p := standard.New(*hiding("hidden"))
			cfg := agent.Config{Model: script(t, "turns: [{calls: ["+tt.call+"]}, {text: done}]"), Preset: &p, Store: store}
			for _, f := range fakes {
				cfg.Tools = append(cfg.Tools, f)
			}
			events := turn(t, newAgent(t, cfg), "s", "go")
			got := results(events)
			if tt.want == "" {
				if len(got) != 1 || !strings.HasPrefix(got[0], "!c: not run: ") {
					t.Errorf("got %v", got)
				}
			} else {
				diff(t, "results", got, []string{tt.want})
			}
			ran := 0
			for _, f := range fakes {
				ran += int(f.ran.Load())
			}
			diff(t, "runs", ran, tt.runs)
			diff(t, "call events", strings.Count(kinds(events), "tool.call"), tt.runs)
			diff(t, "reason", stop(t, events).Stop.Reason, "end")
			readLog(t, store, "s")
		})
	}
}

// What a tool returns is trusted like a tool, never a template.
func TestResultsAreStrangers(t *testing.T) {
	from := &span.Origin{Path: "/x", Trust: span.Project}
	f := &fake{name: "x", call: func(context.Context, json.RawMessage) (tool.Result, error) {
		return tool.Result{Text: span.Text{{Text: "{{a}}", Template: true}, {Text: "b", From: from, Off: 4}}}, nil
	}}
	events := turn(t, newAgent(t, agent.Config{Model: script(t, "turns: [{calls: [{tool: x}]}, {text: ok}]"), Tools: []tool.Tool{f}}), "s", "go")
	for _, e := range events {
		if e.Kind == session.Result {
			text := e.Message.Results()[0].Text
			diff(t, "own", *text[0].From, span.Origin{Section: "x", Source: "tool", Trust: span.Tool})
			if text[0].Template || text[1].From != from || text[1].Off != 4 {
				t.Errorf("got %+v", text)
			}
		}
	}
}

// The calls of an answer can be told apart, whatever ids the model gives.
func TestCallIDs(t *testing.T) {
	call := func(id string) wire.Event {
		return wire.Event{Kind: wire.CallEnd, Call: &chat.ToolCall{ID: id, Name: "x", Args: []byte("{}")}}
	}
	for _, ids := range [][]string{{"a", "b"}, {"a", "a", "a"}, {"", "", ""}, {"call-1-1-2", "", "call-1-1-3", ""}, {"call-1-1-2", "call-1-1-2", "call-1-1-3"}} {
		n := 0
		f, store := &fake{name: "x"}, &memory.Store{}
		model := fixedModel{Model: script(t, "turns: [{text: x}]"), events: func(context.Context) []wire.Event {
			if n++; n > 1 {
				return []wire.Event{{Kind: wire.TextDelta, Text: "done"}, {Kind: wire.Stop, Stop: wire.StopEnd}}
			}
			var out []wire.Event
			for _, id := range ids {
				out = append(out, call(id))
			}
			return out
		}}
		events := turn(t, newAgent(t, agent.Config{Model: model, Tools: []tool.Tool{f}, Store: store}), "s", "go")
		seen := map[string]bool{}
		for _, r := range results(events) {
			id, _, _ := strings.Cut(r, ":")
			if seen[id] || id == "" {
				t.Errorf("%q: the id %q stands twice or is empty", ids, id)
			}
			seen[id] = true
		}
		if int(f.ran.Load()) != len(ids) || len(seen) != len(ids) {
			t.Errorf("%q: %d runs, results %v", ids, int(f.ran.Load()), results(events))
		}
		readLog(t, store, "s")
	}
}

// Cancelled while a tool runs: every call has exactly one result, the turn is
// over, and the session can go on.
func TestCancelInATool(t *testing.T) {
	for _, obeys := range []bool{true, false} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		slow := &fake{name: "slow", call: func(ctx context.Context, _ json.RawMessage) (tool.Result, error) {
			cancel()
			if obeys {
				return tool.Result{}, ctx.Err()
			}
			return tool.Text("finished all the same"), nil
		}}
		other, store := &fake{name: "other"}, &memory.Store{}
		model := &recorder{Model: script(t, "turns: [{calls: [{tool: slow, id: c1}, {tool: other, id: c2}, {tool: other, id: c3}]}, {text: fine}]")}
		a := newAgent(t, agent.Config{Model: model, Tools: []tool.Tool{slow, other}, Store: store})
		events, err := run(ctx, a, "s", "go")
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v", err)
		}
		first := "!c1: interrupted: the turn was cancelled while the tool ran; its outcome is unknown"
		if !obeys {
			first = "c1: finished all the same"
		}
		diff(t, "results", results(events), []string{first,
			"!c2: not run: the turn was cancelled before this call", "!c3: not run: the turn was cancelled before this call"})
		diff(t, "reason", stop(t, events).Stop.Reason, agent.StopCancelled)
		diff(t, "runs of the other", int(other.ran.Load()), 0)
		readLog(t, store, "s")
		diff(t, "afterwards", stop(t, turn(t, a, "s", "again")).Stop.Reason, "end")
		if !strings.Contains(model.last(), "not run: the turn was cancelled") {
			t.Errorf("the model is not told: %s", model.last())
		}
	}
}

// Cancelled while the answer comes in: the input stays, no half answer is kept.
func TestCancelInTheStream(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	store := &memory.Store{}
	model := fixedModel{Model: script(t, "turns: [{text: x}]"), events: func(context.Context) []wire.Event {
		return []wire.Event{{Kind: wire.TextDelta, Text: "half"}, {Kind: wire.TextDelta, Text: " an answer"}}
	}}
	a := newAgent(t, agent.Config{Model: model, Store: store})
	var events []session.Event
	var last error
	for e, err := range a.Run(ctx, "s", agent.Text("the question")) {
		if last = err; err != nil {
			break
		}
		events = append(events, e)
		if e.Kind == session.DeltaText {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v", last)
	}
	diff(t, "events", kinds(events), "session.start input prefix request stop")
	diff(t, "reason", stop(t, events).Stop.Reason, agent.StopCancelled)
	readLog(t, store, "s")
	p, err := a.Preview(t.Context(), "s", agent.Text("again"))
	if err != nil || !strings.Contains(string(p.Body.JSON), "the question") {
		t.Errorf("%v: the input is gone: %s", err, p.Body.JSON)
	}
}

// The caller may go away at every event; what happened is recorded, and the next
// turn goes on.
func TestCallerBreaksOff(t *testing.T) {
	for n := 1; ; n++ {
		f, store := &fake{name: "x"}, &memory.Store{}
		a := newAgent(t, agent.Config{Model: script(t, "turns: [{text: one two, calls: [{tool: x}, {tool: x}]}, {text: done}]"), Tools: []tool.Tool{f}, Store: store})
		seen := 0
		var last session.Event
		for e, err := range a.Run(t.Context(), "s", agent.Text("go")) {
			if err != nil {
				t.Fatal(err)
			}
			last = e
			if seen++; seen == n {
				break
			}
		}
		if seen < n {
			break
		}
		events := readLog(t, store, "s")
		if int(f.ran.Load()) != strings.Count(kinds(events), "tool.call") {
			t.Errorf("broken off at %d: %d runs, events %s", n, int(f.ran.Load()), kinds(events))
		}
		want := agent.StopCancelled
		if last.Step == 2 && (last.Kind == session.Answer || last.Kind == session.Stopped) { // there was nothing left to do
			want = "end"
		}
		diff(t, fmt.Sprintf("reason after a break at %s of step %d", last.Kind, last.Step), stop(t, events).Stop.Reason, want)
		turn(t, a, "s", "again")
		readLog(t, store, "s")
	}
}
