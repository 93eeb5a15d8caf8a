package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/env"
)

func TestProjectIsNotTheUser(t *testing.T) {
	dir := tree(t, map[string]string{"w/.proem/agent.yaml": "model: openai:x\nmcp: {x: {command: [sh]}}\n" +
		"providers: {openai: {base_url: \"http://127.0.0.1:9\"}}\n"})
	o := at(dir)
	want := []string{
		"$D/w/.proem/agent.yaml:2:1: mcp: unknown key",
		"$D/w/.proem/agent.yaml:3:1: providers: is read from the user's own configuration only, never from a project's",
	}
	if d := cmp.Diff(faults(t, dir, o), want); d != "" {
		t.Error(d)
	}
	c, _, err := config.Load(o)
	if got := err.(config.Faults)[1].Code; got != config.CodeUserOnly {
		t.Errorf("got %s", got)
	}
	if len(c.Providers) > 0 {
		t.Errorf("the project's providers were taken: %v", c.Providers)
	}
}

func TestProjectStaysInside(t *testing.T) {
	dir := tree(t, map[string]string{"w/.proem/agent.yaml": `
system_prompt_file: ../../secret
instructions_file: {default: ../AGENTS.md, "*": /etc/passwd}
sections: [{name: a, file: ../../x}]
scripted: {file: /x}
workspace: {dir: .., extra_files: [../../x]}
skills: {roots: [/skills]}
project: {names: [../A.md], fallbacks: [.git/config], root_markers: [.git]}
contexts: [{name: b, file: ../.git/config}]
`})
	got := faults(t, dir, at(dir))
	want := []string{
		"2:21: system_prompt_file: ../../secret lies outside the project; a project's file names its own files only",
		"3:49: instructions_file.*: /etc/passwd lies outside the project; a project's file names its own files only",
		"4:28: sections[0].file: ../../x lies outside the project; a project's file names its own files only",
		"5:18: scripted.file: /x lies outside the project; a project's file names its own files only",
		`6:18: workspace.dir: ".." leads out of the project; a project's file names what lies in it`,
		`6:36: workspace.extra_files[0]: "../../x" leads out of the project; a project's file names what lies in it`,
		`7:18: skills.roots[0]: "/skills" leads out of the project; a project's file names what lies in it`,
		`8:19: project.names[0]: "../A.md" leads out of the project; a project's file names what lies in it`,
		`8:41: project.fallbacks[0]: ".git/config" lies in .git, which is no part of the project`,
		"9:28: contexts[0].file: ../.git/config lies in .git, which is no part of the project",
	}
	for i := range want {
		want[i] = "$D/w/.proem/agent.yaml:" + want[i]
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Error(d)
	}
}

func TestUntrustedIsNotOpened(t *testing.T) {
	dir := tree(t, map[string]string{"w/.proem/agent.yaml": "][", "w/.proem/agents/a.yaml": "]["})
	o := at(dir)
	o.TrustProject, o.UserFile = false, ""
	count := &env.Counters{}
	o.Env = &env.Env{Count: count}
	load(t, o)
	o.Agent = "a"
	want := []string{"--agent: a: the project is not trusted, so its agents are not read"}
	if d := cmp.Diff(faults(t, dir, o), want); d != "" {
		t.Error(d)
	}
	if got := count.Load().Opens; got != 0 {
		t.Errorf("%d opens", got)
	}
}

