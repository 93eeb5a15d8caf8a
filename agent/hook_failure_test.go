package agent_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire/openaichat"
)

// An error or panic of a hook at any point ends the turn with the hook's name.
// Calls keep their results, the log can be read, and the session goes on.
func TestHookFailures(t *testing.T) {
	for _, point := range []string{"turn", "after turn", "input", "step", "after step", "prompt", "request", "model", "after model",
		"calls", "after calls", "call", "result"} {
		for _, panics := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, panic %t", point, panics), func(t *testing.T) {
				store, log := &memory.Store{}, &trail{}
				cfg := agent.Config{Model: script(t, "turns: [{text: I look, calls: [{tool: x}, {tool: x}]}, {text: done}]"), Store: store, System: "Base.",
					Tools: []tool.Tool{&fake{name: "x"}}}
				cfg.Hooks = []agent.Hook{everywhere{named: "outer", log: log}, everywhere{named: "bad", log: log, fails: point, panic: panics}, everywhere{named: "inner", log: log}}
				a := newAgent(t, cfg)
				_, err := run(t.Context(), a, "s", "go")
				var own *agent.HookError
				if !errors.As(err, &own) || own.Hook != "bad" || !strings.Contains(err.Error(), "no good") || strings.Count(err.Error(), "hook ") != 1 {
					t.Errorf("got %v", err)
				}
				events := readLog(t, store, "s")
				if point != "turn" && point != "after turn" {
					end := stop(t, events)
					if end.Stop.Reason != agent.StopError || end.Failure != err.Error() {
						t.Errorf("got %+v, %q", end.Stop, end.Failure)
					}
				}
				calls := 0
				for _, e := range events {
					if e.Kind == session.Answer {
						calls += len(e.Message.Calls())
					}
				}
				diff(t, "results", len(results(events)), calls)
				cfg.Hooks = nil
				turn(t, newAgent(t, cfg), "s", "again")
				readLog(t, store, "s")
			})
		}
	}
}

// A result that a failing hook should have looked at is withheld.
func TestFailingResultHookWithholds(t *testing.T) {
	a := newAgent(t, agent.Config{Model: script(t, oneCall), Tools: []tool.Tool{&fake{name: "x"}},
		Hooks: []agent.Hook{everywhere{named: "bad", log: &trail{}, fails: "result"}}})
	events, err := run(t.Context(), a, "s", "go")
	if err == nil {
		t.Error("no error")
	}
	diff(t, "results", results(events), []string{"!c1: the tool ran; its result is withheld, because the hook bad failed"})
}

// A hook that stands around something calls next once.
func TestNextIsCalledOnce(t *testing.T) {
	for times, want := range map[int]string{0: "let no turn through", 2: "next was called twice"} {
		model := &recorder{Model: script(t, "turns: [{text: ok}]")}
		around := func(what string) func(context.Context, agent.At, func(context.Context) error) error {
			return func(ctx context.Context, _ agent.At, next func(context.Context) error) error {
				for range times {
					if err := next(ctx); err != nil {
						return err
					}
				}
				return nil
			}
		}
		for _, h := range []agent.Hook{onTurn{"h", around("turn")}, onStep{"h", around("step")}} {
			store := &memory.Store{}
			a := newAgent(t, agent.Config{Model: model, Store: store, Hooks: []agent.Hook{h}})
			if _, ok := h.(onStep); ok {
				want = strings.Replace(want, "turn", "step", 1)
			}
			for _, f := range []func() error{
				func() error { _, err := a.Preview(t.Context(), "s", agent.Text("x")); return err },
				func() error { _, err := run(t.Context(), a, "s", "x"); return err },
			} {
				if err := f(); err == nil || !strings.Contains(err.Error(), "hook h: ") || !strings.Contains(err.Error(), want) {
					t.Errorf("%d times, %T: got %v", times, h, err)
				}
			}
			readLog(t, store, "s")
		}
		if times == 2 {
			diff(t, "requests", len(model.bodies), 2)
		}
	}
}

// An error of the turn stays one, whatever a hook makes of it.
func TestHookSwallowsAnError(t *testing.T) {
	a := newAgent(t, agent.Config{Model: script(t, `turns: [{error: {status: 400, message: "bad"}}]`), Hooks: []agent.Hook{
		onTurn{"deaf", func(ctx context.Context, _ agent.At, next func(context.Context) error) error {
			_ = next(ctx)
			return nil
		}}}})
	if _, err := run(t.Context(), a, "s", "x"); err == nil || !strings.Contains(err.Error(), "bad") {
		t.Errorf("got %v", err)
	}
}

