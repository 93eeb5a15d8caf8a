package ai4j_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A model is a scripted one that keeps the requests and bodies it was sent.
type model struct {
	*scripted.Model
	mu       sync.Mutex
	requests []wire.Request
	bodies   []string
}

func script(t testing.TB, yaml string) *model {
	t.Helper()
	s, err := scripted.Parse([]byte(yaml), "script.yaml")
	check(t, err)
	return &model{Model: scripted.New(*s)}
}

func (m *model) Encode(prev *wire.Body, r wire.Request) (wire.Body, error) {
	m.mu.Lock()
	m.requests = append(m.requests, r)
	m.mu.Unlock()
	return m.Model.Encode(prev, r)
}

func (m *model) Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	m.mu.Lock()
	m.bodies = append(m.bodies, string(b.JSON))
	m.mu.Unlock()
	return m.Model.Send(ctx, b)
}

// messages are those of the n-th body, as "role: text".
func (m *model) messages(t testing.TB, n int) []string {
	t.Helper()
	return messagesOf(t, m.bodies[n])
}

func messagesOf(t testing.TB, body string) []string {
	t.Helper()
	var b struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	check(t, json.Unmarshal([]byte(body), &b))
	var out []string
	for _, m := range b.Messages {
		if m.Content == nil {
			m.Content = "<calls>"
		}
		out = append(out, fmt.Sprintf("%s: %v", m.Role, m.Content))
	}
	return out
}

// A fake is a tool made of a function.
type fake struct {
	name string
	call func(context.Context, json.RawMessage) (tool.Result, error)
	mu   sync.Mutex
	runs []string
}

func (f *fake) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: f.name, Description: "does " + f.name, Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (f *fake) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	f.mu.Lock()
	f.runs = append(f.runs, string(args))
	f.mu.Unlock()
	if f.call == nil {
		return tool.Text("result of " + f.name), nil
	}
	return f.call(ctx, args)
}

// newAgent returns an agent of the preset. Its tools are those of the
// configuration.
func newAgent(t testing.TB, p ai4j.Config, c agent.Config) *agent.Agent {
	t.Helper()
	made := ai4j.New(p)
	c.Preset = &made
	if c.ModelName == "" {
		c.ModelName = "m"
	}
	if c.Env == nil {
		c.Env = &env.Env{Clock: env.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
	}
	a, err := agent.New(c)
	check(t, err)
	return a
}

func run(t testing.TB, a *agent.Agent, id string, in agent.Input) (events []session.Event, err error) {
	t.Helper()
	for e, err := range a.Run(t.Context(), id, in) {
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
	events, err := run(t, a, id, agent.Text(text))
	check(t, err)
	return events
}

func preview(t testing.TB, a *agent.Agent, id, text string) agent.Preview {
	t.Helper()
	p, err := a.Preview(t.Context(), id, agent.Text(text))
	check(t, err)
	return p
}

// system is the system text of an agent's first request.
func system(t testing.TB, p ai4j.Config, c agent.Config) string {
	t.Helper()
	c.Model = script(t, "turns: [{text: ok}]")
	return preview(t, newAgent(t, p, c), "s", "hi").Assembly.Render(prompt.System)
}

// of returns the events of a kind.
func of(events []session.Event, k session.Kind) []session.Event {
	var out []session.Event
	for _, e := range events {
		if e.Kind == k {
			out = append(out, e)
		}
	}
	return out
}

// results are the results in events, errors with a "!".
func results(events []session.Event) []string {
	var out []string
	for _, e := range of(events, session.Result) {
		r := e.Message.Results()[0]
		mark := ""
		if r.IsError {
			mark = "!"
		}
		out = append(out, mark+r.ID+": "+r.Text.String())
	}
	return out
}

// stop returns how a turn ended.
func stop(t testing.TB, events []session.Event) string {
	t.Helper()
	last := of(events, session.Stopped)
	if len(last) != 1 {
		t.Fatalf("the turn has %d ends", len(last))
	}
	return last[0].Stop.Reason
}

// A hook made of functions for the points that a test needs.
type (
	onRequest struct {
		name string
		f    func(agent.At, wire.Request) (wire.Request, error)
	}
	onInput struct {
		name string
		f    func(agent.Input) (agent.Input, error)
	}
	onCall struct {
		name string
		f    func(chat.ToolCall) (chat.ToolCall, error)
	}
	onResult struct {
		name string
		f    func(tool.Result) (tool.Result, error)
	}
)

func (h onRequest) Name() string { return h.name }
func (h onInput) Name() string   { return h.name }
func (h onCall) Name() string    { return h.name }
func (h onResult) Name() string  { return h.name }

func (h onRequest) EditRequest(_ context.Context, at agent.At, r wire.Request) (wire.Request, error) {
	return h.f(at, r)
}

func (h onInput) InterceptInput(_ context.Context, _ agent.At, in agent.Input) (agent.Input, error) {
	return h.f(in)
}

func (h onCall) InterceptCall(_ context.Context, _ agent.At, c chat.ToolCall) (chat.ToolCall, error) {
	return h.f(c)
}

func (h onResult) InterceptResult(_ context.Context, _ agent.At, _ chat.ToolCall, r tool.Result) (tool.Result, error) {
	return h.f(r)
}
