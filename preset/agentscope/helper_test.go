package agentscope_test

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/agentscope"
	"github.com/proemhq/proem/preset/agentscope/toolset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	toolmemory "github.com/proemhq/proem/tool/memory"
	"github.com/proemhq/proem/tool/memory/store"
	"github.com/proemhq/proem/wire"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

// has checks that a text holds all of the words, and none of those behind "not".
func has(t testing.TB, what, text string, words ...string) {
	t.Helper()
	not := false
	for _, w := range words {
		if w == "not" {
			not = true
			continue
		}
		if strings.Contains(text, w) == not {
			t.Errorf("%s: %q is there: %v\n%s", what, w, not, text)
		}
	}
}

// inOrder checks that the first occurrences of words stand in their order.
func inOrder(t testing.TB, text string, words ...string) {
	t.Helper()
	last := -1
	for _, w := range words {
		at := strings.Index(text, w)
		if at <= last {
			t.Errorf("%q is at %d, behind what should follow or nowhere:\n%s", w, at, text)
		}
		last = max(at, last)
	}
}

// A world is an agent with its files.
type world struct {
	t       testing.TB
	project string // its workspace is the folder .proem
	cfg     agentscope.Config
	parts   agentscope.Parts
	memory  memory.Config
	tools   []tool.Tool
	agent   agent.Config
	model   *recorder

	ready *agent.Agent
}

// newWorld returns one with files of the project, all tools and all parts.
func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	filetest.Must(t, err)
	filetest.Write(t, dir, files)
	w := &world{t: t, project: dir}
	home := filepath.Join(dir, ".proem")
	w.cfg.Place = agentscope.Place{Project: dir, Workspace: home}
	w.parts.Session = &agentscope.Session{Env: &env.Env{Clock: env.Fixed(t0)}, OS: "linux 6.1", Workspace: home, TempDir: "/tmp"}
	w.memory = memory.Config{Root: dir, Dir: ".proem"}
	w.parts.Skills = skills.New(skills.Config{Tiers: []skills.Tier{
		{Scope: "workspace", Repo: skills.NewFolder(skills.FolderConfig{Root: dir, Dir: ".proem/skills", Trust: span.Workspace})},
		{Scope: "own", Repo: skills.NewFolder(skills.FolderConfig{Root: dir, Dir: ".proem", PerUser: "skills", Trust: span.Workspace})},
	}})
	w.parts.Subagents = subagents.New(subagents.Config{Places: []subagents.Place{{Scope: "workspace", Root: dir, Dir: ".proem/subagents", Trust: span.Workspace}}})
	w.tools = append(toolset.Files(toolset.Config{Project: dir, Workspace: home, Resolve: w.resolve}),
		append(toolset.Rename(named("shell"), named("agent_spawn"), named("agent_list")), named("todo_write"), named("plan_exit"), toolset.LoadSkill(w.parts.Skills))...)
	w.tools = append(w.tools, toolmemory.Tools(store.New(store.Config{Root: dir, Dir: ".proem", Shared: true}))...)
	w.agent = agent.Config{System: "BASE", ModelName: "m", Env: &env.Env{Clock: env.Fixed(t0)}}
	return w
}

func (w *world) home() *agentscope.Home {
	h, _ := w.parts.Home.(*agentscope.Home)
	return h
}

func (w *world) resolve(ctx context.Context, name string) (string, string, bool) {
	at, err := w.home().Files().Resolve(ctx, tool.Who(ctx), name)
	return at.Root, at.Name, err == nil
}

// start makes the agent, once.
func (w *world) start(script string) *agent.Agent {
	w.t.Helper()
	if w.ready != nil {
		return w.ready
	}
	if w.parts.Home == nil {
		w.parts.Home = agentscope.NewHome(w.memory, nil)
	}
	reg := w.agent.Registry
	if reg == nil {
		reg = registry.New()
	}
	filetest.Must(w.t, agentscope.Define(reg.Global(), w.parts))
	s, err := scripted.Parse([]byte(script), "script.yaml")
	filetest.Must(w.t, err)
	w.model = &recorder{Model: scripted.New(*s)}
	p := agentscope.New(w.cfg)
	c := w.agent
	c.Model, c.Preset, c.Registry, c.Tools = w.model, &p, reg, w.tools
	w.ready, err = agent.New(c)
	filetest.Must(w.t, err)
	return w.ready
}

const done = "turns: [{text: done}]"

// preview returns the first request.
func (w *world) preview() agent.Preview {
	w.t.Helper()
	p, err := w.start(done).Preview(w.t.Context(), "s1", agent.Input{Text: "hi"})
	filetest.Must(w.t, err)
	return p
}

