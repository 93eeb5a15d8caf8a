package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

var plain = cmpopts.IgnoreUnexported(config.Config{})

// tree writes files below a new directory and returns it.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// at returns the options for a tree with the usual names.
func at(dir string) config.Options {
	return config.Options{
		UserFile:     filepath.Join(dir, "user", "config.yaml"),
		ProjectFile:  filepath.Join(dir, "w", ".proem", "agent.yaml"),
		Root:         filepath.Join(dir, "w"),
		TrustProject: true,
		Cwd:          filepath.Join(dir, "w"),
	}
}

func load(t testing.TB, o config.Options) config.Config {
	t.Helper()
	c, notes, err := config.Load(o)
	if err != nil {
		t.Fatal(err)
	}
	if len(notes) > 0 {
		t.Errorf("notes: %v", notes)
	}
	return c
}

// faults returns the lines of a Load that must fail, with the directory as $D.
func faults(t testing.TB, dir string, o config.Options) []string {
	t.Helper()
	_, _, err := config.Load(o)
	if err == nil {
		t.Fatal("no error")
	}
	text := filepath.ToSlash(strings.ReplaceAll(err.Error(), dir, "$D"))
	return strings.Split(text, "\n")
}

func TestDefaults(t *testing.T) {
	want := config.Config{
		Preset: "standard", Name: "default", VariablesMissing: "error", Placement: "auto",
		DeepSeek:   config.DeepSeek{Identity: true, RuntimeContext: true},
		AgentScope: config.AgentScope{TaskList: true, PlanMode: true, SkillsStyle: "list", SubagentsPlace: "before"},
		Project: config.Project{RootMarkers: []string{".git"}, Names: []string{"AGENTS.override.md", "AGENTS.md"},
			Fallbacks: []string{}, Load: "first", MaxBytes: 32768, ImportDepth: 5},
		Skills:    config.Skills{ListMaxBytes: 8000},
		Workspace: config.Workspace{Dir: ".proem", ExtraFiles: []string{}, MaxTokens: 8000},
		Tools:     config.Tools{Changes: "live"},
		Steps:     config.Steps{Max: 50},
		Todo:      config.Todo{Every: 6},
		Sources:   config.Sources{Timeout: 2 * time.Second},
	}
	if d := cmp.Diff(load(t, config.Options{}), want, plain); d != "" {
		t.Error(d)
	}
}

const everything = `
model: lab:m-1
dialect: anthropic
preset: deepseek
name: n
description: d
extends: ""
system_prompt_file: {default: a.md, "gpt-5*": b.md}
instructions: |
  one
  two
sections:
  - {name: s, text: hello, order: -1.5, template: true, class: turn, required: true, priority: 3}
  - name: f
    channel: instructions
    file: sub/f.md
contexts:
  - {name: c, text: x}
variables: {role: R, version: 1.20, on: true}
variables_missing: keep
placement: merged
refresh: step
deepseek: {identity: false, runtime_context: false, persona_prefix: p, persona_suffix: q, context_heading: h}
agentscope: {task_list: false, plan_mode: false, skills_style: xml, subagents_place: after}
project: {root_markers: [go.mod], names: [A.md], fallbacks: [CLAUDE.md], load: all, max_bytes: 1_000, import_depth: 0, strip_comments: true}
skills: {roots: [skills], list_max_bytes: 1}
workspace: {dir: home, extra_files: [X.md], max_tokens: 2}
budget: {input_tokens: 3}
tools: {order: [a, <unlisted-tools>], allow: [a], deny: [b], changes: frozen}
steps: {max: 4}
limits: {time: 1m30s, tokens: 5, cost: 1.5}
sampling: {temperature: 0, top_p: 1e-1, max_output_tokens: 6, reasoning: high}
permissions:
  - {action: deny, tool: "*", path: "**/.env"}
  - {action: allow, tool: shell, command: [sleep, 5, "*"]}
providers:
  lab: {base_url: "http://127.0.0.1:8000/v1", headers: {X-B: 1, X-A: z}, key_env: LAB_KEY, dialect: openai-chat}
scripted: {file: script.yaml}
todo: {every: 0}
sources: {timeout: 500ms}
fallback: ["openai:gpt-5"]
cache: {ttl: 1h}
prices:
  "lab:m-1.5*": {input: 1, cached: 0.1, cache_write: 1.25, output: 4, source: s, date: "2026-01-01"}
`

