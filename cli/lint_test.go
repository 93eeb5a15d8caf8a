package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/cli"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/inspect"
	"github.com/proemhq/proem/inspect/lint"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
)

// at runs a command in a directory, without a home of anybody.
func at(t *testing.T, app cli.App, dir string, args ...string) (int, string, string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := cli.Run(context.Background(), app, cli.Process{Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Environ: []string{"HOME=" + filepath.Join(dir, "nobody")}, Dir: dir, Env: env.System()})
	return code, stdout.String(), stderr.String()
}

// linted returns the findings of lint, and checks that the exit status fits them.
func linted(t *testing.T, app cli.App, dir string, args ...string) []lint.Finding {
	t.Helper()
	code, stdout, stderr := at(t, app, dir, append([]string{"lint", "--json"}, args...)...)
	var r lint.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatalf("exit status %d: %v\n%s%s", code, err, stdout, stderr)
	}
	if want := map[bool]int{false: cli.ExitOK, true: cli.ExitFound}[r.Failed()]; code != want {
		t.Errorf("exit status %d, want %d", code, want)
	}
	return r.Findings
}

// shownPrompt is what a fresh project's prompt is made of.
func shownPrompt(t *testing.T, preset string) inspect.Prompt {
	t.Helper()
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{".git/": "", ".proem/agent.yaml": "system_prompt: You help.\n"})
	_, stdout, stderr := at(t, cli.App{}, dir, "prompt", "--json", "--preset", preset)
	var p inspect.Prompt
	if err := json.Unmarshal([]byte(stdout), &p); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return p
}

// TestS21 puts into a prompt what does not belong there, one thing at a time.
func TestS21(t *testing.T) {
	p := shownPrompt(t, "ai4j")
	loop := p.Sections[slices.IndexFunc(p.Sections, func(s inspect.Section) bool { return s.Name == "runtime" })].Text
	p = shownPrompt(t, "standard")
	find := func(name string) string {
		for _, s := range p.Sections {
			if s.Name == name {
				return s.Text
			}
		}
		t.Fatalf("the prompt has no section %s", name)
		return ""
	}
	tool := p.Tools[slices.IndexFunc(p.Tools, func(x inspect.Tool) bool { return x.Name == "grep" })].Description
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	for _, tt := range []struct {
		name, config, rule string
		args               []string
	}{
		{"volatile data in system", "system_prompt: 'You help. It is 2026-01-02T03:04:05Z in Hangzhou.'", "prompt.volatile", nil},
		{"an identifier in system", "system_prompt: 'You help. session_id: s_01J8ZQ5T7X'", "prompt.volatile", nil},
		{"what changes at every request", "preset: deepseek\nsections: [{name: now, class: turn, text: 'The queue holds 12 orders.'}]", "prompt.turn_in_prefix", nil},
		{"the result of a query in system", "system_prompt: " + quoted("You help.\n\n id | tea      | price\n----+----------+------\n 1  | longjing | 12\n(1 row)\n"), "prompt.data_in_system", nil},
		{"a table in system", "system_prompt: " + quoted("You help.\n\n| tea | price |\n|---|---|\n| a | 1 |\n| b | 2 |\n"), "prompt.data_in_system", nil},
		{"lines of values in system", "system_prompt: " + quoted("You help.\n\nid,tea,price\n1,longjing,12\n2,biluochun,14\n3,maofeng,9\n"), "prompt.data_in_system", nil},
		{"the user's message in instructions", "instructions: 'Now do this: fix the rounding of prices'", "prompt.input_copied", []string{"--input", "fix the rounding of prices"}},
		{"the runtime's own text in system", "system_prompt: " + quoted("You help.\n\n"+find("memory-recall")), "prompt.protocol_copied", nil},
		{"the text of the loop in system", "preset: ai4j\nsystem_prompt: " + quoted("You help. "+loop), "prompt.protocol_copied", nil},
		{"a protocol of one's own in system", "system_prompt: " + quoted("You help.\n\nThought: what to do\nAction: the tool\nObservation: its result\n"), "prompt.protocol_copied", nil},
		{"descriptions of tools copied", "system_prompt: " + quoted("You help. You may use grep. "+tool), "prompt.tool_copied", nil},
		{"both fields too long for a turn", "system_prompt: " + quoted(strings.Repeat("Be careful. ", 300)) + "\ninstructions: Do it.\nsteps: {max: 20}", "budget.turn", []string{"--turn-tokens", "10000"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			filetest.Write(t, dir, map[string]string{".git/": "", ".proem/agent.yaml": tt.config + "\n"})
			found := linted(t, cli.App{}, dir, tt.args...)
			if !slices.ContainsFunc(found, func(f lint.Finding) bool { return f.Rule == tt.rule }) {
				t.Errorf("no %s in %v", tt.rule, found)
			}
			for _, f := range found {
				if f.Rule != tt.rule {
					t.Errorf("also %v", f)
				}
			}
		})
	}
}

