package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

func script(t testing.TB, yaml string) *scripted.Model {
	t.Helper()
	s, err := scripted.Parse([]byte(yaml), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return scripted.New(*s)
}

// recorder is a scripted model that keeps the bodies it was sent.
type recorder struct {
	*scripted.Model
	mu     sync.Mutex
	bodies []string
}

func (r *recorder) Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies = append(r.bodies, string(b.JSON))
	return r.Model.Send(ctx, b)
}

func (r *recorder) last() string { return r.bodies[len(r.bodies)-1] }

// events is a model that answers every request with the given events.
type fixedModel struct {
	*scripted.Model
	events func(ctx context.Context) []wire.Event
}

func (m fixedModel) Send(ctx context.Context, _ wire.Body) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		for _, e := range m.events(ctx) {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// fake is a tool made of a function.
type fake struct {
	name string
	call func(ctx context.Context, args json.RawMessage) (tool.Result, error)
	ran  atomic.Int32
}

func (f *fake) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: f.name, Description: "does " + f.name}
}

func (f *fake) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	f.ran.Add(1)
	if f.call == nil {
		return tool.Text(f.name + " " + string(args)), nil
	}
	return f.call(ctx, args)
}

// newAgent returns an agent with a fixed clock and a store of its own.
func newAgent(t testing.TB, cfg agent.Config) *agent.Agent {
	t.Helper()
	if cfg.Env == nil {
		cfg.Env = &env.Env{Clock: env.NewFakeClock(t0)}
	}
	cfg.ModelName = "m"
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// run runs a turn to its end.
func run(ctx context.Context, a *agent.Agent, id, text string) (events []session.Event, err error) {
	for e, err := range a.Run(ctx, id, agent.Text(text)) {
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
	return events, nil
}

// turn runs a turn that must succeed.
func turn(t testing.TB, a *agent.Agent, id, text string) []session.Event {
	t.Helper()
	events, err := run(t.Context(), a, id, text)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// kinds lists the kinds of events, deltas left out.
func kinds(events []session.Event) string {
	var out []string
	for _, e := range events {
		if !e.Kind.Transient() {
			out = append(out, string(e.Kind))
		}
	}
	return strings.Join(out, " ")
}

// results lists the results in events as "id: text", errors with a "!".
func results(events []session.Event) []string {
	out := []string{}
	for _, e := range events {
		if e.Kind == session.Result {
			r := e.Message.Results()[0]
			mark := ""
			if r.IsError {
				mark = "!"
			}
			out = append(out, fmt.Sprintf("%s%s: %s", mark, r.ID, r.Text.String()))
		}
	}
	return out
}

// readLog returns what a store has of a session, which must fold.
func readLog(t testing.TB, s session.Store, id string) []session.Event {
	t.Helper()
	var out []session.Event
	for e, err := range s.Events(t.Context(), id) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	view, err := session.Fold(out)
	if err != nil {
		t.Fatalf("the log cannot be read again: %v", err)
	}
	if len(view.Open) > 0 {
		t.Errorf("calls without a result: %v", view.Open)
	}
	return out
}

// stop returns the stop event, which must be the last.
func stop(t testing.TB, events []session.Event) session.Event {
	t.Helper()
	if len(events) == 0 || events[len(events)-1].Kind != session.Stopped {
		t.Fatalf("the turn has no end: %s", kinds(events))
	}
	return events[len(events)-1]
}

// brokenStore fails every append from the n-th on.
type brokenStore struct {
	memory.Store
	mu   sync.Mutex
	left int
}

var errDisk = errors.New("the disk is full")

func (s *brokenStore) Append(ctx context.Context, id string, after uint64, events ...session.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left--; s.left < 0 {
		return errDisk
	}
	return s.Store.Append(ctx, id, after, events...)
}
