package spawn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/spawn"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/source/clock"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/ask"
	"github.com/proemhq/proem/tool/fs"
	toolmemory "github.com/proemhq/proem/tool/memory"
	memorystore "github.com/proemhq/proem/tool/memory/store"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/skill"
	"github.com/proemhq/proem/tool/todo"
	"github.com/proemhq/proem/vfs"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// A house is an agent with everything that there is, over a folder that changes.
type house struct {
	t             testing.TB
	rnd           *rand.Rand
	dir, sessions string
	clock         *env.FakeClock
	dialect       wire.Dialect
	frozen, chain bool
	refresh       preset.Refresh
	main, small   *providertest.Server
	own           *skills.Memory
	set           *tool.OpenSet
	closeAll      func()
	spawner       *spawn.Spawner
	agent         *agent.Agent
	store         *jsonl.Store
	edits         int
	shorter       map[string]bool // sessions that were made shorter
}

func newHouse(t testing.TB, seed uint64, d wire.Dialect) *house {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	filetest.Must(t, err)
	h := &house{t: t, rnd: rand.New(rand.NewPCG(seed, 6)), dir: dir, sessions: t.TempDir(), dialect: d,
		clock: env.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), own: skills.NewMemory(span.Builtin), set: tool.NewSet("srv"), shorter: map[string]bool{}}
	h.frozen = h.rnd.IntN(3) == 0
	h.refresh = []preset.Refresh{preset.EachSession, preset.EachSession, preset.EachTurn, preset.EachStep}[h.rnd.IntN(4)]
	h.chain = d.Name == "openai-responses" && h.rnd.IntN(2) == 0
	filetest.Write(t, dir, map[string]string{".git/": "", "AGENTS.md": "ROOT-RULE\n", "pkg/web/AGENTS.md": "WEB-RULE\n", "pkg/web/a.txt": strings.Repeat("line of a file\n", 500),
		".proem/MEMORY.md": "# Memory\n", ".proem/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: deploys\n---\nSKILL-BODY\n",
		".proem/subagents/worker.md": worker, ".proem/subagents/rev.md": "---\nname: rev\ndescription: reviews\ninherit: [project, runtime, workspace]\n---\nYou review.\n"})
	h.main = providertest.New(t, providertest.Config{Script: h.script(600, true)})
	h.small = providertest.New(t, providertest.Config{Script: h.script(300, false)})
	h.open()
	return h
}

// script returns answers by chance.
func (h *house) script(n int, parent bool) scripted.Script {
	args := func(format string, a ...any) scripted.Args { return scripted.Args(fmt.Sprintf(format, a...)) }
	var s scripted.Script
	for i := range n {
		if h.rnd.IntN(3) == 0 {
			s.Turns = append(s.Turns, scripted.Turn{Text: fmt.Sprintf("Answer %d. %s", i, strings.Repeat("so ", h.rnd.IntN(60)))})
			continue
		}
		if h.rnd.IntN(40) == 0 {
			s.Turns = append(s.Turns, scripted.Turn{Error: &scripted.Error{Status: 529}})
			continue
		}
		var t scripted.Turn
		for range 1 + h.rnd.IntN(3) {
			all := []scripted.Call{
				{Tool: "read_file", Args: args(`{"path":"pkg/web/a.txt","limit":%d}`, 1+h.rnd.IntN(400))},
				{Tool: "read_file", Args: args(`{"path":"AGENTS.md"}`)},
				{Tool: "write_file", Args: args(`{"path":"out%d.txt","content":"x %d"}`, h.rnd.IntN(3), i)},
				{Tool: "todo_write", Args: args(`{"todos":[{"content":"TODO-A","status":"in_progress"},{"content":"b %d","status":"pending"}]}`, i)},
				{Tool: "todo_write", Args: args(`{"todos":[{"content":"TODO-A","status":"completed"}]}`)},
				{Tool: "plan_enter"}, {Tool: "plan_exit"},
				{Tool: "plan_write", Args: args(`{"content":"PLAN-TEXT %d"}`, i)},
				{Tool: "load_skill", Args: args(`{"name":"deploy"}`)},
				{Tool: "load_skill", Args: args(`{"name":"own"}`)},
				{Tool: "memory_save", Args: args(`{"text":"entry %d <é>"}`, i)},
				{Tool: "memory_search", Args: args(`{"query":"entry"}`)},
				{Tool: "ask_user", Args: args(`{"question":"Which?"}`)},
				{Tool: "srv_tool"}, {Tool: "none"}, {Tool: "answer", Args: args(`{"Answer":"x"}`)},
			}
			if parent {
				all = append(all, scripted.Call{Tool: "agent_spawn", Args: args(`{"agent":"worker","task":"task %d"}`, i)},
					scripted.Call{Tool: "agent_spawn", Args: args(`{"agent":"rev","task":"task %d","background":true}`, i)},
					scripted.Call{Tool: "agent_send", Args: args(`{"id":"s-1","message":"more %d"}`, i)}, scripted.Call{Tool: "agent_list"})
			}
			t.Calls = append(t.Calls, all[h.rnd.IntN(len(all))])
		}
		s.Turns = append(s.Turns, t)
	}
	s.Turns = append(s.Turns, scripted.Turn{Text: "the end"})
	return s
}