// Observers get copies and break nothing; one that panics is reported once.
func TestObservers(t *testing.T) {
	seen := 0
	vandal := onEvent{"vandal", func(e session.Event) {
		seen++
		if e.Message != nil {
			e.Message.Name = "gone"
			for i := range e.Message.Parts {
				p := &e.Message.Parts[i]
				for j := range p.Text {
					p.Text[j].Text = "gone"
				}
				if p.Call != nil {
					p.Call.Name = "gone"
					clear(p.Call.Args)
				}
				if p.Result != nil {
					p.Result.Text[0].Text = "gone"
				}
			}
		}
		if e.Stop != nil {
			e.Stop.Reason = "gone"
		}
		if e.Usage != nil {
			*e.Usage.Input = -1
		}
		if e.Request != nil {
			e.Request.Body = "gone"
		}
		if e.Call != nil {
			e.Call.Name = "gone"
		}
	}}
	plain, watched := &memory.Store{}, &memory.Store{}
	cfg := agent.Config{Model: script(t, twoCalls), Store: plain, Tools: []tool.Tool{&fake{name: "x"}}}
	want := turn(t, newAgent(t, cfg), "s", "go")
	cfg.Model, cfg.Store, cfg.Hooks = script(t, twoCalls), watched, []agent.Hook{vandal}
	diff(t, "events", turn(t, newAgent(t, cfg), "s", "go"), want)
	diff(t, "stored", readLog(t, watched, "s"), readLog(t, plain, "s"))
	diff(t, "seen", seen, len(want))

	cfg.Model, cfg.Store = script(t, twoCalls), &memory.Store{}
	cfg.Hooks = []agent.Hook{everywhere{named: "bad", log: &trail{}, fails: "event", panic: true}}
	events := turn(t, newAgent(t, cfg), "s", "go")
	diff(t, "kinds", kinds(events), strings.Replace(kinds(want), "session.start input", "session.start input diagnostic", 1))
	for _, e := range events {
		if e.Kind == session.Diagnostic && (e.Diagnostic.Code != "hook.panic" || !strings.Contains(e.Diagnostic.Message, "hook bad: panic: no good") || e.Diagnostic.Severity != prompt.Warning) {
			t.Errorf("got %+v", e.Diagnostic)
		}
	}
	readLog(t, cfg.Store, "s")
}

// A panic of whoever receives the events is not a hook's.
func TestCallersPanic(t *testing.T) {
	for _, kind := range []session.Kind{session.Input, session.DeltaText, session.Result, session.Stopped} {
		a := newAgent(t, agent.Config{Model: script(t, twoCalls), Tools: []tool.Tool{&fake{name: "x"}}, Hooks: []agent.Hook{everywhere{named: "h", log: &trail{}}}})
		func() {
			defer func() { diff(t, string(kind), recover(), any("mine")) }()
			for e, err := range a.Run(t.Context(), "s", agent.Text("go")) {
				if err != nil {
					t.Errorf("%s: got %v", kind, err)
				}
				if e.Kind == kind {
					panic("mine")
				}
			}
		}()
		// The session is free again.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		if _, err := run(ctx, a, "s", "again"); err != nil {
			t.Errorf("after a panic at %s: %v", kind, err)
		}
		cancel()
	}
}

// Hooks around everything, a server, and a caller that goes away at every event:
// the log can be read and nothing is left running.
func TestHooksAndBreaks(t *testing.T) {
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: I look, calls: [{tool: x}, {tool: x}]}, {text: done}]")})
	log, store := &trail{}, &memory.Store{}
	warm := newAgent(t, agent.Config{Model: s.Model(openaichat.Dialect), Store: store})
	turn(t, warm, "warm", "go")
	before := runtime.NumGoroutine()
	for n := 1; n < 60; n++ {
		a := newAgent(t, agent.Config{Model: s.Model(openaichat.Dialect), Store: store, Tools: []tool.Tool{&fake{name: "x"}},
			Hooks: []agent.Hook{everywhere{named: "a", log: log}, everywhere{named: "b", log: log}}, Limits: agent.Limits{Time: time.Minute}})
		id, seen := fmt.Sprint("s", n), 0
		for _, err := range a.Run(t.Context(), id, agent.Text("go")) {
			if err != nil {
				t.Fatal(err)
			}
			if seen++; seen == n {
				break
			}
		}
		stop(t, readLog(t, store, id))
		if seen < n {
			break
		}
	}
	for range 200 {
		if runtime.NumGoroutine() <= before+2 { // connections that are kept
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if after := runtime.NumGoroutine(); after > before+4 {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", after, before, buf[:runtime.Stack(buf, true)])
	}
}

// A refusal by an inner hook stays one, whatever an outer hook makes of it, and
// a hook's own fault in an input is found.
func TestHookHidesARefusal(t *testing.T) {
	deaf := func(ctx context.Context, _ agent.At, next func(context.Context) error) error {
		_ = next(ctx)
		return nil
	}
	for point, outer := range map[string]agent.Hook{"turn": onTurn{"deaf", deaf}, "step": onStep{"deaf", deaf},
		"calls": onCalls{"deaf", func(ctx context.Context, _ []chat.ToolCall, next func(context.Context) error) error {
			_ = next(ctx)
			return nil
		}}} {
		store := &memory.Store{}
		a := newAgent(t, agent.Config{Model: script(t, oneCall), Store: store, Tools: []tool.Tool{&fake{name: "x"}},
			Hooks: []agent.Hook{outer, everywhere{named: "bad", log: &trail{}, fails: point}}})
		if _, err := run(t.Context(), a, "s", "x"); err == nil || err.Error() != "hook bad: no good" {
			t.Errorf("%s: got %v", point, err)
		}
		readLog(t, store, "s")
	}
	a := newAgent(t, agent.Config{Model: script(t, oneCall), Hooks: []agent.Hook{onInput{"h", func(_ agent.At, in agent.Input) (agent.Input, error) {
		in.Vars = map[string]string{"NOT A NAME": "x"}
		return in, nil
	}}}})
	if _, err := run(t.Context(), a, "s", "x"); err == nil || !strings.HasPrefix(err.Error(), "hook h: ") {
		t.Errorf("got %v", err)
	}
}
