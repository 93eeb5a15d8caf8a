package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/trace"
)

// A watch is a sink that keeps what it was told.
type watch struct {
	mu    sync.Mutex
	begun []trace.Span
	ended []trace.Span
}

func (w *watch) Begin(ctx context.Context, s trace.Span) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun = append(w.begun, s)
	return ctx
}

func (w *watch) End(s trace.Span) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = append(w.ended, s)
}

// whole checks that every span that began ended once, and inside its parent.
func (w *watch) whole(t testing.TB) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	byID := map[string]trace.Span{}
	for _, s := range w.ended {
		if _, ok := byID[s.ID]; ok {
			t.Errorf("%s ended twice", s.Name)
		}
		byID[s.ID] = s
		if s.End.Before(s.Begin) {
			t.Errorf("%s ended before it began", s.Name)
		}
	}
	for _, s := range w.begun {
		if _, ok := byID[s.ID]; !ok {
			t.Errorf("%s did not end", s.Name)
		}
	}
	if len(w.begun) != len(w.ended) {
		t.Errorf("%d spans began and %d ended", len(w.begun), len(w.ended))
	}
	for i, s := range w.ended {
		if s.Parent == "" {
			continue
		}
		p, ok := byID[s.Parent]
		switch {
		case !ok:
			t.Errorf("%s has no parent", s.Name)
		case p.Trace != s.Trace:
			t.Errorf("%s is of another trace than %s", s.Name, p.Name)
		case s.Begin.Before(p.Begin) || s.End.After(p.End):
			t.Errorf("%s, %v to %v, is not inside of %s, %v to %v", s.Name, s.Begin, s.End, p.Name, p.Begin, p.End)
		}
		for _, before := range w.ended[:i] {
			if before.ID == s.Parent {
				t.Errorf("%s ended after its parent", s.Name)
			}
		}
	}
}

// tree draws the spans in the order in which they began.
func (w *watch) tree() (out []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	depth := map[string]int{}
	for _, b := range w.begun {
		if b.Parent != "" {
			depth[b.ID] = depth[b.Parent] + 1
		}
		line := strings.Repeat("  ", depth[b.ID]) + b.Name
		for _, e := range w.ended {
			if e.ID == b.ID && e.Failed {
				line += " !" + e.Get(trace.ErrorType).String()
			}
		}
		out = append(out, line)
	}
	return out
}

// restless is a clock that is set back now and then.
func restless() env.Clock { return &jumping{at: t0} }

type jumping struct {
	env.FakeClock
	mu sync.Mutex
	at time.Time
	n  int
}

func (c *jumping) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	if c.n%5 == 0 {
		c.at = c.at.Add(-time.Second)
	} else {
		c.at = c.at.Add(time.Millisecond)
	}
	return c.at
}

func tracedBy(w *watch, cfg agent.Config) agent.Config {
	cfg.Trace = agent.Tracing{Sink: w, Name: "reviewer"}
	cfg.Env = &env.Env{Clock: restless(), IDs: &env.Sequence{}}
	return cfg
}

const twoSteps = "turns: [{text: I look, calls: [{tool: x}, {tool: y}]}, {text: done, usage: {input: 7, cached: 5, output: 3}}]"

func TestTracing(t *testing.T) {
	w, store := &watch{}, &memory.Store{}
	sum := strings.Repeat("ab", 32)
	cfg := tracedBy(w, agent.Config{Model: script(t, twoSteps), Store: store, System: "Base.", Lock: sum, Tools: []tool.Tool{&fake{name: "x"},
		&fake{name: "y", call: func(ctx context.Context, _ json.RawMessage) (tool.Result, error) {
			_, s := trace.Start(ctx, "look", "", trace.Int("n", 1))
			s.End()
			return tool.Result{}, errors.New("private words")
		}}}})
	turn(t, newAgent(t, cfg), "s", "private question")
	w.whole(t)
	diff(t, "tree", w.tree(), []string{"invoke_agent reviewer", "  step", "    chat m", "    execute_tool x", "    execute_tool y !tool_error", "      look", "  step", "    chat m"})
	var request *session.Request
	for _, e := range readLog(t, store, "s") {
		if e.Kind == session.Requested {
			request = e.Request
		}
	}
	diff(t, "the lock in the log", request.Lock, sum)
	last := w.ended[len(w.ended)-3]
	for key, want := range map[string]string{
		trace.Operation: "chat", trace.RequestModel: "m", trace.Conversation: "s", trace.StepNumber: "2", trace.InputTokens: "7", trace.CacheReadTokens: "5",
		trace.OutputTokens: "3", trace.FinishReasons: "end", trace.LockHash: sum, trace.BodyHash: request.Body, trace.AssemblyHash: request.Assembly, trace.Provider: "openai",
	} {
		diff(t, key, last.Get(key).String(), want)
	}
	diff(t, "kind", last.Kind, trace.Client)
	diff(t, "stop", w.ended[len(w.ended)-1].Get(trace.StopReason).String(), "end")
	if said := fmt.Sprint(w.ended); strings.Contains(said, "private") {
		t.Errorf("contents that nobody asked for: %s", said)
	}

	w = &watch{}
	cfg = tracedBy(w, agent.Config{Model: script(t, twoSteps), System: "Base.", Tools: cfg.Tools})
	cfg.Trace.Contents = true
	turn(t, newAgent(t, cfg), "s", "private question")
	for _, want := range []string{"Base.", "private question", "private words", `"role":"assistant"`} {
		if !strings.Contains(fmt.Sprint(w.ended), want) {
			t.Errorf("the contents lack %q", want)
		}
	}
}