// open makes what another process would make.
func (h *house) open() {
	t := h.t
	if h.closeAll != nil {
		h.closeAll()
	}
	machine := &env.Env{Clock: h.clock}
	store, err := jsonl.Open(jsonl.Config{Dir: h.sessions})
	filetest.Must(t, err)
	h.store = store
	policy, err := permit.New(permit.Config{Roots: []string{h.dir}})
	filetest.Must(t, err)
	perm := &agent.Permissions{Policy: policy, Cwd: h.dir}
	declared := subagents.New(subagents.Config{Env: machine, Tool: "agent_spawn", Places: []subagents.Place{{Scope: "project", Root: h.dir, Dir: ".proem/subagents", Trust: span.Workspace}}})
	set := skills.New(skills.Config{Tool: skill.Name, Tiers: []skills.Tier{
		{Scope: "project", Repo: skills.NewFolder(skills.FolderConfig{Env: machine, Root: h.dir, Dir: ".proem/skills", Trust: span.Workspace})},
		{Scope: "own", Repo: h.own}}})
	space := vfs.Space{Roots: []vfs.Root{{Dir: h.dir, Name: "project"}}}
	instructions := files.New(files.Config{Env: machine, Cwd: h.dir, Root: h.dir})
	make := func() agent.Config {
		reg := registry.New()
		filetest.Must(t, standard.Define(reg.Global(), standard.Texts{Files: instructions, Skills: set, Subagents: declared,
			Workspace: memory.New(memory.Config{Env: machine, Root: h.dir, Dir: ".proem", Shown: ".proem/"}), Date: clock.New(clock.Config{Env: machine})}))
		tools := append(fs.All(fs.Config{Env: machine, Space: space}), plan.New()...)
		tools = append(tools, todo.New(todo.Config{Every: 2}), ask.New(nil), skill.Load(set))
		tools = append(tools, toolmemory.Tools(memorystore.New(memorystore.Config{Env: machine, Root: h.dir, Dir: ".proem", Shown: ".proem/", Shared: true}))...)
		var specs []chat.ToolSpec
		for _, t := range tools {
			specs = append(specs, t.Spec())
		}
		guide := toolmemory.GuidanceFor(specs, true)
		for i, text := range []string{guide.Recall(), guide.Persistence()} {
			_, err := reg.Global().Section(prompt.SectionDef{Name: fmt.Sprint("memory-guide-", i), Order: standard.OrderRuntime - 50, Body: prompt.Body{Literal: text}})
			filetest.Must(t, err)
		}
		made := standard.New(standard.Config{Root: h.dir, Refresh: &h.refresh})
		return agent.Config{Preset: &made, Registry: reg, Env: machine, ModelName: "one", System: "PARENT-BASE", Tools: tools, Nested: instructions, Permissions: perm,
			Limits: agent.Limits{Steps: 6}, Compaction: agent.Compaction{Window: 9000, Reserve: -1, Summary: agent.Alternative{Model: h.small.Model(h.dialect), Name: "small"}}}
	}
	h.spawner, err = spawn.New(spawn.Config{Declarations: declared, Store: store, Permissions: perm,
		Build: func(context.Context, *subagents.Declaration, int) (agent.Config, error) {
			c := make()
			c.Model = h.small.Model(h.dialect)
			return c, nil
		}})
	filetest.Must(t, err)
	cfg := make()
	cfg.Model, cfg.Store = h.main.Model(h.dialect), store
	cfg.Fallback = []agent.Alternative{{Model: h.main.Model(openaichat.Dialect), Name: "two"}}
	cfg.Tools, cfg.Hooks, cfg.Sets = append(cfg.Tools, h.spawner.Tools()...), []agent.Hook{h.spawner}, []tool.Set{h.set}
	cfg.Request.Chain = h.chain
	if h.frozen {
		cfg.ToolChanges = agent.FrozenTools
	}
	h.agent, err = agent.New(cfg)
	filetest.Must(t, err)
	h.closeAll = func() { h.spawner.Close(); h.agent.Close(); store.Close() }
}