// TestS21None looks at what proem init writes.
func TestS21None(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{".git/": ""})
	if code, _, stderr := at(t, cli.App{}, dir, "init"); code != cli.ExitOK {
		t.Fatal(stderr)
	}
	for _, preset := range []string{"standard", "deepseek", "ai4j"} {
		if found := linted(t, cli.App{}, dir, "--preset", preset); len(found) > 0 {
			t.Errorf("%s: %v", preset, found)
		}
	}
}

// TestLintAgentScope: of the preset's own words only what they cost is told, not that
// they name tools.
func TestLintAgentScope(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{".git/": "", ".proem/subagents/r.md": "---\ndescription: reviews\n---\nYou review.\n"})
	var rules []string
	for _, f := range linted(t, cli.App{}, dir, "--preset", "agentscope", "--trust", "project") {
		rules = append(rules, f.Rule)
	}
	if want := []string{"prompt.turn_in_prefix", "prompt.unstable"}; !slices.Equal(rules, want) {
		t.Errorf("got %v, want %v", rules, want)
	}
}

// TestLintBuiltIn looks at agents that are built in Go, of which one says another
// thing in every run.
func TestLintBuiltIn(t *testing.T) {
	build := func(daily bool) func(cli.Setup) (*agent.Agent, error) {
		return func(s cli.Setup) (*agent.Agent, error) {
			reg := registry.New()
			read := source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
				if daily {
					return prompt.Fact{Text: "The menu that holds is that of " + s.Env.Clock.Now().Format("Mon")}, nil
				}
				return prompt.Fact{Text: "The menu holds."}, nil
			})
			if _, err := reg.Global().Dynamic(prompt.SectionDef{Name: "menu", Channel: prompt.Instructions, Class: prompt.Session}, read); err != nil {
				return nil, err
			}
			return agent.New(agent.Config{Model: s.Model, ModelName: s.ModelName, Store: s.Store, Env: s.Env, Registry: reg, System: "You review Go."})
		}
	}
	app := cli.App{Name: "acme", Agents: []cli.Agent{{Name: "calm", New: build(false)}, {Name: "daily", New: build(true)}}}
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{".git/": ""})
	if found := linted(t, app, dir); len(found) > 0 {
		t.Errorf("calm: %v", found)
	}
	found := linted(t, app, dir, "--all-agents")
	if len(found) != 1 || found[0].Rule != "prompt.unstable" || !slices.Equal(found[0].Agents, []string{"daily"}) {
		t.Errorf("all agents: got %v", found)
	}
	if found := linted(t, app, dir, "--agent", "daily", "--now", "2026-01-02T03:04:05Z"); len(found) != 1 || !strings.Contains(found[0].Message, `"Fri"`) || !strings.Contains(found[0].Message, `"Sat"`) {
		t.Errorf("daily: got %v", found)
	}
}

// TestLintCorpus looks at the instruction files of public projects: none of them
// makes lint fail, none is an error, and twice gives the same.
func TestLintCorpus(t *testing.T) {
	shared := os.Getenv("SHARED_DIR")
	if shared == "" {
		t.Skip("SHARED_DIR is not set: the corpus is not at hand")
	}
	projects, err := filepath.Glob(filepath.Join(shared, "corpus", "*", "LICENSE"))
	filetest.Must(t, err)
	if len(projects) == 0 {
		t.Fatal("there is no project in the corpus")
	}
	for _, license := range projects {
		dir := filepath.Dir(license)
		args := []string{"--set", "project.root_markers=[LICENSE]", "--set", "project.names=[AGENTS.md,CLAUDE.md,GEMINI.md]",
			"--set", "skills.roots=[.claude/skills,.gemini/skills,.agents/skills,.codex/skills,skills]"}
		found := linted(t, cli.App{}, dir, args...)
		warnings := 0
		for _, f := range found {
			if f.Severity == prompt.Error {
				t.Errorf("%s: %v", dir, f)
			}
			if f.Severity == prompt.Warning {
				warnings++
			}
		}
		if warnings > 5 {
			t.Errorf("%s: %d warnings: %v", dir, warnings, found)
		}
		_, first, _ := at(t, cli.App{}, dir, append([]string{"lint"}, args...)...)
		if _, second, _ := at(t, cli.App{}, dir, append([]string{"lint"}, args...)...); first != second {
			t.Errorf("%s: not the same twice", dir)
		}
	}
}

// BenchmarkLint looks at a prompt of 100 KB.
func BenchmarkLint(b *testing.B) {
	dir := b.TempDir()
	var text strings.Builder
	for i := 0; text.Len() < 100<<10; i++ {
		text.WriteString("Rule " + strings.Repeat(string(rune('a'+i%26)), 3+i%7) + ": never do " + time.Duration(i*7919).String() + " of it without `read_file` first.\n\n")
	}
	filetest.Write(b, dir, map[string]string{".git/": "", "AGENTS.md": text.String()})
	for b.Loop() {
		var out bytes.Buffer
		code := cli.Run(context.Background(), cli.App{}, cli.Process{Args: []string{"lint", "--quiet", "--set", "project.max_bytes=200000", "--turn-tokens", "100000000"},
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir, Env: env.System()})
		if code != cli.ExitOK {
			b.Fatalf("exit status %d: %s", code, out.String())
		}
	}
}
