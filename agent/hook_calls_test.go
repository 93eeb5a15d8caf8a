package agent_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
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

const oneCall = `turns: [{calls: [{tool: x, args: {n: 1}, id: c1}]}, {text: done}]`

// Allow, block, modify, redirect; what a hook makes of a call is checked again.
func TestCallHook(t *testing.T) {
	for _, tt := range []struct {
		name   string
		f      func(chat.ToolCall) (chat.ToolCall, error)
		result string
		ran    string // the tool, with the stage that the call event names
	}{
		{"allow", func(c chat.ToolCall) (chat.ToolCall, error) { return c, nil }, `c1: x {"n":1}`, "x by "},
		{"block", func(c chat.ToolCall) (chat.ToolCall, error) { return c, agent.Blocked("not on Sundays") }, "!c1: not run: blocked by h: not on Sundays", ""},
		{"block without a word", func(c chat.ToolCall) (chat.ToolCall, error) { return c, fmt.Errorf("so: %w", agent.Blocked("")) }, "!c1: not run: blocked by h: no reason is given", ""},
		{"modify", func(c chat.ToolCall) (chat.ToolCall, error) {
			copy(c.Args, `{"n":2}`) // a copy
			c.ID = "forged"
			return c, nil
		}, `c1: x {"n":2}`, "x by h"},
		{"redirect", func(c chat.ToolCall) (chat.ToolCall, error) { c.Name = "y"; return c, nil }, `c1: y {"n":1}`, "y by h"},
		{"redirect to what the model does not see", func(c chat.ToolCall) (chat.ToolCall, error) { c.Name = "hidden"; return c, nil }, `c1: hidden {"n":1}`, "hidden by h"},
		{"redirect to nothing", func(c chat.ToolCall) (chat.ToolCall, error) { c.Name = "z"; return c, nil }, `!c1: not run: the hook h asks for the tool "z", which there is not`, ""},
		{"broken arguments", func(c chat.ToolCall) (chat.ToolCall, error) { c.Args = []byte(`{"n":`); return c, nil }, "!c1: not run: the arguments that the hook h gave it", ""},
		{"no arguments", func(c chat.ToolCall) (chat.ToolCall, error) { return chat.ToolCall{Name: "x"}, nil }, "!c1: not run: the arguments that the hook h gave it", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store, model := &memory.Store{}, &recorder{Model: script(t, oneCall)}
			pr := standard.New(*hiding("hidden"))
			a := newAgent(t, agent.Config{Model: model, Store: store, Preset: &pr, Hooks: []agent.Hook{onCall{"h", tt.f}},
				Tools: []tool.Tool{&fake{name: "x"}, &fake{name: "y"}, &fake{name: "hidden"}}})
			events := turn(t, a, "s", "go")
			if r := results(events); len(r) != 1 || !strings.HasPrefix(r[0], tt.result) {
				t.Errorf("got %q, want %q", r, tt.result)
			}
			ran := ""
			for _, e := range events {
				if e.Kind == session.Call {
					ran = e.Call.Name + " by " + e.Call.From.Stage
				}
				if e.Kind == session.Answer && len(e.Message.Calls()) > 0 && string(e.Message.Calls()[0].Args) != `{"n":1}` {
					t.Errorf("the answer was changed: %s", e.Message.Calls()[0].Args)
				}
				if e.Kind == session.Result && strings.Contains(tt.result, "by h:") {
					diff(t, "stage", e.Message.Results()[0].Text.At(0).From.Stage, "h")
				}
			}
			diff(t, "ran", ran, tt.ran)
			readLog(t, store, "s")
		})
	}
}

// A call that a hook made one that changes something runs by itself.
func TestRedirectToAWriter(t *testing.T) {
	var order []string
	writer := &fake{name: "write"}
	look := &effectful{effect: tool.Effect{ReadOnly: true}, fake: fake{name: "look"}}
	a := newAgent(t, agent.Config{Tools: []tool.Tool{look, writer}, Model: script(t,
		"turns:\n  - calls: [{tool: look, args: {n: 1}}, {tool: look, args: {n: 2}}, {tool: look, args: {n: 3}}]\n  - text: done\n"),
		Hooks: []agent.Hook{onCall{"h", func(c chat.ToolCall) (chat.ToolCall, error) {
			if strings.Contains(string(c.Args), "2") {
				c.Name = "write"
			}
			return c, nil
		}}}})
	for _, e := range turn(t, a, "s", "go") {
		switch e.Kind {
		case session.Call:
			order = append(order, e.Call.Name)
		case session.Result:
			order = append(order, "result")
		}
	}
	diff(t, "order", strings.Join(order, " "), "look result write result look result")
}

