package spawn_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/spawn"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool/permit"
)

// everything registers what a parent in plan mode with todos is made of.
func everything(t testing.TB, root string) *registry.Registry {
	reg := registry.New()
	src := files.New(files.Config{Root: root, Cwd: filepath.Join(root, "pkg", "web")})
	filetest.Must(t, standard.Define(reg.Global(), standard.Texts{Base: standard.Literal{Text: "PARENT-BASE"}, Instructions: standard.Literal{Text: "PARENT-RULES"}, Files: src}))
	for _, d := range []prompt.SectionDef{
		{Name: "todos", Channel: prompt.Reminder, Body: prompt.Body{Literal: "PARENT-TODOS"}},
		{Name: "plan", Channel: prompt.Reminder, Body: prompt.Body{Literal: "PLAN-REMINDER"}},
		{Name: "plan-banner", Order: 200, Body: prompt.Body{Literal: "PLAN-BANNER"}},
	} {
		if _, err := reg.Global().Section(d); err != nil {
			t.Fatal(err)
		}
	}
	return reg
}

func TestCaseC68(t *testing.T) {
	for _, tt := range []struct {
		inherit string
		want    []string
		lacks   []string
	}{
		{"inherit: [project, user]\n", []string{"You review.", "ROOT\n", "WEB\n"}, nil},
		{"inherit: []\n", []string{"You review."}, []string{"ROOT", "WEB"}},
		{"", []string{"You review.", "Work in steps."}, []string{"ROOT", "WEB"}},
		{"inherit: [base]\n", []string{"PARENT-BASE", "You review."}, []string{"ROOT", "WEB"}},
	} {
		t.Run(tt.inherit, func(t *testing.T) {
			root := t.TempDir()
			filetest.Write(t, root, map[string]string{".git/HEAD": "", "AGENTS.md": "ROOT\n", "pkg/web/AGENTS.md": "WEB\n",
				".proem/subagents/rev.md": "---\nname: rev\ndescription: reviewer\n" + tt.inherit + "---\nYou review.\n"})
			s := play(t, "turns: [{calls: [{id: c, tool: agent_spawn, args: {agent: rev, task: TASK}}]}, {text: ok}]", nil)
			s.dir = filepath.Join(root, ".proem", "subagents")
			s.guarded(t, permit.Plan)
			child := s.child(t, "turns: [{text: REVIEWED}]")
			var show *spawn.Spawner
			s.begin(t, func(c *spawn.Config, a *agent.Config) {
				a.System, a.Instructions, a.Registry = "", "", everything(t, root)
				c.Declarations = subagents.New(subagents.Config{Places: []subagents.Place{{Scope: "project", Root: root, Dir: ".proem/subagents", Trust: span.Workspace}}})
				build := c.Build
				c.Build = func(ctx context.Context, d *subagents.Declaration, depth int) (agent.Config, error) {
					cfg, err := build(ctx, d, depth)
					cfg.System, cfg.Registry = "", everything(t, root)
					return cfg, err
				}
			})
			show = s.spawner
			if got := results(s.run(t, agent.Text("go"))); !strings.Contains(got[0], "REVIEWED") {
				t.Fatalf("got %q", got)
			}
			system, body := child.Requests()[0].Summary.System, string(child.Requests()[0].Body)
			rest := system
			for _, want := range tt.want { // in this order
				_, after, ok := strings.Cut(rest, want)
				if !ok {
					t.Fatalf("the child's prompt lacks %q: %s", want, system)
				}
				rest = after
			}
			for _, no := range append(tt.lacks, "PARENT-TODOS", "PLAN-REMINDER", "PLAN-BANNER", "PARENT-RULES") {
				if no == "PARENT-RULES" && strings.Contains(tt.inherit, "base") {
					continue
				}
				if strings.Contains(body, no) {
					t.Errorf("the child was sent %s: %s", no, body)
				}
			}
			if tt.inherit == "inherit: []\n" {
				same(t, "the whole prompt", system, "You review.")
			}
			p, _, err := show.Preview(t.Context(), "rev", "TASK")
			filetest.Must(t, err)
			same(t, "preview", string(p.Body.JSON), body)
		})
	}
}

// Hidden and primary ones are not listed; the list follows the folder.
func TestCase42(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"a.md": "---\ndescription: d\n---\nx\n", "h.md": "---\ndescription: d\nhidden: true\n---\nx\n", "p.md": "---\ndescription: d\nmode: primary\n---\nx\n"})
	src := subagents.New(subagents.Config{Tool: "agent_spawn", Builtin: []subagents.Declaration{{Name: "program", Description: "d"}},
		Places: []subagents.Place{{Scope: "project", Root: dir, Dir: ".", Trust: span.Workspace}}})
	reg := registry.New()
	filetest.Must(t, standard.Define(reg.Global(), standard.Texts{Subagents: src}))
	s := play(t, "turns: [{text: ok}]", nil)
	s.begin(t, func(_ *spawn.Config, a *agent.Config) { a.Registry = reg })
	s.run(t, agent.Text("go"))
	system := s.server.Requests()[0].Summary.System
	if !strings.Contains(system, "- a: d\n- program: d") || strings.Contains(system, "- h:") || strings.Contains(system, "- p:") {
		t.Errorf("the list is %s", system)
	}
	write(t, dir, "b.md", "---\ndescription: new\n---\nx\n")
	s.run(t, agent.Text("again"))
	r := s.server.Requests()
	if body := string(r[len(r)-1].Body); !strings.Contains(body, "- b: new") {
		t.Errorf("the new one is not told: %s", body)
	}
}