func (h *house) log(id string) []session.Event {
	var out []session.Event
	for e, err := range h.store.Events(h.t.Context(), id) {
		filetest.Must(h.t, err)
		out = append(out, e)
	}
	return out
}

func (h *house) view() session.View {
	v, err := h.agent.View(h.t.Context(), "s")
	filetest.Must(h.t, err)
	return v
}

// change changes something of the world.
func (h *house) change() {
	h.edits++
	touch := func(name, text string) {
		filetest.Write(h.t, h.dir, map[string]string{name: text})
		h.clock.Advance(time.Second)
		filetest.Must(h.t, os.Chtimes(filepath.Join(h.dir, name), h.clock.Now(), h.clock.Now()))
	}
	n := h.edits
	switch h.rnd.IntN(10) {
	case 0:
		touch("AGENTS.md", fmt.Sprintf("ROOT-RULE\nedit %d\n", n))
	case 1:
		os.Remove(filepath.Join(h.dir, "AGENTS.md"))
	case 2:
		touch(fmt.Sprintf(".proem/subagents/more%d.md", n%3), fmt.Sprintf("---\nname: more%d\ndescription: edit %d\n---\nYou.\n", n%3, n))
	case 3:
		os.Remove(filepath.Join(h.dir, ".proem/subagents/more1.md"))
	case 4:
		touch(".proem/skills/deploy/SKILL.md", fmt.Sprintf("---\nname: deploy\ndescription: deploys %d\n---\nSKILL-BODY %d\n", n, n))
	case 5:
		if n%2 == 0 {
			filetest.Must(h.t, h.own.Put("own", map[string]string{"SKILL.md": fmt.Sprintf("---\nname: own\ndescription: own %d\n---\nOWN-BODY\n", n)}))
		} else {
			h.own.Remove("own")
		}
	case 6:
		if n%2 == 0 {
			h.set.Add(named("srv_tool"))
			h.set.Instruct(fmt.Sprint("SRV ", n))
		} else {
			h.set.Remove("srv_tool")
		}
	case 7:
		touch("pkg/web/AGENTS.md", fmt.Sprintf("WEB-RULE\nedit %d\n", n))
	case 8:
		h.clock.Advance(24 * time.Hour)
	case 9:
		touch(".proem/MEMORY.md", fmt.Sprintf("# Memory\n- 2026-01-01: by hand %d\n", n))
	}
}

type named string

func (n named) Spec() chat.ToolSpec { return chat.ToolSpec{Name: string(n), Description: "does"} }

func (n named) Call(context.Context, json.RawMessage) (tool.Result, error) {
	return tool.Text("done"), nil
}

// crash has the process end in the midst of a turn: the last events were not stored.
func (h *house) crash() {
	h.closeAll()
	h.closeAll = nil
	ids := []string{"s", fmt.Sprint("s-", 1+h.rnd.IntN(4))}
	name := filepath.Join(h.sessions, ids[h.rnd.IntN(2)]+".jsonl")
	b, err := os.ReadFile(name)
	if err != nil { // there is none yet
		return
	}
	lines := strings.SplitAfter(string(b), "\n")
	if n := len(lines) - 1 - h.rnd.IntN(8); n > 1 {
		filetest.Must(h.t, os.WriteFile(name, []byte(strings.Join(lines[:n], "")), 0o600))
	}
}
