package quickjs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/codeact"
	"github.com/proemhq/proem/agent/codeact/quickjs"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

// talker is a scripted model that says texts, and keeps the bodies it was sent.
type talker struct {
	*scripted.Model
	mu     sync.Mutex
	bodies []string
}

func (r *talker) Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.bodies = append(r.bodies, string(b.JSON))
	return r.Model.Send(ctx, b)
}

// says returns a model that gives answers one after the other.
func says(t testing.TB, answers ...string) *talker {
	t.Helper()
	var y strings.Builder
	y.WriteString("turns:\n")
	for _, a := range answers {
		fmt.Fprintf(&y, "  - text: %s\n", quote(a))
	}
	s, err := scripted.Parse([]byte(y.String()), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return &talker{Model: scripted.New(*s)}
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func code(source string) string {
	return `{"type":"code","language":"js","code":` + quote(source) + `}`
}
func final(output string) string { return `{"type":"final","output":` + quote(output) + `}` }

// A look is a tool that only reads.
type look struct {
	City string `json:"city" description:"The city, in English."`
}

func weather(ran *atomic.Int32, delay time.Duration) tool.Tool {
	return tool.Must(tool.Make(tool.Def[look]{Name: "weather", Description: "Returns the weather.", Note: "The value has celsius.",
		Effect: func(context.Context, look) tool.Effect { return tool.Effect{ReadOnly: true} },
		Call: func(ctx context.Context, l look) (tool.Result, error) {
			ran.Add(1)
			select {
			case <-time.After(delay):
			case <-ctx.Done():
				return tool.Result{}, ctx.Err()
			}
			if l.City == "Atlantis" {
				return tool.Errorf("there is no weather in %s", l.City), nil
			}
			return tool.Text(fmt.Sprintf(`{"city":%q,"celsius":%d}`, l.City, len(l.City))), nil
		}}))
}

func newAgent(t testing.TB, cfg agent.Config, r codeact.Runtime) *agent.Agent {
	t.Helper()
	if r.Engine == nil {
		r.Engine = quickjs.Engine{}
	}
	cfg.ModelName, cfg.Runtime = "m", r
	a, err := agent.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// play runs a turn and returns its events, deltas left out, and its answer.
func play(ctx context.Context, a *agent.Agent, in agent.Input) (events []session.Event, answer string, err error) {
	for e, failed := range a.Run(ctx, "s", in) {
		if failed != nil {
			return events, answer, failed
		}
		if e.Kind == session.Stopped && e.Message != nil {
			answer = e.Message.Text().String()
		}
		if !e.Kind.Transient() {
			events = append(events, e)
		}
	}
	return events, answer, nil
}

func turn(t testing.TB, a *agent.Agent, in agent.Input) ([]session.Event, string) {
	t.Helper()
	events, answer, err := play(t.Context(), a, in)
	if err != nil {
		t.Fatal(err)
	}
	return events, answer
}

func kinds(events []session.Event) string {
	out := make([]string, len(events))
	for i := range events {
		out[i] = string(events[i].Kind)
	}
	return strings.Join(out, " ")
}

// told returns what the model was told by events of a kind.
func told(events []session.Event, k session.Kind) (out []string) {
	for _, e := range events {
		if e.Kind == k {
			out = append(out, e.Message.Text().String())
		}
	}
	return out
}

func steps(events []session.Event) (n int) {
	for _, e := range events {
		if e.Kind == session.Requested {
			n++
		}
	}
	return n
}

func reason(events []session.Event) string { return events[len(events)-1].Stop.Reason }

func TestTurn(t *testing.T) {
	var ran atomic.Int32
	store := &memory.Store{}
	m := says(t, code(`const [a, b] = await Promise.all(["Oslo", "Rome!"].map(city => weather({city}))); console.log(a.city); return a.celsius + b.celsius`), final("nine"))
	a := newAgent(t, agent.Config{Model: m, System: "S", Instructions: "I", Store: store, Tools: []tool.Tool{weather(&ran, 0)}}, codeact.Runtime{ReAct: true})
	events, answer := turn(t, a, agent.Text("how warm?"))
	diff(t, "answer", answer, "nine")
	diff(t, "events", kinds(events), "session.start input prefix request answer code code.calls tool.call tool.call tool.result tool.result code.result request answer stop")
	diff(t, "told", told(events, session.RanResult), []string{`CODE_RESULT: {"result":9,"stdout":"Oslo\n"}`})
	diff(t, "ran", ran.Load(), int32(2))

	// S18: all of the protocol is in system, none of it in the instructions; there are no tools.
	for i, body := range m.bodies {
		var b struct {
			Tools    []any `json:"tools"`
			Choice   any   `json:"tool_choice"`
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal([]byte(body), &b); err != nil {
			t.Fatal(err)
		}
		if b.Tools != nil || b.Choice != nil {
			t.Errorf("request %d has tools: %s", i, body)
		}
		system := b.Messages[0].Content
		for _, want := range []string{"S\n", `{"type":"code","language":"js"`, finalPart, "async JavaScript", "- weather({", "city: string  // The city, in English.", "Returns the weather.", "The value has celsius."} {
			if !strings.Contains(system, want) {
				t.Errorf("request %d: no %q in system:\n%s", i, want, system)
			}
		}
		var roles []string
		for _, m := range b.Messages {
			roles = append(roles, m.Role)
		}
		if i == 1 {
			diff(t, "roles", roles, []string{"system", "system", "user", "assistant", "user"})
			diff(t, "instructions", b.Messages[1].Content, "I")
			diff(t, "what the model said", b.Messages[3].Content, told(events, session.Answer)[0])
			diff(t, "what it is told", b.Messages[4].Content, `CODE_RESULT: {"result":9,"stdout":"Oslo\n"}`)
		}
	}
	folded(t, store)
	for i, body := range m.bodies { // a recorded request can be made again
		r, err := a.Replay(t.Context(), "s", i+1, openaichat.Dialect)
		if err != nil || string(r.Body.JSON) != body {
			t.Errorf("replay of request %d: %v", i+1, err)
		}
	}
}

const finalPart = `{"type":"final","output":"…"}`

// folded checks that the log can be read again and has nothing open.
func folded(t testing.TB, s session.Store) session.View {
	t.Helper()
	var events []session.Event
	for e, err := range s.Events(t.Context(), "s") {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	v, err := session.Fold(events)
	if err != nil {
		t.Fatal(err)
	}
	if v.Code != nil || len(v.Open) > 0 {
		t.Errorf("open: %+v, %v", v.Code, v.Open)
	}
	return v
}

// The reference's behaviours of CodeAct, by its numbers.
func TestBehaviour(t *testing.T) {
	failing := code(`throw new Error("E")`)
	for _, c := range []struct {
		name    string
		runtime codeact.Runtime
		answers []string
		answer  string
		stop    string
		steps   int
		notice  string // in the first one
		told    []string
	}{
		{name: "61 plain text is asked for again", answers: []string{"It is 4.", final("4")}, answer: "4", stop: "end", steps: 2,
			notice: "Your answer was not understood: there is no JSON object in it."},
		{name: "61 plain text again and again", runtime: codeact.Runtime{Retries: 1}, answers: []string{"a", "b", "c"}, stop: agent.StopAnswer, steps: 2,
			notice: "there is no JSON object"},
		{name: "62 text around final", answers: []string{"Well: " + final("x") + " Bye {now}."}, answer: "x", stop: "end", steps: 1},
		{name: "63 a leading other object is asked about", answers: []string{`{"a":1} ` + final("x"), final("y")}, answer: "y", stop: "end", steps: 2,
			notice: "more than one JSON object"},
		{name: "64 code, code, final", runtime: codeact.Runtime{ReAct: true, Finalize: true}, answers: []string{code("return 1"), code("return 2"), final("x")},
			answer: "x", stop: "end", steps: 3, told: []string{`CODE_RESULT: {"result":1}`}, notice: "This code was not run"},
		{name: "64 without finalize", runtime: codeact.Runtime{ReAct: true}, answers: []string{code("return 1"), code("return 2"), final("x")},
			answer: "x", stop: "end", steps: 3, told: []string{`CODE_RESULT: {"result":1}`, `CODE_RESULT: {"result":2}`}},
		{name: "64 an error clears the way", runtime: codeact.Runtime{ReAct: true, Finalize: true}, answers: []string{failing, code("return 2"), final("x")},
			answer: "x", stop: "end", steps: 3, told: []string{`CODE_ERROR: {"error":"Error: E"}`, `CODE_RESULT: {"result":2}`}},
		{name: "65 an error without reAct", answers: []string{failing}, answer: "CODE_ERROR: Error: E", stop: "end", steps: 1,
			told: []string{`CODE_ERROR: {"error":"Error: E"}`}},
		{name: "65 a result", answers: []string{code(`return " 4 "`)}, answer: "4", stop: "end", steps: 1, told: []string{`CODE_RESULT: {"result":" 4 "}`}},
		{name: "65 a value", answers: []string{code(`return {a:1}`)}, answer: `{"a":1}`, stop: "end", steps: 1, told: []string{`CODE_RESULT: {"result":{"a":1}}`}},
		{name: "65 output instead", answers: []string{code(`console.log(" out "); return null`)}, answer: "out", stop: "end", steps: 1,
			told: []string{`CODE_RESULT: {"result":null,"stdout":" out \n"}`}},
		{name: "65 nothing", answers: []string{code(`1`)}, answer: "{}", stop: "end", steps: 1, told: []string{`CODE_RESULT: {}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := &memory.Store{}
			a := newAgent(t, agent.Config{Model: says(t, c.answers...), Store: store}, c.runtime)
			events, answer := turn(t, a, agent.Text("go"))
			diff(t, "answer", answer, c.answer)
			diff(t, "stop", reason(events), c.stop)
			diff(t, "steps", steps(events), c.steps)
			diff(t, "told", told(events, session.RanResult), c.told)
			notices := told(events, session.Notice)
			if (len(notices) > 0) != (c.notice != "") || c.notice != "" && !strings.Contains(notices[0], c.notice) {
				t.Errorf("notices %q", notices)
			}
			folded(t, store)
		})
	}
}

func TestReadOnlyCallsRunTogether(t *testing.T) {
	var ran atomic.Int32
	a := newAgent(t, agent.Config{Model: says(t, code(`return (await Promise.all(["a","b","c","d"].map(city => weather({city})))).length`)),
		Tools: []tool.Tool{weather(&ran, 300*time.Millisecond)}}, codeact.Runtime{})
	began := time.Now()
	if _, answer := turn(t, a, agent.Text("go")); answer != "4" {
		t.Errorf("got %q", answer)
	}
	if took := time.Since(began); took > 900*time.Millisecond {
		t.Errorf("four calls of 300 ms took %v", took)
	}
}

// An interceptor sees the calls of code as it sees those of a model.
type interceptor struct{ batches, calls, results []string }

func (*interceptor) Name() string { return "interceptor" }

func (i *interceptor) AroundCalls(ctx context.Context, _ agent.At, calls []chat.ToolCall, next func(context.Context) error) error {
	i.batches = append(i.batches, fmt.Sprint(len(calls)))
	return next(ctx)
}

func (i *interceptor) InterceptCall(_ context.Context, _ agent.At, c chat.ToolCall) (chat.ToolCall, error) {
	i.calls = append(i.calls, c.ID+" "+string(c.Args))
	switch {
	case strings.Contains(string(c.Args), "forbidden"):
		return c, agent.Blocked("not there")
	case strings.Contains(string(c.Args), "Oslo"):
		c.Args = []byte(`{"city":"Bergen"}`)
	}
	return c, nil
}

func (i *interceptor) InterceptResult(_ context.Context, _ agent.At, _ chat.ToolCall, r tool.Result) (tool.Result, error) {
	i.results = append(i.results, r.Text.String())
	return r, nil
}

func TestHooks(t *testing.T) {
	var ran atomic.Int32
	h := &interceptor{}
	a := newAgent(t, agent.Config{Hooks: []agent.Hook{h}, Tools: []tool.Tool{weather(&ran, 0)}, Model: says(t, code(
		`const out = [await weather({city: "Oslo"})];
		 for (const city of ["forbidden", "Atlantis"]) try { await weather({city}) } catch (e) { out.push(e.message) }
		 try { await callTool("nothing", {}) } catch (e) { out.push(e.message) }
		 try { await weather({town: "x"}) } catch (e) { out.push(e.message) }
		 try { await weather("x") } catch (e) { out.push(e.message) }
		 return out`))}, codeact.Runtime{})
	_, answer := turn(t, a, agent.Text("go"))
	var got []any
	if err := json.Unmarshal([]byte(answer), &got); err != nil || len(got) != 6 {
		t.Fatalf("%s: %v", answer, err)
	}
	diff(t, "changed by the hook", got[0], map[string]any{"city": "Bergen", "celsius": 6.0})
	for i, want := range []string{"blocked by interceptor: not there", "there is no weather in Atlantis", `there is no tool "nothing"`, "town", "not a JSON object"} {
		if s, _ := got[i+1].(string); !strings.Contains(s, want) {
			t.Errorf("%d: got %v, want %q", i+1, got[i+1], want)
		}
	}
	diff(t, "batches", len(h.batches), 6)
	diff(t, "first call", h.calls[0], `code-1-1-1 {"city":"Oslo"}`)
	diff(t, "ran", ran.Load(), int32(2))
}

// A hidden tool is not in the guide, and code cannot call it either.
func TestHiddenTool(t *testing.T) {
	var ran atomic.Int32
	p := standard.New(standard.Config{Visibility: []stage.VisibilityRule{{Tool: "weather"}}})
	m := says(t, code(`try { await callTool("weather", {city: "Oslo"}) } catch (e) { return typeof weather + " " + e.message }`))
	a := newAgent(t, agent.Config{Preset: &p, Tools: []tool.Tool{weather(&ran, 0)}, Model: m}, codeact.Runtime{})
	if _, answer := turn(t, a, agent.Text("go")); !strings.HasPrefix(answer, "undefined the tool \"weather\" is not available") || ran.Load() != 0 {
		t.Errorf("%q, ran %d", answer, ran.Load())
	}
	if strings.Contains(m.bodies[0], "weather") {
		t.Errorf("it is in the request: %s", m.bodies[0])
	}
}

func TestCallLimit(t *testing.T) {
	var ran atomic.Int32
	a := newAgent(t, agent.Config{Tools: []tool.Tool{weather(&ran, 0)}, Model: says(t, code(
		`let n = 0; for (;;) { try { await weather({city: "c" + n}); n++ } catch (e) { return e.message } }`))},
		codeact.Runtime{Limits: codeact.Limits{Calls: 3}})
	if _, answer := turn(t, a, agent.Text("go")); answer != "not called: the code made 3 calls, which is the limit" || ran.Load() != 3 {
		t.Errorf("%q after %d calls", answer, ran.Load())
	}
}

func TestNativeCallsAreNotRun(t *testing.T) {
	var ran atomic.Int32
	s, err := scripted.Parse([]byte("turns:\n  - calls: [{tool: weather, args: {city: Oslo}}]\n  - text: "+quote(final("x"))+"\n"), "s")
	if err != nil {
		t.Fatal(err)
	}
	m := &talker{Model: scripted.New(*s)}
	events, answer := turn(t, newAgent(t, agent.Config{Model: m, Tools: []tool.Tool{weather(&ran, 0)}}, codeact.Runtime{}), agent.Text("go"))
	if answer != "x" || ran.Load() != 0 || !strings.Contains(told(events, session.Notice)[0], "tools are called by code") {
		t.Errorf("%q, %d, %q", answer, ran.Load(), told(events, session.Notice))
	}
	if strings.Contains(m.bodies[1], "tool_calls") || !strings.Contains(m.bodies[1], "[tool call weather") {
		t.Errorf("sent back: %s", m.bodies[1])
	}
}

func TestCancelledTurn(t *testing.T) {
	for name, source := range map[string]string{"computing": `for (;;) {}`, "calling": `await weather({city: "Oslo"})`} {
		var ran atomic.Int32
		store := &memory.Store{}
		a := newAgent(t, agent.Config{Model: says(t, code(source), final("later")), Store: store, Tools: []tool.Tool{weather(&ran, time.Hour)}}, codeact.Runtime{ReAct: true})
		ctx, cancel := context.WithCancel(t.Context())
		var at time.Time
		time.AfterFunc(300*time.Millisecond, func() { at = time.Now(); cancel() })
		_, _, err := play(ctx, a, agent.Text("go"))
		if late := time.Since(at); !errors.Is(err, context.Canceled) || late > 100*time.Millisecond {
			t.Errorf("%s: %v, %v late", name, err, late)
		}
		v := folded(t, store)
		last := v.Messages[len(v.Messages)-1]
		if last.Role != chat.User || !strings.Contains(last.Text().String(), "did not run to its end") {
			t.Errorf("%s: the model is told %q", name, last.Text())
		}
		if _, answer := turn(t, a, agent.Text("again")); answer != "later" {
			t.Errorf("%s: afterwards %q", name, answer)
		}
	}
}

func TestRunAs(t *testing.T) {
	type result struct {
		N int `json:"n"`
	}
	a := newAgent(t, agent.Config{Model: says(t, code(`return {n: 4}`))}, codeact.Runtime{})
	got, err := agent.RunAs[result](t.Context(), a, "s", agent.Text("go"))
	if err != nil || got.N != 4 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestDeltasAreTheAnswer(t *testing.T) {
	a := newAgent(t, agent.Config{Model: says(t, code(`return 1`), final("one two"))}, codeact.Runtime{ReAct: true})
	text := ""
	for e, err := range a.Run(t.Context(), "s", agent.Text("go")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.DeltaText {
			text += e.Delta
		}
	}
	diff(t, "deltas", text, "one two")
}

func exists(name string) bool { _, err := os.Stat(name); return err == nil }

func workdir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