func TestLinks(t *testing.T) {
	dir := tree(t, map[string]string{"dotfiles/c.yaml": "steps: {max: 9}\n", "w/.proem/x": "", "user/x": ""})
	o := at(dir)
	for link, to := range map[string]string{o.UserFile: "../dotfiles/c.yaml", o.ProjectFile: "../../dotfiles/c.yaml"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	got := faults(t, dir, o)
	if len(got) != 1 {
		t.Errorf("got %q", got)
	}
	o.TrustProject = false
	if got := load(t, o).Steps.Max; got != 9 {
		t.Errorf("the user's link was not followed: %d", got)
	}
	if err := os.Remove(o.UserFile); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("config.yaml", o.UserFile); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(faults(t, dir, o), []string{"$D/user/config.yaml: too many symbolic links"}); d != "" {
		t.Error(d)
	}
}

func TestUsersDeniesStay(t *testing.T) {
	dir := tree(t, map[string]string{
		"user/config.yaml":    "permissions:\n  - {action: deny, tool: shell}\n  - {action: allow, tool: grep}\n  - {action: ask, tool: glob}\n",
		"w/.proem/agent.yaml": "permissions:\n  - {action: allow, tool: \"*\"}\n",
	})
	o := at(dir)
	want := []config.Permission{{Action: "deny", Tool: "shell"}, {Action: "ask", Tool: "glob"}, {Action: "allow", Tool: "*"}}
	c := load(t, o)
	if d := cmp.Diff(c.Permissions, want); d != "" {
		t.Error(d)
	}
	if a, b := c.Origin("permissions[0].action").Layer, c.Origin("permissions[2].action").Layer; a != "user" || b != "project" {
		t.Errorf("got %s, %s", a, b)
	}
	o.Set = []string{"permissions=[]"}
	if got := load(t, o).Permissions; len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestAgents(t *testing.T) {
	dir := tree(t, map[string]string{
		"w/.proem/agent.yaml":       "name: main\nmodel: openai:a\nvariables: {a: 1}\n",
		"w/.proem/agents/rev.yaml":  "description: reviews\nvariables: {b: 2}\nsystem_prompt_file: rev.md\n",
		"w/.proem/agents/sec.yaml":  "extends: rev\nmodel: openai:b\nname: s\n",
		"w/.proem/agents/solo.yaml": "extends: \"\"\n",
		"w/.proem/agents/loop.yaml": "extends: pool\n",
		"w/.proem/agents/pool.yaml": "extends: loop\n",
		"w/.proem/agents/lost.yaml": "name: x\nextends: rew\n",
	})
	o := at(dir)
	file := config.File{Path: filepath.Join(dir, "w", ".proem", "agents", "rev.md")}
	for _, tt := range []struct {
		agent, name, extends, model string
		vars                        int
		file                        config.File
	}{
		{"", "main", "", "openai:a", 1, config.File{}},
		{"default", "main", "", "openai:a", 1, config.File{}},
		{"rev", "rev", "default", "openai:a", 2, file},
		{"sec", "s", "rev", "openai:b", 2, file},
		{"solo", "solo", "", "", 0, config.File{}},
	} {
		o.Agent = tt.agent
		c := load(t, o)
		got := []any{c.Name, c.Extends, c.Model, len(c.Variables), c.SystemPromptFile}
		if d := cmp.Diff(got, []any{tt.name, tt.extends, tt.model, tt.vars, tt.file}); d != "" {
			t.Errorf("%q: %s", tt.agent, d)
		}
	}
	for agent, want := range map[string]string{
		"loop": "$D/w/.proem/agents/pool.yaml:1:1: loop: this agent extends itself",
		"lost": "$D/w/.proem/agents/lost.yaml:1:1: rew: there is no such agent; did you mean rev?",
		"zzzz": "--agent: zzzz: there is no such agent; there are loop, lost, pool, rev, sec, solo",
		"../x": "--agent: ../x: an agent's name is made of letters, digits, _ and -",
	} {
		o.Agent = agent
		if d := cmp.Diff(faults(t, dir, o), []string{want}); d != "" {
			t.Errorf("%s: %s", agent, d)
		}
	}
	names, err := config.Agents(nil, o.ProjectFile)
	if d := cmp.Diff(names, []string{"loop", "lost", "pool", "rev", "sec", "solo"}); d != "" || err != nil {
		t.Error(err, d)
	}
}