// system returns the system text of the first request.
func (w *world) system() string {
	w.t.Helper()
	p := w.preview()
	return p.Assembly.Render(prompt.System)
}

// run runs a turn and returns the system texts of its requests.
func (w *world) run(in agent.Input) []string {
	w.t.Helper()
	before := len(w.model.bodies)
	for _, err := range w.ready.Run(w.t.Context(), "s1", in) {
		filetest.Must(w.t, err)
	}
	var out []string
	for _, b := range w.model.bodies[before:] {
		out = append(out, systemOf(w.t, b))
	}
	return out
}

// systemOf returns the one system message of a body; it must stand first.
func systemOf(t testing.TB, body string) string {
	t.Helper()
	var b struct {
		Messages []struct{ Role, Content string }
	}
	filetest.Must(t, json.Unmarshal([]byte(body), &b))
	text := ""
	for i, m := range b.Messages {
		if m.Role != "system" {
			continue
		}
		if i > 0 {
			t.Errorf("message %d is a system message", i)
		}
		text = m.Content
	}
	return text
}

// call calls a tool of the world.
func (w *world) call(who prompt.Who, name, args string) tool.Result {
	w.t.Helper()
	w.start(done)
	for _, x := range w.tools {
		if x.Spec().Name == name {
			r, err := x.Call(tool.WithSession(tool.WithWho(w.t.Context(), who), "s1"), []byte(args))
			filetest.Must(w.t, err)
			return r
		}
	}
	w.t.Fatalf("there is no tool %s", name)
	return tool.Result{}
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

// A todo tool and the like, of which only the name counts.
type bare struct{ name string }

func named(name string) tool.Tool { return bare{name} }

func (b bare) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: b.name, Description: "Does " + b.name + ". More.", Parameters: []byte(`{"type":"object","properties":{"agent":{"type":"string"}},"required":["agent"]}`)}
}

func (b bare) Call(_ context.Context, args json.RawMessage) (tool.Result, error) {
	return tool.Text(b.name + string(args)), nil
}

// changing is a tool that does something to the world.
type changing struct{ do func() }

func (changing) Spec() chat.ToolSpec { return chat.ToolSpec{Name: "change"} }

func (c changing) Call(context.Context, json.RawMessage) (tool.Result, error) {
	c.do()
	return tool.Text("done"), nil
}

// without takes tools away.
func (w *world) without(names ...string) {
	var kept []tool.Tool
	for _, x := range w.tools {
		drop := false
		for _, n := range names {
			drop = drop || strings.HasPrefix(x.Spec().Name, n)
		}
		if !drop {
			kept = append(kept, x)
		}
	}
	w.tools = kept
}

func write(t testing.TB, path, text string) {
	t.Helper()
	filetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o777))
	filetest.Must(t, os.WriteFile(path, []byte(text), 0o666))
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	filetest.Must(t, err)
	return string(b)
}

// A host is a hook that transforms the prompt.
type host struct {
	name  string
	order int
	f     func(string) string
}

func (h host) Name() string { return h.name }

func (h host) PromptOrder() int { return h.order }

func (h host) TransformPrompt(_ prompt.Input, ch prompt.Channel, text string) (string, error) {
	if ch != prompt.System {
		return text, nil
	}
	return h.f(text), nil
}

func adds(name string, order int) host {
	return host{name, order, func(s string) string { return s + "\n\n" + name }}
}

// quiet is a hook that implements another point.
type quiet struct{}

func (quiet) Name() string { return "quiet" }

func (quiet) Observe(context.Context, string, session.Event) {}

func plan(p agentscope.Plan) func(context.Context) agentscope.Plan {
	return func(context.Context) agentscope.Plan { return p }
}

func todosOf(l *[]agentscope.Todo) func(context.Context) []agentscope.Todo {
	return func(context.Context) []agentscope.Todo { return *l }
}

// userTodos are those of whoever the session belongs to.
func userTodos(ctx context.Context) []agentscope.Todo {
	user, _, _ := strings.Cut(tool.Session(ctx), "-")
	return []agentscope.Todo{{Content: "todo of " + user, Status: "pending"}}
}

func loadSkill(s *skills.Set) tool.Tool { return toolset.LoadSkill(s) }

func renamed(t tool.Tool) tool.Tool { return toolset.Rename(t)[0] }

func refreshOf(name string) preset.Refresh {
	if name == "call" {
		return preset.EachTurn
	}
	return preset.EachStep
}
