package config_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/span"
)

func TestLaterWins(t *testing.T) {
	dir := tree(t, map[string]string{
		"user/config.yaml":    "steps: {max: 1}\n",
		"w/.proem/agent.yaml": "steps: {max: 2}\n",
		"c/c.yaml":            "steps: {max: 3}\n",
	})
	o := config.Options{}
	check := func(want int, layer string, trust span.Trust) {
		t.Helper()
		c := load(t, o)
		if got := c.Steps.Max; got != want {
			t.Errorf("got %d, want %d", got, want)
		}
		if got := c.Origin("steps.max"); got.Layer != layer || got.Trust != trust {
			t.Errorf("got %+v, want layer %s, trust %s", got, layer, trust)
		}
	}
	check(50, config.DefaultLayer, span.Builtin)
	o.UserFile = at(dir).UserFile
	check(1, config.UserLayer, span.User)
	o.ProjectFile, o.Root = at(dir).ProjectFile, at(dir).Root
	check(1, config.UserLayer, span.User)
	o.TrustProject = true
	check(2, config.ProjectLayer, span.Workspace)
	o.ConfigFile = filepath.Join(dir, "c", "c.yaml")
	check(3, config.ConfigLayer, span.User)
	o.Environ = []string{"PROEM_STEPS_MAX=4"}
	check(4, config.EnvironmentLayer, span.User)
	o.Set = []string{"steps.max=5", "steps.max=6"}
	check(6, config.SetLayer, span.User)
	o.Set = append(o.Set, "steps.max=null")
	check(50, config.DefaultLayer, span.Builtin)
}

func TestMapsMergeListsReplace(t *testing.T) {
	dir := tree(t, map[string]string{
		"user/config.yaml": "variables: {a: 1, b: 2}\ntools: {deny: [x, y], changes: frozen}\nsystem_prompt: U\n",
		"w/.proem/agent.yaml": "variables: {c: 3, a: 4, b: null}\ntools: {deny: [z]}\nsystem_prompt_file: p.md\n" +
			"contexts:\n",
	})
	c := load(t, at(dir))
	if d := cmp.Diff(c.Variables, []config.Pair{{Name: "a", Value: "4"}, {Name: "c", Value: "3"}}); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(c.Tools, config.Tools{Deny: []string{"z"}, Changes: "frozen"}); d != "" {
		t.Error(d)
	}
	want := config.File{Path: filepath.Join(dir, "w", ".proem", "p.md")}
	if d := cmp.Diff(c.SystemPromptFile, want); d != "" || c.SystemPrompt != "" {
		t.Errorf("%q %s", c.SystemPrompt, d)
	}
}

func TestSet(t *testing.T) {
	dir := filepath.FromSlash("/w")
	o := config.Options{Cwd: dir, Set: []string{
		"variables.role=R", "variables.x=", "system_prompt=a=b", "instructions=", `description="# x"`,
		"sections=[{name: s, file: f.md}]",
		"providers.lab.base_url=http://h/v1", "providers.lab.headers.X-A.b=1",
		"prices.m-4.1.input=2", "prices={n: {output: 3}}",
		"instructions_file.default=d.md", "instructions_file.gpt-5.1*=e.md",
		"deepseek={identity: false}", "tools.allow=[a, b]",
	}}
	c := load(t, o)
	two, three := 2.0, 3.0
	for _, tt := range []struct{ got, want any }{
		{c.Variables, []config.Pair{{Name: "role", Value: "R"}, {Name: "x"}}},
		{c.SystemPrompt, "a=b"},
		{c.Description, "# x"},
		{c.Sections[0].File, filepath.Join(dir, "f.md")},
		{c.Providers, []config.Provider{{Name: "lab", BaseURL: "http://h/v1", Headers: []config.Pair{{Name: "X-A.b", Value: "1"}}}}},
		{c.Prices, []config.Price{{Model: "m-4.1", Input: &two}, {Model: "n", Output: &three}}},
		{c.InstructionsFile, config.File{Path: filepath.Join(dir, "d.md"), Models: []config.Model{{Glob: "gpt-5.1*", Path: filepath.Join(dir, "e.md")}}}},
		{c.DeepSeek, config.DeepSeek{RuntimeContext: true}},
		{c.Tools.Allow, []string{"a", "b"}},
		{c.Origin("system_prompt"), config.Origin{Path: "--set", Line: 1, Column: 15, Layer: "set", Trust: span.User}},
	} {
		if d := cmp.Diff(tt.got, tt.want); d != "" {
			t.Error(d)
		}
	}
}