// TestTracingIsWhole leaves turns at every point and on every way there is.
func TestTracingIsWhole(t *testing.T) {
	type way struct {
		name string
		cfg  func(*agent.Config)
		with func(ctx context.Context, cancel func(), n int) bool // after the n-th event; false: break off
	}
	ways := []way{{name: "to its end"}}
	for _, point := range []string{"turn", "after turn", "input", "step", "after step", "prompt", "request", "model", "after model", "calls", "after calls", "call", "result", "event"} {
		for _, panics := range []bool{false, true} {
			ways = append(ways, way{name: fmt.Sprintf("hook %s, panic %t", point, panics), cfg: func(c *agent.Config) {
				c.Hooks = []agent.Hook{everywhere{named: "bad", log: &trail{}, fails: point, panic: panics}}
			}})
		}
	}
	for n := range 14 {
		ways = append(ways,
			way{name: fmt.Sprintf("append %d fails", n), cfg: func(c *agent.Config) { c.Store = &brokenStore{left: n} }},
			way{name: fmt.Sprintf("broken off at %d", n), with: func(_ context.Context, _ func(), k int) bool { return k < n }},
			way{name: fmt.Sprintf("cancelled at %d", n), with: func(_ context.Context, cancel func(), k int) bool {
				if k == n {
					cancel()
				}
				return true
			}},
			way{name: fmt.Sprintf("panic at %d", n), with: func(_ context.Context, _ func(), k int) bool {
				if k == n {
					panic("the caller's")
				}
				return true
			}},
			way{name: fmt.Sprintf("exit at %d", n), with: func(_ context.Context, _ func(), k int) bool {
				if k == n {
					runtime.Goexit()
				}
				return true
			}})
	}
	bad := func(f func(context.Context) (tool.Result, error)) func(*agent.Config) {
		return func(c *agent.Config) {
			c.Tools = append(slices.Clone(c.Tools), &fake{name: "z", call: func(ctx context.Context, _ json.RawMessage) (tool.Result, error) { return f(ctx) }})
			c.Model = script(t, "turns: [{text: I look, calls: [{tool: z}, {tool: x}]}, {text: done}]")
			c.Limits.Time = 50 * time.Millisecond
		}
	}
	ways = append(ways,
		way{name: "a tool panics", cfg: bad(func(context.Context) (tool.Result, error) { panic("no") })},
		way{name: "a tool waits", cfg: bad(func(ctx context.Context) (tool.Result, error) { <-ctx.Done(); return tool.Result{}, ctx.Err() })},
		way{name: "a tool is deaf", cfg: bad(func(ctx context.Context) (tool.Result, error) {
			_, s := trace.Start(ctx, "inside", "")
			time.Sleep(200 * time.Millisecond)
			s.End()
			return tool.Text("late"), nil
		})},
		way{name: "a tool exits", cfg: bad(func(context.Context) (tool.Result, error) { runtime.Goexit(); return tool.Result{}, nil })},
		way{name: "a tool loses a span", cfg: bad(func(ctx context.Context) (tool.Result, error) {
			trace.Start(ctx, "lost", "")
			return tool.Text("ok"), nil
		})},
		way{name: "a hook hides the context", cfg: func(c *agent.Config) {
			c.Hooks = []agent.Hook{onStep{"h", func(_ context.Context, _ agent.At, next func(context.Context) error) error {
				return next(context.Background())
			}}}
		}},
		way{name: "the model fails", cfg: func(c *agent.Config) { c.Model = script(t, "turns: [{error: {status: 500, message: it broke}}]") }},
		way{name: "no model name", cfg: func(c *agent.Config) { c.Tools = nil }},
	)
	for _, tt := range ways {
		w := &watch{}
		cfg := tracedBy(w, agent.Config{Model: script(t, twoSteps), System: "Base.", Tools: []tool.Tool{&fake{name: "x"}, &fake{name: "y"}}})
		if tt.cfg != nil {
			tt.cfg(&cfg)
		}
		a := newAgent(t, cfg)
		left := make(chan struct{})
		go func() {
			defer close(left)
			defer func() { _ = recover() }()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			n := 0
			for range a.Run(ctx, "s", agent.Text("go")) {
				if n++; tt.with != nil && !tt.with(ctx, cancel, n) {
					break
				}
			}
		}()
		<-left
		t.Run(tt.name, func(t *testing.T) {
			w.whole(t)
			if len(w.begun) == 0 {
				t.Error("there is no span")
			}
		})
	}
}

