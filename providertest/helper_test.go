package providertest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

var dialects = []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect}

// each runs a test for every dialect.
func each(t *testing.T, f func(t *testing.T, d wire.Dialect)) {
	for _, d := range dialects {
		t.Run(d.Name, func(t *testing.T) { f(t, d) })
	}
}

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// quick is a machine on which waits take no time.
func quick() *env.Env { return &env.Env{Clock: env.NewFakeClock(t0), Rand: env.FixedRand(0)} }

// serve starts a server with a script.
func serve(t testing.TB, yaml string, faults ...providertest.Fault) *providertest.Server {
	t.Helper()
	return providertest.New(t, providertest.Config{Script: providertest.Script(t, yaml), Faults: faults, Env: quick()})
}

var tools = []chat.ToolSpec{
	{Name: "read_file", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)},
	{Name: "grep", Description: "Searches."},
}

func ask(messages ...chat.Message) wire.Request {
	return wire.Request{Model: "m", System: []prompt.Part{{Name: "base", Text: span.Of("Use tabs.", nil)}}, Tools: tools,
		Messages: append([]chat.Message{chat.UserText("hi", nil)}, messages...)}
}

// send sends a request and writes the response on one line.
func send(ctx context.Context, t testing.TB, m provider.Model, r wire.Request) (string, error) {
	t.Helper()
	b, err := m.Encode(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for ev, err := range m.Send(ctx, b) {
		if err != nil {
			return out.String(), err
		}
		switch ev.Kind {
		case wire.TextDelta:
			out.WriteString(ev.Text)
		case wire.ReasoningDelta:
			fmt.Fprintf(&out, "(%s)", ev.Text)
		case wire.CallEnd:
			fmt.Fprintf(&out, "<%s %s %s>", ev.Call.ID, ev.Call.Name, ev.Call.Args)
		case wire.UsageReport:
			fmt.Fprintf(&out, "[%s]", usage(ev.Usage))
		case wire.Stop:
			fmt.Fprintf(&out, " %s", ev.Stop)
		}
	}
	return out.String(), nil
}

func usage(u *wire.Usage) string {
	b, err := json.Marshal(u)
	if err != nil {
		return err.Error()
	}
	return strings.Trim(strings.ReplaceAll(string(b), `"`, ""), "{}")
}

// fake is a tool that counts its calls.
type fake struct {
	spec chat.ToolSpec
	mu   sync.Mutex
	ran  []string
}

func (f *fake) Spec() chat.ToolSpec { return f.spec }

func (f *fake) Call(_ context.Context, args json.RawMessage) (tool.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ran = append(f.ran, string(args))
	return tool.Text("result of " + f.spec.Name), nil
}

// newAgent returns an agent with the tools, and these.
func newAgent(t testing.TB, m provider.Model) (*agent.Agent, []*fake) {
	t.Helper()
	cfg := agent.Config{Model: m, ModelName: "m", System: "You help.", Instructions: "Be brief.", Env: quick()}
	var fakes []*fake
	for _, spec := range tools {
		f := &fake{spec: spec}
		fakes = append(fakes, f)
		cfg.Tools = append(cfg.Tools, f)
	}
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a, fakes
}

// run runs a turn and returns its answer and how it ended.
func run(ctx context.Context, a *agent.Agent, id, text string) (answer, stop string, err error) {
	for e, err := range a.Run(ctx, id, agent.Text(text)) {
		if err != nil {
			return answer, stop, err
		}
		switch e.Kind {
		case session.Answer:
			answer = ""
			for _, p := range e.Message.Parts {
				if p.Kind == chat.TextPart {
					answer += p.Text.String()
				}
			}
		case session.Stopped:
			stop = e.Stop.Reason
		}
	}
	return answer, stop, nil
}

// recorder is a test that only writes down how it fails.
type recorder struct {
	testing.TB
	mu  sync.Mutex
	log []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.log = append(r.log, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// settle returns the number of goroutines once it is down to a limit, or after a
// while.
func settle(limit int) int {
	for range 200 {
		if runtime.NumGoroutine() <= limit {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}