// Results: replaced, withheld, and touched in a copy only. The first hook of the
// list has the last word.
func TestResultHook(t *testing.T) {
	add := func(name, text string) agent.Hook {
		return onResult{named(name), func(_ chat.ToolCall, r tool.Result) (tool.Result, error) {
			r.Text = append(r.Text, span.Span{Text: text})
			return r, nil
		}}
	}
	for _, tt := range []struct {
		name  string
		hooks []agent.Hook
		want  string
		stage string // of the last span
	}{
		{"order", []agent.Hook{add("a", " A"), add("b", " B")}, `c1: x {"n":1} B A`, "a"},
		{"block", []agent.Hook{onResult{"h", func(chat.ToolCall, tool.Result) (tool.Result, error) {
			return tool.Result{}, agent.Blocked("it holds a key")
		}}}, "!c1: the tool ran; its result is withheld by h: it holds a key", "h"},
		{"replace", []agent.Hook{onResult{"h", func(c chat.ToolCall, r tool.Result) (tool.Result, error) {
			r.Text[0].Text = "gone" // of a copy
			return tool.Text("*** " + c.Name), nil
		}}}, "c1: *** x", "h"},
		{"copy", []agent.Hook{onResult{"h", func(_ chat.ToolCall, r tool.Result) (tool.Result, error) {
			same := r
			same.Text = append(span.Text(nil), r.Text...)
			r.Text[0].Text = "gone"
			return same, nil
		}}}, `c1: x {"n":1}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := newAgent(t, agent.Config{Model: script(t, oneCall), Tools: []tool.Tool{&fake{name: "x"}}, Hooks: tt.hooks})
			events := turn(t, a, "s", "go")
			diff(t, "results", results(events), []string{tt.want})
			for _, e := range events {
				if e.Kind == session.Result {
					text := e.Message.Results()[0].Text
					diff(t, "stage", text[len(text)-1].From.Stage, tt.stage)
					diff(t, "trusted like a tool", text[len(text)-1].From.Trust >= span.Tool, true)
				}
			}
		})
	}
}

// A hook around the calls that lets none through: each has a result.
func TestCallsHookStops(t *testing.T) {
	x, store := &fake{name: "x"}, &memory.Store{}
	a := newAgent(t, agent.Config{Model: script(t, oneCall), Store: store, Tools: []tool.Tool{x}, Hooks: []agent.Hook{
		onCalls{"plan", func(_ context.Context, calls []chat.ToolCall, _ func(context.Context) error) error {
			calls[0].Name = "changed in a copy"
			return nil
		}}}})
	diff(t, "results", results(turn(t, a, "s", "go")), []string{"!c1: not run: the hook plan let no call through"})
	diff(t, "runs", x.ran.Load(), int32(0))
	readLog(t, store, "s")
}

// A hook around the model may rewrite the answer, ask again, or answer itself.
func TestModelHook(t *testing.T) {
	type next = func(context.Context) iter.Seq2[wire.Event, error]
	type seq = iter.Seq2[wire.Event, error]
	for _, tt := range []struct {
		name  string
		f     func(context.Context, wire.Body, next) seq
		text  string
		stage string
		sent  int
	}{
		{"pass", func(ctx context.Context, b wire.Body, n next) seq { clear(b.JSON); return n(ctx) }, "the answer", "", 1},
		{"rewrite", func(ctx context.Context, _ wire.Body, n next) seq {
			return func(yield func(wire.Event, error) bool) {
				for e, err := range n(ctx) {
					e.Text = strings.ToUpper(e.Text)
					if !yield(e, err) {
						return
					}
				}
			}
		}, "THE ANSWER", "h", 1},
		{"answer itself", func(context.Context, wire.Body, next) seq {
			return func(yield func(wire.Event, error) bool) {
				_ = yield(wire.Event{Kind: wire.TextDelta, Text: "from memory"}, nil) && yield(wire.Event{Kind: wire.Stop, Stop: wire.StopEnd}, nil)
			}
		}, "from memory", "h", 0},
		{"ask again", func(ctx context.Context, _ wire.Body, n next) seq {
			for range n(ctx) {
			}
			return n(ctx)
		}, "the answer", "h", 2},
		{"lose everything", func(context.Context, wire.Body, next) seq {
			return func(yield func(wire.Event, error) bool) {
				_ = yield(wire.Event{Kind: wire.CallEnd}, nil) && yield(wire.Event{Kind: wire.OpaqueItem}, nil) && yield(wire.Event{Kind: wire.UsageReport}, nil)
			}
		}, "", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			model := &recorder{Model: script(t, "turns: [{text: the answer}]")}
			a := newAgent(t, agent.Config{Model: model, Hooks: []agent.Hook{onModel{"h", tt.f}}})
			for _, e := range turn(t, a, "s", "go") {
				if e.Kind != session.Answer {
					continue
				}
				text := e.Message.Text()
				diff(t, "text", text.String(), tt.text)
				if len(text) > 0 {
					diff(t, "stage", text[0].From.Stage, tt.stage)
				}
			}
			diff(t, "requests", len(model.bodies), tt.sent)
		})
	}
}

// An error of the model is not a hook's: the fallback is asked as ever.
func TestModelHookAndFallback(t *testing.T) {
	busy := script(t, `turns: [{error: {status: 529, code: overloaded_error, message: "busy"}}]`)
	seen := 0
	a := newAgent(t, agent.Config{Model: busy, Fallback: []agent.Alternative{{Model: script(t, "turns: [{text: spare}]"), Name: "spare"}}, Hooks: []agent.Hook{
		onModel{"h", func(ctx context.Context, _ wire.Body, n func(context.Context) iter.Seq2[wire.Event, error]) iter.Seq2[wire.Event, error] {
			seen++
			return n(ctx)
		}}}})
	turn(t, a, "s", "go")
	diff(t, "calls", seen, 2)
	var own *agent.HookError
	b := newAgent(t, agent.Config{Model: busy, Hooks: []agent.Hook{everywhere{named: "h", log: &trail{}}}})
	if _, err := run(t.Context(), b, "s", "go"); err == nil || errors.As(err, &own) {
		t.Errorf("got %v", err)
	}
}
