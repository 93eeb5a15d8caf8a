package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

const twoCalls = `
turns:
  - text: "I look."
    calls: [{tool: x, args: {n: 1}, id: c1}]
    usage: {input: 900, output: 100}
  - text: "Once more."
    calls: [{tool: x, args: {n: 2}, id: c2}]
    usage: {input: 1400, output: 100}
  - text: "Done."
    usage: {input: 9000, output: 9}
`

func perToken(model string, u session.Usage) (float64, bool) {
	if u.Input == nil {
		return 0, model == "m"
	}
	return float64(*u.Input+*u.Output) / 1000, model == "m"
}

// A limit that an answer reaches ends the turn; the answer is stored and its calls
// have results. A final answer ends it as usual.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		name           string
		limits         agent.Limits
		reason         string
		says           string
		steps, results int
		ran            int32
	}{
		{"tokens", agent.Limits{Tokens: 2500}, agent.StopTokens, "took 2500 tokens, and the limit is 2500", 2, 2, 1},
		{"first answer", agent.Limits{Tokens: 1}, agent.StopTokens, "took 1000 tokens", 1, 1, 0},
		{"cost", agent.Limits{Cost: 2.4, Price: perToken}, agent.StopCost, "cost 2.5, and the limit is 2.4", 2, 2, 1},
		{"final answer", agent.Limits{Tokens: 2501, Cost: 2.6, Price: perToken}, "end", "", 3, 2, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			store, x := &memory.Store{}, &fake{name: "x"}
			a := newAgent(t, agent.Config{Model: script(t, twoCalls), Store: store, Tools: []tool.Tool{x}, Limits: tt.limits})
			events := turn(t, a, "s", "go")
			end := stop(t, events)
			if end.Stop.Reason != tt.reason || tt.says != "" && !strings.Contains(end.Stop.Message, tt.says) {
				t.Errorf("got %+v", end.Stop)
			}
			log := kinds(readLog(t, store, "s"))
			diff(t, "answers", strings.Count(log, "answer"), tt.steps)
			diff(t, "requests", strings.Count(log, "request"), tt.steps)
			got := results(events)
			diff(t, "results", len(got), tt.results)
			diff(t, "runs", x.ran.Load(), tt.ran)
			if last := got[len(got)-1]; tt.says != "" && (!strings.Contains(last, "not run: ") || !strings.Contains(last, tt.says)) {
				t.Errorf("the model is not told: %s", last)
			}
		})
	}
}

// A cost limit is kept or nothing is spent.
func TestUnknownPrice(t *testing.T) {
	model := &recorder{Model: script(t, twoCalls)}
	a := newAgent(t, agent.Config{Model: model, Limits: agent.Limits{Cost: 1, Price: perToken}})
	in := agent.Text("go")
	in.ModelName = "dear"
	var last session.Event
	for e, err := range a.Run(t.Context(), "s", in) {
		if err != nil {
			t.Fatal(err)
		}
		last = e
	}
	if last.Stop.Reason != agent.StopCost || !strings.Contains(last.Stop.Message, "price of the model dear") || len(model.bodies) > 0 {
		t.Errorf("got %+v after %d requests", last.Stop, len(model.bodies))
	}
	for _, l := range []agent.Limits{{Cost: 1}, {Cost: math.NaN(), Price: perToken}} {
		if _, err := agent.New(agent.Config{Model: model, Limits: l}); err == nil {
			t.Errorf("accepted %+v", l)
		}
	}
}

// Usage that is not reported is estimated, and that is said once.
func TestEstimatedUsage(t *testing.T) {
	model := fixedModel{Model: script(t, "turns: [{text: x}]"), events: func(context.Context) []wire.Event {
		return []wire.Event{{Kind: wire.TextDelta, Text: strings.Repeat("x", 400)}, call("x", `{}`)}
	}}
	a := newAgent(t, agent.Config{Model: model, Tools: []tool.Tool{&fake{name: "x"}}, Limits: agent.Limits{Tokens: 450}})
	events := turn(t, a, "s", "go")
	end := stop(t, events)
	if end.Stop.Reason != agent.StopTokens || !strings.Contains(end.Stop.Message, "about ") {
		t.Errorf("got %+v", end.Stop)
	}
	n := 0
	for _, e := range events {
		if e.Kind == session.Diagnostic && e.Diagnostic.Code == "usage.estimated" {
			n++
		}
	}
	diff(t, "diagnostics", n, 1)
}

