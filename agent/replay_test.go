package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/clock"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

// A tape has the bodies that several models were sent, in order.
type tape struct {
	mu     sync.Mutex
	bodies []string
}

func (p *tape) model(t testing.TB, d wire.Dialect, yaml string) taped {
	m := script(t, yaml)
	m.Dialect = d
	return taped{m, p}
}

type taped struct {
	*scripted.Model
	tape *tape
}

func (m taped) Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	m.tape.mu.Lock()
	defer m.tape.mu.Unlock()
	m.tape.bodies = append(m.tape.bodies, string(b.JSON))
	return m.Model.Send(ctx, b)
}

// replays checks that every request of a session comes out as it was sent.
func replays(t *testing.T, a *agent.Agent, id string, sent []string, dialects ...wire.Dialect) {
	t.Helper()
	for i, want := range sent {
		r, err := a.Replay(t.Context(), id, i+1, dialects...)
		if err != nil {
			t.Errorf("request %d: %v", i+1, err)
		}
		if d := cmp.Diff(string(r.Body.JSON), want); d != "" || !r.Whole {
			t.Errorf("request %d, whole %v (-got +want):\n%s", i+1, r.Whole, d)
		}
		if r.Assembly.Hash() != r.Recorded.Assembly || r.Number != i+1 {
			t.Errorf("request %d: number %d, assembly %s, recorded %s", i+1, r.Number, r.Assembly.Hash(), r.Recorded.Assembly)
		}
	}
	var all []agent.Replayed // looked at when the reading is over
	for r, err := range a.Replays(t.Context(), id, dialects...) {
		if err != nil {
			t.Errorf("of all, request %d: %v", r.Number, err)
		}
		all = append(all, r)
	}
	if len(all) != len(sent) {
		t.Errorf("%d requests of %d", len(all), len(sent))
	}
	for i, r := range all[:min(len(all), len(sent))] {
		if string(r.Body.JSON) != sent[i] || r.Number != i+1 || len(r.Places) != len(r.Request.Messages) {
			t.Errorf("of all, request %d is another", i+1)
		}
		for j, p := range r.Places { // in order, and what stands there is what the event brought
			m := r.Request.Messages[j]
			wants := map[session.Kind]chat.Role{session.Input: chat.User, session.Context: chat.User, session.Answer: chat.Assistant, session.Result: chat.Tool}
			if want, ok := wants[p.Kind]; ok && m.Role != want {
				t.Errorf("request %d, message %d of role %v: comes from %s", i+1, j+1, m.Role, p.Kind)
			}
			if p.Event == 0 && m.Name == "" {
				t.Errorf("request %d, message %d: comes from nowhere", i+1, j+1)
			}
		}
	}
	if _, err := a.Replay(t.Context(), id, len(sent)+1, dialects...); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("no request %d; the last one is %d", len(sent)+1, len(sent))) {
		t.Errorf("behind the last: got %v", err)
	}
}

// wantFault checks what a replay says of a request.
func wantFault(t *testing.T, a *agent.Agent, id string, n int, what string, dialects ...wire.Dialect) *agent.ReplayError {
	t.Helper()
	_, err := a.Replay(t.Context(), id, n, dialects...)
	e, ok := errors.AsType[*agent.ReplayError](err)
	if !ok || e.What != what || e.Request != n || e.Session != id {
		t.Fatalf("request %d: got %v, want a fault of the %s", n, err, what)
	}
	return e
}

// A workshop is a project with files that change, and agents over it.
type workshop struct {
	dir, sessions string
	clock         *env.FakeClock
	env           *env.Env
	tape          *tape
	status        string // a fact that the tool changes
	stores        []*jsonl.Store
}

func newWorkshop(t *testing.T) *workshop {
	w := &workshop{dir: t.TempDir(), sessions: t.TempDir(), clock: env.NewFakeClock(t0), tape: &tape{}, status: "clean \xff"}
	w.env = &env.Env{Clock: w.clock}
	filetest.Write(t, w.dir, map[string]string{".git/": "", "AGENTS.md": "Use tabs. {{not a template}}\r\n" + strings.Repeat("Mind the gap.\r\n", 200)})
	return w
}

func (w *workshop) edit(t testing.TB, text string) {
	t.Helper()
	filetest.Write(t, w.dir, map[string]string{"AGENTS.md": text})
	filetest.Must(t, os.Chtimes(filepath.Join(w.dir, "AGENTS.md"), w.clock.Now(), w.clock.Now()))
	w.clock.Advance(time.Hour)
}