func TestSetFaults(t *testing.T) {
	o := config.Options{Set: []string{"x", "project.max_byte=1", "max_bytes=1", "sections[0].text=a", "steps.max=a", "tools.allow=[",
		"instructions=# x", "name=1", "system_prompt=a: b", "system_prompt='", "scripted.file=a.yaml", "providers.a.url=x", "providers.a.base_ulr=x"}}
	want := []string{
		"--set:1:1: x: it must be KEY=VALUE",
		"--set:1:1: project.max_byte: unknown key; did you mean project.max_bytes?",
		"--set:1:1: max_bytes: unknown key; did you mean project.max_bytes?",
		"--set:1:1: sections[0].text: a list is given as a whole: sections=[…]",
		"--set:1:11: steps.max: is text; it must be a whole number",
		"--set:1:13: tools.allow: sequence end token ']' not found",
		"--set:1:1: instructions: the value is only a comment; put it into quotes",
		`--set:1:6: name: is a whole number; it must be text; quote it: "1"`,
		"--set:1:15: system_prompt: is a map; it must be text",
		"--set:1:15: system_prompt: could not find end character of single-quoted text; put a text that is not plain YAML into quotes",
		"--set:1:15: scripted.file: is relative; here a path must be absolute",
		"--set:1:1: providers.a.url: unknown key",
		"--set:1:1: providers.a.base_ulr: unknown key; did you mean providers.a.base_url?",
	}
	if d := cmp.Diff(faults(t, "$D", o), want); d != "" {
		t.Error(d)
	}
}

func TestEnvironment(t *testing.T) {
	o := config.Options{Cwd: filepath.FromSlash("/w"), Environ: []string{
		"PROEM_PROJECT_MAX_BYTES=7", "PROEM_VARIABLES_MISSING=keep", "PROEM_VARIABLES_ROLE=R", "PROEM_VARIABLES={a: b}",
		"PROEM_PROVIDERS_OPENAI_COMPATIBLE_BASE_URL=http://h", "PROEM_PROVIDERS_LAB_KEY_ENV=K", "PROEM_NAME=",
		"PROEM_STEP_MAX=3", "PROEM_SOMETHING_ELSE=1", "HOME=/x", "PROEM_TOOLS_ORDER=[a, b]", "PROEM_TODO_EVERY=1", "PROEM_TODO_EVERY=2",
	}}
	c, notes, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ got, want any }{
		{c.Project.MaxBytes, 7}, {c.VariablesMissing, "keep"}, {c.Name, "default"}, {c.Todo.Every, 2},
		{c.Variables, []config.Pair{{Name: "a", Value: "b"}, {Name: "role", Value: "R"}}},
		{c.Providers, []config.Provider{{Name: "lab", KeyEnv: "K"}, {Name: "openai-compatible", BaseURL: "http://h"}}},
		{c.Tools.Order, []string{"a", "b"}},
		{fmt.Sprint(notes), "[warning config.unknown_env PROEM_SOMETHING_ELSE: no key belongs to this variable " +
			"warning config.unknown_env PROEM_STEP_MAX: no key belongs to this variable; did you mean PROEM_STEPS_MAX?]"},
		{c.Origin("project.max_bytes"), config.Origin{Path: "PROEM_PROJECT_MAX_BYTES", Line: 1, Column: 1, Layer: "environment", Trust: span.User}},
	} {
		if d := cmp.Diff(tt.got, tt.want); d != "" {
			t.Error(d)
		}
	}
	o.Environ = []string{"PROEM_STEPS_MAX=x"}
	if d := cmp.Diff(faults(t, "$D", o), []string{"PROEM_STEPS_MAX:1:1: steps.max: is text; it must be a whole number"}); d != "" {
		t.Error(d)
	}
}