func call(name, args string) wire.Event {
	return wire.Event{Kind: wire.CallEnd, Call: callOf(name, args)}
}

// The limit of time cancels what runs: a request that never ends, and a tool.
func TestTimeLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := fixedModel{Model: script(t, "turns: [{text: x}]"), events: func(ctx context.Context) []wire.Event {
			<-ctx.Done()
			return nil
		}}
		slow := &fake{name: "x", call: func(ctx context.Context, _ json.RawMessage) (tool.Result, error) {
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}}
		for name, cfg := range map[string]agent.Config{
			"request": {Model: hang},
			"tool":    {Model: script(t, twoCalls), Tools: []tool.Tool{slow}},
		} {
			store := &memory.Store{}
			cfg.Store, cfg.Env, cfg.Limits = store, &env.Env{}, agent.Limits{Time: time.Minute}
			began := time.Now()
			events := turn(t, newAgent(t, cfg), "s", "go")
			if end := stop(t, events); end.Stop.Reason != agent.StopTime || !strings.Contains(end.Stop.Message, "1m0s") || end.Failure != "" {
				t.Errorf("%s: got %+v %s", name, end.Stop, end.Failure)
			}
			if took := time.Since(began); took > time.Minute+50*time.Millisecond {
				t.Errorf("%s: it took %v", name, took)
			}
			readLog(t, store, "s")
		}
	})
}

// The clock of the environment counts, too: an answer that came late is kept, and
// its call is not run.
func TestTimeLimitByTheClock(t *testing.T) {
	clock := env.NewFakeClock(t0)
	model := fixedModel{Model: script(t, "turns: [{text: x}]"), events: func(context.Context) []wire.Event {
		clock.Advance(2 * time.Hour)
		return []wire.Event{{Kind: wire.TextDelta, Text: "late"}, call("x", "{}")}
	}}
	store, x := &memory.Store{}, &fake{name: "x"}
	a := newAgent(t, agent.Config{Model: model, Store: store, Tools: []tool.Tool{x}, Env: &env.Env{Clock: clock}, Limits: agent.Limits{Time: time.Hour}})
	events := turn(t, a, "s", "go")
	diff(t, "events", kinds(events), "session.start input prefix request answer tool.result stop")
	diff(t, "reason", stop(t, events).Stop.Reason, agent.StopTime)
	diff(t, "runs", x.ran.Load(), int32(0))
}

// The caller's own deadline is no limit of the turn.
func TestCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := fixedModel{Model: script(t, "turns: [{text: x}]"), events: func(ctx context.Context) []wire.Event { <-ctx.Done(); return nil }}
		store := &memory.Store{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := run(ctx, newAgent(t, agent.Config{Model: hang, Store: store, Env: &env.Env{}, Limits: agent.Limits{Time: time.Minute}}), "s", "go")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		diff(t, "reason", stop(t, readLog(t, store, "s")).Stop.Reason, agent.StopCancelled)
	})
}

// Two inputs at once: the second waits, or is refused as configured.
func TestRefuseBusy(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	slow := &fake{name: "x", call: func(context.Context, json.RawMessage) (tool.Result, error) {
		close(started)
		<-release
		return tool.Text("done"), nil
	}}
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{calls: [{tool: x}]}, {text: one}, {text: two}]")})
	a := newAgent(t, agent.Config{Model: s.Model(openaichat.Dialect), Tools: []tool.Tool{slow}, RefuseBusy: true})
	done := make(chan error, 1)
	go func() { _, err := run(t.Context(), a, "s", "first"); done <- err }()
	<-started
	if _, err := run(t.Context(), a, "s", "second"); !errors.Is(err, agent.ErrBusy) || !strings.Contains(err.Error(), "session s") {
		t.Errorf("got %v", err)
	}
	if _, err := a.Preview(t.Context(), "s", agent.Text("look")); err != nil {
		t.Errorf("a preview need not wait: %v", err)
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	turn(t, a, "s", "now")
	diff(t, "requests", len(s.Requests()), 3)
}