// agent returns an agent as another process would make it, and closes its store at
// the end of the test.
func (w *workshop) agent(t *testing.T, cfg agent.Config, reg *registry.Registry) *agent.Agent {
	t.Helper()
	store, err := jsonl.Open(jsonl.Config{Dir: w.sessions})
	filetest.Must(t, err)
	t.Cleanup(func() { store.Close() })
	for _, other := range w.stores { // the process before is gone
		filetest.Must(t, other.Release("s"))
	}
	w.stores = append(w.stores, store)
	if cfg.Store == nil {
		cfg.Store = store
	}
	if reg == nil {
		reg = registry.New()
	}
	must := func(_ *registry.Registration, err error) { filetest.Must(t, err) }
	g := reg.Global()
	must(g.Dynamic(prompt.SectionDef{Name: "files", Order: 300}, files.New(files.Config{Cwd: w.dir, Env: w.env})))
	must(g.Dynamic(prompt.SectionDef{Name: "date", Channel: prompt.Context}, clock.New(clock.Config{Env: w.env})))
	must(g.Dynamic(prompt.SectionDef{Name: "status", Channel: prompt.Context}, source.Func(func(_ context.Context, q source.Query) (prompt.Fact, error) {
		if w.status == "broken" {
			return prompt.Fact{}, errors.New("git: exit status 128")
		}
		return prompt.Fact{Text: fmt.Sprintf("%s for %s", w.status, q.Who.User)}, nil
	})))
	must(g.Section(prompt.SectionDef{Name: "reminder", Channel: prompt.Reminder, Body: prompt.Body{Literal: "Be brief."}}))
	must(g.Section(prompt.SectionDef{Name: "role", Order: 200, Body: prompt.Body{Literal: "You help {{who}}.", Template: true}}))
	must(g.Variable("who", "somebody"))
	cfg.Registry, cfg.Env = reg, w.env
	cfg.ModelName = "one"
	cfg.Tools = append(cfg.Tools, &fake{name: "touch", call: func(context.Context, json.RawMessage) (tool.Result, error) {
		w.edit(t, "Use spaces.\n")
		w.status = "dirty"
		return tool.Text("touched \u2028"), nil
	}})
	a, err := agent.New(cfg)
	filetest.Must(t, err)
	return a
}

func (w *workshop) say(t *testing.T, a *agent.Agent, in agent.Input) {
	t.Helper()
	for _, err := range a.Run(t.Context(), "s", in) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

const touches = "by: conversation\nturns: [{calls: [{tool: touch}, {tool: touch, args: {a: '<é>'}}]}, {text: done}, {text: ok}]"

// Every request of a session is made again byte for byte: over files that change
// in between, contexts that come and go, another model, variables and options of a
// turn, and another process in the middle.
func TestReplay(t *testing.T) {
	presets := map[string]func(t *testing.T) (agent.Config, *registry.Registry){
		"standard": func(*testing.T) (agent.Config, *registry.Registry) { return agent.Config{}, nil },
		"each turn": func(*testing.T) (agent.Config, *registry.Registry) {
			p := standard.New(standard.Config{})
			p.Refresh = preset.EachTurn
			return agent.Config{Preset: &p}, nil
		},
		"deepseek": func(t *testing.T) (agent.Config, *registry.Registry) {
			p, err := deepseek.New(deepseek.Config{})
			filetest.Must(t, err)
			composition := p.Preset()
			return agent.Config{Preset: &composition}, p.Registry
		},
	}
	for name, config := range presets {
		for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
			t.Run(name+" "+d.Name, func(t *testing.T) { testReplay(t, d, config) })
		}
	}
}

func testReplay(t *testing.T, d wire.Dialect, config func(*testing.T) (agent.Config, *registry.Registry)) {
	w := newWorkshop(t)
	process := func(yaml string) *agent.Agent {
		cfg, reg := config(t)
		cfg.Model, cfg.System = w.tape.model(t, d, yaml), "Base \xff."
		cfg.Fallback = []agent.Alternative{{Model: w.tape.model(t, openaichat.Dialect, touches), Name: "two"}}
		cfg.Request.Options.MaxOutputTokens = 100
		return w.agent(t, cfg, reg)
	}
	a := process(touches)
	w.say(t, a, agent.Input{Text: "first \xff", Who: prompt.Who{User: "ada", Attrs: map[string]string{"b": "1", "a": "2"}}})
	w.edit(t, "Use neither.\n")
	temperature := 0.5
	w.say(t, a, agent.Input{Text: "second", FreshPrefix: true, Vars: map[string]string{"who": "Ada"}, Options: wire.Options{Temperature: &temperature}, ModelName: "three"})

	b := process("turns: [{error: {status: 529}}, {error: {status: 529}}]")
	w.clock.Advance(48 * time.Hour)
	w.status = "clean"
	w.say(t, b, agent.Text("third"))
	replays(t, a, "s", w.tape.bodies, openaichat.Dialect)
	w.say(t, b, agent.Input{Text: "fourth", Images: []chat.Image{{MediaType: "image/png", Data: []byte("\x89PNG\xff")}}})

	filetest.Must(t, os.Remove(filepath.Join(w.dir, "AGENTS.md"))) // nothing is read
	w.status = "broken"
	if len(w.tape.bodies) != 7 {
		t.Fatalf("%d requests", len(w.tape.bodies))
	}
	replays(t, process("turns: [{text: unused}]"), "s", w.tape.bodies)
	for _, e := range readLog(t, w.stores[0], "s") { // bytes that are not UTF-8 are no change of the prefix
		if e.Kind == session.Context && strings.Contains(e.Message.Text().String(), "changed:base") {
			t.Errorf("told: %s", e.Message.Text())
		}
	}
	replays(t, a, "s", w.tape.bodies)
}