func TestEveryKey(t *testing.T) {
	dir := tree(t, map[string]string{"user/config.yaml": everything})
	in := func(name string) string { return filepath.Join(dir, "user", filepath.FromSlash(name)) }
	f := func(v float64) *float64 { return &v }
	want := config.Config{
		Model: "lab:m-1", Dialect: "anthropic", Preset: "deepseek", Name: "n", Description: "d",
		SystemPromptFile: config.File{Path: in("a.md"), Models: []config.Model{{Glob: "gpt-5*", Path: in("b.md")}}},
		Instructions:     "one\ntwo\n",
		Sections: []config.Part{
			{Name: "s", Text: "hello", Order: -1.5, Template: true, Class: prompt.Turn, Required: true, Priority: 3},
			{Name: "f", Channel: prompt.Instructions, Order: 250, File: in("sub/f.md"), Class: prompt.Session},
		},
		Contexts:         []config.Part{{Name: "c", Channel: prompt.Context, Order: 300, Text: "x", Class: prompt.Turn}},
		Variables:        []config.Pair{{Name: "role", Value: "R"}, {Name: "version", Value: "1.20"}, {Name: "on", Value: "true"}},
		VariablesMissing: "keep", Placement: "merged", Refresh: "step",
		DeepSeek:   config.DeepSeek{PersonaPrefix: "p", PersonaSuffix: "q", ContextHeading: "h"},
		AgentScope: config.AgentScope{SkillsStyle: "xml", SubagentsPlace: "after"},
		Project: config.Project{RootMarkers: []string{"go.mod"}, Names: []string{"A.md"}, Fallbacks: []string{"CLAUDE.md"},
			Load: "all", MaxBytes: 1000, StripComments: true},
		Skills:    config.Skills{Roots: []string{"skills"}, ListMaxBytes: 1},
		Workspace: config.Workspace{Dir: "home", ExtraFiles: []string{"X.md"}, MaxTokens: 2},
		Budget:    config.Budget{InputTokens: 3},
		Tools:     config.Tools{Order: []string{"a", "<unlisted-tools>"}, Allow: []string{"a"}, Deny: []string{"b"}, Changes: "frozen"},
		Steps:     config.Steps{Max: 4},
		Limits:    config.Limits{Time: 90 * time.Second, Tokens: 5, Cost: 1.5},
		Sampling:  config.Sampling{Temperature: f(0), TopP: f(0.1), MaxOutputTokens: 6, Reasoning: "high"},
		Permissions: []config.Permission{{Action: "deny", Tool: "*", Path: "**/.env"},
			{Action: "allow", Tool: "shell", Command: []string{"sleep", "5", "*"}}},
		Providers: []config.Provider{{Name: "lab", BaseURL: "http://127.0.0.1:8000/v1", KeyEnv: "LAB_KEY", Dialect: "openai-chat",
			Headers: []config.Pair{{Name: "X-B", Value: "1"}, {Name: "X-A", Value: "z"}}}},
		Scripted: config.Scripted{File: in("script.yaml")},
		Sources:  config.Sources{Timeout: 500 * time.Millisecond},
		Fallback: []string{"openai:gpt-5"},
		Cache:    config.Cache{TTL: time.Hour},
		Prices: []config.Price{{Model: "lab:m-1.5*", Input: f(1), Cached: f(0.1), CacheWrite: f(1.25), Output: f(4),
			Source: "s", Date: "2026-01-01"}},
	}
	c := load(t, at(dir))
	if d := cmp.Diff(c, want, plain); d != "" {
		t.Error(d)
	}
	for key, want := range map[string]config.Origin{
		"instructions":          {Path: in("config.yaml"), Line: 9, Column: 15, Layer: "user", Trust: span.User},
		"sections[0].text":      {Path: in("config.yaml"), Line: 13, Column: 21, Layer: "user", Trust: span.User},
		"sections[0].channel":   {Path: in("config.yaml"), Line: 13, Column: 5, Layer: "user", Trust: span.User},
		"sections[1].file":      {Path: in("config.yaml"), Line: 16, Column: 11, Layer: "user", Trust: span.User},
		"variables.version":     {Path: in("config.yaml"), Line: 19, Column: 31, Layer: "user", Trust: span.User},
		"prices.lab:m-1.5*.xyz": {Path: in("config.yaml"), Line: 44, Column: 17, Layer: "user", Trust: span.User},
		"system_prompt":         {Layer: "default"},
		"nothing.at.all":        {Layer: "default"},
	} {
		if d := cmp.Diff(c.Origin(key), want); d != "" {
			t.Errorf("%s: %s", key, d)
		}
	}
}