// TestTracingOfPause follows a turn that asks a person and goes on.
func TestTracingOfPause(t *testing.T) {
	w := &watch{}
	asks := &asking{fake{name: "q"}}
	a := newAgent(t, tracedBy(w, agent.Config{Model: script(t, "turns: [{calls: [{tool: q}]}, {text: done}]"), Tools: []tool.Tool{asks}}))
	events := turn(t, a, "s", "go")
	ask := only(events, session.Asked)
	if len(ask) != 1 {
		t.Fatalf("got %s", kinds(events))
	}
	for _, err := range a.Run(t.Context(), "s", agent.Input{Replies: []session.Reply{{Call: ask[0].Ask.Call, Text: "yes"}}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	w.whole(t)
	diff(t, "tree", w.tree(), []string{"invoke_agent reviewer", "  step", "    chat m", "    execute_tool q",
		"invoke_agent reviewer", "  step", "    execute_tool q", "  step", "    chat m"})
	diff(t, "it waits", w.ended[1].Get(trace.Waits).String(), "true")
}

// asking is a tool that asks a question.
type asking struct{ fake }

func (a *asking) Call(context.Context, json.RawMessage) (tool.Result, error) {
	return tool.Result{}, &tool.Pending{Question: "really?"}
}

func (a *asking) Answer(_ context.Context, _ json.RawMessage, answer string) (tool.Result, error) {
	return tool.Text(answer), nil
}

// TestTracingOfCompaction has a compaction by hand and its summary.
func TestTracingOfCompaction(t *testing.T) {
	w := &watch{}
	m := &speaker{say: echo(6000)}
	a := newAgent(t, tracedBy(w, agent.Config{Model: m, Compaction: agent.Compaction{Keep: 1800}}))
	for i := range 4 {
		turn(t, a, "s", fmt.Sprintf("QUESTION %d", i+1))
	}
	w.begun, w.ended = nil, nil
	if _, err := a.Compact(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	w.whole(t)
	diff(t, "tree", w.tree(), []string{"compact", "  chat m"})
	diff(t, "occasion", w.ended[1].Get(trace.Occasion).String(), "by_hand")
}

// lines is a runtime whose programs are a call on each line.
type lines struct{}

func (lines) Text() string                   { return "Write calls." }
func (lines) Guide([]agent.Guided) span.Text { return nil }

func (lines) Read(answer string, _ agent.Progress) agent.Move {
	if answer == "done" {
		return agent.Move{Final: &answer}
	}
	return agent.Move{Code: &session.Code{Language: "lines", Source: answer}}
}

func (lines) Run(ctx context.Context, p agent.Program, call agent.CallFunc) (agent.Ran, error) {
	for name := range strings.FieldsSeq(p.Source) {
		if _, err := call(ctx, []chat.ToolCall{{Name: name, Args: json.RawMessage("{}")}}); err != nil {
			return agent.Ran{}, err
		}
	}
	return agent.Ran{Message: "ran", OK: true}, nil
}

func TestTracingOfCode(t *testing.T) {
	w := &watch{}
	a := newAgent(t, tracedBy(w, agent.Config{Model: script(t, "turns: [{text: x y}, {text: done}]"), Runtime: lines{}, Tools: []tool.Tool{&fake{name: "x"}, &fake{name: "y"}}}))
	turn(t, a, "s", "go")
	w.whole(t)
	diff(t, "tree", w.tree(), []string{"invoke_agent reviewer", "  step", "    chat m", "    code", "      execute_tool x", "      execute_tool y", "  step", "    chat m"})
}

// TestTracingInAnother has an agent that runs inside a tool of another one.
func TestTracingInAnother(t *testing.T) {
	w := &watch{}
	inner := newAgent(t, agent.Config{Model: script(t, "turns: [{text: hello}]")})
	a := newAgent(t, tracedBy(w, agent.Config{Model: script(t, oneCall), Tools: []tool.Tool{&fake{name: "x", call: func(ctx context.Context, _ json.RawMessage) (tool.Result, error) {
		_, err := run(ctx, inner, "inner", "go")
		return tool.Text("ok"), err
	}}}}))
	turn(t, a, "s", "go")
	w.whole(t)
	diff(t, "tree", w.tree()[3:7], []string{"    execute_tool x", "      invoke_agent", "        step", "          chat m"})
}