// Nothing is kept twice: what did not change between requests costs no contents.
func TestKeptOnce(t *testing.T) {
	w := newWorkshop(t)
	counts := &env.Failpoints{}
	store, err := jsonl.Open(jsonl.Config{Dir: w.sessions, Env: &env.Env{Fail: counts}})
	filetest.Must(t, err)
	defer store.Close()
	w.status = "clean"
	a := w.agent(t, agent.Config{Model: w.tape.model(t, openaichat.Dialect, "turns: [{text: ok}]"), Store: store}, nil)
	kept := func() int {
		sums, err := store.Sums(t.Context(), "s")
		filetest.Must(t, err)
		return len(sums)
	}
	w.say(t, a, agent.Text("one"))
	first, hits := kept(), counts.Hits()
	w.say(t, a, agent.Text("two"))
	w.say(t, a, agent.Text("three"))
	if kept() != first {
		t.Errorf("%d contents after turns without a change, %d before", kept(), first)
	}
	same := (counts.Hits() - hits) / 2
	w.status = "changed"
	w.say(t, a, agent.Text("four"))
	if kept() != first+1 { // the list of facts; the files in it are kept by themselves
		t.Errorf("%d contents after a small fact changed, %d before", kept(), first)
	}
	hits = counts.Hits()
	w.say(t, a, agent.Text("five"))
	if counts.Hits()-hits != same {
		t.Errorf("%d effects of a turn without a change, then %d", same, counts.Hits()-hits)
	}
	replays(t, a, "s", w.tape.bodies)
}

// Requests that hooks changed are made again as far as they are known.
func TestReplayWithHooks(t *testing.T) {
	w := newWorkshop(t)
	hooks := []agent.Hook{
		onInput{"input", func(_ agent.At, in agent.Input) (agent.Input, error) {
			in.Vars = map[string]string{"who": "Grace"}
			return in, nil
		}},
		onPrompt{"prompt", func(_ prompt.Channel, text string) (string, error) { return text + "\nHooked.", nil }},
		onRequest{"request", func(_ agent.At, r wire.Request) (wire.Request, error) {
			if len(r.Messages) > 4 {
				r.Options.User = fmt.Sprint("user of ", len(r.Messages))
			}
			return r, nil
		}},
	}
	a := w.agent(t, agent.Config{Model: w.tape.model(t, openaichat.Dialect, touches), Hooks: hooks}, nil)
	w.say(t, a, agent.Text("one"))
	again := w.agent(t, agent.Config{Model: script(t, "turns: [{text: ok}]"), Hooks: hooks}, nil)
	for n, sent := range w.tape.bodies {
		r, err := again.Replay(t.Context(), "s", n+1)
		filetest.Must(t, err)
		whole := len(r.Recorded.ChangedBy) == 0
		if r.Whole != whole || (string(r.Body.JSON) == sent) != whole || whole != (n == 0) {
			t.Errorf("request %d: whole %v, changed by %v, as sent %v", n+1, r.Whole, r.Recorded.ChangedBy, string(r.Body.JSON) == sent)
		}
		if !strings.Contains(r.Assembly.Render(prompt.System), "You help Grace.") || !strings.Contains(r.Assembly.Render(prompt.System), "Hooked.") {
			t.Errorf("request %d: the assembly is without hooks:\n%s", n+1, r.Assembly.Render(prompt.System))
		}
	}
	wantFault(t, w.agent(t, agent.Config{Model: script(t, "turns: [{text: ok}]")}, nil), "s", 1, agent.ReplayAssembly)
}

// A conversation that the provider keeps is continued at the recorded place.
func TestReplayChain(t *testing.T) {
	w := newWorkshop(t)
	host := providertest.New(t, providertest.Config{Script: providertest.Script(t, touches)})
	a := w.agent(t, agent.Config{Model: host.Model(openairesponses.Dialect), Request: agent.Request{Chain: true}}, nil)
	for range 2 {
		w.say(t, a, agent.Text("go on"))
	}
	var sent []string
	for _, r := range host.Requests() {
		sent = append(sent, string(r.Body))
	}
	if len(sent) != 3 || !strings.Contains(sent[2], "previous_response_id") {
		t.Fatalf("no chain: %q", sent)
	}
	replays(t, w.agent(t, agent.Config{Model: script(t, "turns: [{text: ok}]")}, nil), "s", sent, openairesponses.Dialect)
}

