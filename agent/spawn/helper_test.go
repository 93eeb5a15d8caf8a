package spawn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/spawn"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire/openaichat"
)

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

// A setting is a parent and what its children are made of.
type setting struct {
	dir      string // with the declarations
	server   *providertest.Server
	store    session.Store
	tools    []tool.Tool // of parent and children
	perm     *agent.Permissions
	spawner  *spawn.Spawner
	parent   *agent.Agent
	children provider.Model // nil: the parent's
}

// worker is a declaration that inherits nothing.
const worker = "---\nname: worker\ndescription: works\ninherit: []\n---\nYou work.\n"

// play returns a setting over a script that answers parent and children in turn.
func play(t testing.TB, script string, files map[string]string) *setting {
	t.Helper()
	s := &setting{dir: t.TempDir(), store: &memory.Store{}}
	if files == nil {
		files = map[string]string{"worker.md": worker}
	}
	filetest.Write(t, s.dir, files)
	s.server = providertest.New(t, providertest.Config{Script: providertest.Script(t, script)})
	return s
}

// child has the children answered by a server of their own.
func (s *setting) child(t testing.TB, script string) *providertest.Server {
	srv := providertest.New(t, providertest.Config{Script: providertest.Script(t, script)})
	s.children = srv.Model(openaichat.Dialect)
	return srv
}

// begin makes the parent; again, what another process would make.
func (s *setting) begin(t testing.TB, change ...func(*spawn.Config, *agent.Config)) *setting {
	t.Helper()
	machine := &env.Env{Clock: env.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
	cfg := agent.Config{Model: s.server.Model(openaichat.Dialect), ModelName: "test-model", System: "PARENT-BASE", Instructions: "PARENT-RULES",
		Store: s.store, Env: machine, Permissions: s.perm}
	sc := spawn.Config{
		Declarations: subagents.New(subagents.Config{Places: []subagents.Place{{Scope: "project", Root: s.dir, Dir: ".", Trust: span.Workspace}}}),
		Store:        s.store, Permissions: s.perm,
		Build: func(context.Context, *subagents.Declaration, int) (agent.Config, error) {
			c := agent.Config{Model: cfg.Model, ModelName: "test-model", System: "PARENT-BASE", Env: machine, Tools: s.tools}
			if s.children != nil {
				c.Model = s.children
			}
			return c, nil
		},
	}
	for _, f := range change {
		f(&sc, &cfg)
	}
	var err error
	s.spawner, err = spawn.New(sc)
	filetest.Must(t, err)
	t.Cleanup(func() { s.spawner.Close() })
	cfg.Tools = append(slices.Clone(s.tools), s.spawner.Tools()...)
	cfg.Hooks = append(cfg.Hooks, s.spawner)
	s.parent, err = agent.New(cfg)
	filetest.Must(t, err)
	return s
}

// run runs a turn that must succeed.
func (s *setting) run(t testing.TB, in agent.Input) []session.Event {
	t.Helper()
	var out []session.Event
	for e, err := range s.parent.Run(t.Context(), "s", in) {
		filetest.Must(t, err)
		out = append(out, e)
	}
	return out
}

func (s *setting) log(t testing.TB, id string) []session.Event {
	t.Helper()
	var out []session.Event
	for e, err := range s.store.Events(t.Context(), id) {
		filetest.Must(t, err)
		out = append(out, e)
	}
	_, err := session.Fold(out)
	filetest.Must(t, err)
	return out
}

// results lists the results as "id: text", errors with a "!".
func results(events []session.Event) (out []string) {
	for _, e := range events {
		if e.Kind == session.Result {
			r := e.Message.Results()[0]
			mark := ""
			if r.IsError {
				mark = "!"
			}
			out = append(out, mark+r.ID+": "+r.Text.String())
		}
	}
	return out
}

// notices lists the texts of notices.
func notices(events []session.Event) (out []string) {
	for _, e := range events {
		if e.Kind == session.Notice {
			out = append(out, e.Message.Text().String())
		}
	}
	return out
}

// last returns the text of the last answer.
func last(events []session.Event) (text string) {
	for _, e := range events {
		if e.Kind == session.Answer {
			text = e.Message.Text().String()
		}
	}
	return text
}

// gate is a tool that waits until it is opened.
type gate chan struct{}

func (gate) Spec() chat.ToolSpec { return chat.ToolSpec{Name: "gate", Description: "waits"} }

func (g gate) Call(ctx context.Context, _ json.RawMessage) (tool.Result, error) {
	select {
	case <-g:
		return tool.Text("open"), nil
	case <-ctx.Done():
		return tool.Result{}, ctx.Err()
	}
}

// spawns is an answer that begins so many workers.
func spawns(n int, background bool) string {
	var b strings.Builder
	b.WriteString("  - calls:\n")
	for i := range n {
		fmt.Fprintf(&b, "      - {id: c%d, tool: agent_spawn, args: {agent: worker, task: \"task %d\", background: %v}}\n", i+1, i+1, background)
	}
	return b.String()
}

func ids(events []session.Event) (out []string) {
	for _, e := range events {
		for _, task := range e.Tasks {
			out = append(out, task.ID+" "+task.State)
		}
	}
	return out
}

func write(t testing.TB, dir, name, text string) {
	filetest.Write(t, dir, map[string]string{filepath.ToSlash(name): text})
}