// Tools that come, change and go while the session runs come back as they were
// shown, under both policies.
func TestReplayChangingTools(t *testing.T) {
	for name, policy := range map[string]agent.ToolChanges{"live": agent.LiveTools, "frozen": agent.FrozenTools} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t)
			set := tool.NewSet("S", &said{fake: fake{name: "a"}, text: "first", schema: "{ \"type\" : \"object\" }"})
			set.Instruct("Use a.")
			config := agent.Config{Model: w.tape.model(t, openaichat.Dialect, touches), Sets: []tool.Set{set}, ToolChanges: policy}
			a := w.agent(t, config, nil)
			w.say(t, a, agent.Text("one"))
			set.Add(says("b", "joined"))
			w.say(t, a, agent.Text("two"))
			config.Tools = []tool.Tool{&fake{name: "extra"}}
			a = w.agent(t, config, nil)
			set.Add(says("a", "changed"))
			w.say(t, a, agent.Text("three"))
			set.Remove("a", "b")
			w.say(t, a, agent.Text("four"))
			replays(t, w.agent(t, agent.Config{Model: script(t, "turns: [{text: ok}]")}, nil), "s", w.tape.bodies)
		})
	}
}

// Every parameter of a request comes back.
func TestReplayParameters(t *testing.T) {
	yes, half := true, 0.5
	want := wire.Options{Temperature: &half, TopP: &half, MaxOutputTokens: 7, Reasoning: "low", ToolChoice: "auto", Parallel: &yes,
		Store: &yes, User: "u\xff", CacheKey: "k", Output: &wire.Output{Name: "o", Schema: json.RawMessage(`{ "type": "object"}`), Strict: true},
		Chain: wire.Chain{Begin: true}, NoStream: true, Extra: map[string]json.RawMessage{"x": json.RawMessage(`{ "b": 1, "a" : "<" }`), "a": json.RawMessage(`1`)}}
	for i := range reflect.TypeFor[wire.Options]().NumField() {
		if reflect.ValueOf(want).Field(i).IsZero() {
			t.Errorf("the option %s is not tested", reflect.TypeFor[wire.Options]().Field(i).Name)
		}
	}
	w := newWorkshop(t)
	store := &memory.Store{}
	request := agent.Request{Options: want, Placement: wire.Merged, Chain: true,
		Cache: wire.Cache{TTL: wire.TTL1h, Hints: []wire.CacheHint{{Place: wire.AfterSection, Section: "role", Back: 1, TTL: wire.TTL1h}}}}
	a := w.agent(t, agent.Config{Model: w.tape.model(t, openaichat.Dialect, `turns: [{text: "{}"}]`), Store: store, Request: request}, nil)
	in := agent.Input{Text: "hi", Who: prompt.Who{User: "u", Tenant: "t", Attrs: map[string]string{"a": "1"}}}
	w.say(t, a, in)
	other := w.agent(t, agent.Config{Model: script(t, "turns: [{text: ok}]"), Store: store}, nil)
	replays(t, other, "s", w.tape.bodies)
	r, err := other.Replay(t.Context(), "s", 1)
	filetest.Must(t, err)
	diff(t, "options", r.Request.Options, want)
	diff(t, "placement", r.Request.Placement, request.Placement)
	diff(t, "cache", r.Request.Cache, request.Cache)
	diff(t, "capability", r.Request.Capability, scripted.Capability())
}

// What a session told of changes to its prefix is told again: the same change at
// every request, a second one, one that is taken back, and a file that goes.
func TestReplayKeptPrefix(t *testing.T) {
	w := newWorkshop(t)
	w.status = "clean"
	config := agent.Config{Model: w.tape.model(t, openaichat.Dialect, "turns: [{text: ok}]")}
	a := w.agent(t, config, nil)
	for i, text := range []string{"Use tabs.\n", "Use spaces.\n", "Use spaces.\n", "Use both.\n", "Use tabs.\n", "", "Use tabs.\n"} {
		if i == 3 {
			a = w.agent(t, config, nil)
		}
		if w.edit(t, text); text == "" {
			filetest.Must(t, os.Remove(filepath.Join(w.dir, "AGENTS.md")))
		}
		w.say(t, a, agent.Text("go on"))
	}
	replays(t, w.agent(t, agent.Config{Model: script(t, "turns: [{text: ok}]")}, nil), "s", w.tape.bodies)
}
