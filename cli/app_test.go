package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/cli"
	"github.com/proemhq/proem/env"
)

// TestApp is a team's binary: an agent built in Go behind the same commands.
func TestApp(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"AGENTS.md": "Be brief.", ".proem/agent.yaml": "name: own", ".git/HEAD": ""} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var got cli.Setup
	app := cli.App{Name: "acme", Agents: []cli.Agent{{
		Name: "reviewer", Description: "reviews a change",
		New: func(s cli.Setup) (*agent.Agent, error) {
			got = s
			return agent.New(agent.Config{Model: s.Model, ModelName: s.ModelName, Store: s.Store, Env: s.Env, System: "You review Go."})
		},
	}}}
	run := func(args ...string) (int, string, string) {
		var stdout, stderr bytes.Buffer
		code := cli.Run(context.Background(), app, cli.Process{Args: args, Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
			Environ: []string{"HOME=" + t.TempDir()}, Dir: dir, Env: env.System()})
		return code, stdout.String(), stderr.String()
	}

	code, stdout, stderr := run("prompt")
	if code != cli.ExitOK || !strings.Contains(stdout, "You review Go.") || !got.Trusted || got.Root == "" {
		t.Errorf("prompt: exit status %d, setup %+v\n%s%s", code, got, stdout, stderr)
	}
	// The command line holds back what it reads itself, and names its own commands.
	if want := "run holds back 1 project file (.proem/agent.yaml) until acme trust"; !strings.Contains(stderr, want) {
		t.Errorf("got %s, want %s", stderr, want)
	}
	if code, stdout, stderr = run("explain", "You review Go"); code != cli.ExitOK || !strings.Contains(stdout, "generated:base") || !strings.Contains(stdout, "registered as a literal") {
		t.Errorf("explain: exit status %d\n%s%s", code, stdout, stderr)
	}
	if _, stdout, _ = run("explain", "--why-not", "AGENTS.md"); !strings.Contains(stdout, "an agent built in Go reads what its sources say") {
		t.Errorf("explain --why-not: got %s", stdout)
	}
	if _, _, stderr = run("diff", "preset:standard", "preset:deepseek"); !strings.Contains(stderr, "agent reviewer is built in Go and keeps its preset standard; deepseek is not used") {
		t.Errorf("diff of presets that are not used: got %s", stderr)
	}
	if run("prompt", "--trust", "none"); got.Trusted {
		t.Error("--trust none: the agent is told that the folder is trusted")
	}
	if _, _, stderr = run("prompt", "--agent", "nope"); !strings.Contains(stderr, "nope: there is no such agent; built in: reviewer") {
		t.Errorf("--agent nope: got %s", stderr)
	}
	if _, stdout, _ = run("__complete", "prompt", "--agent", ""); !strings.HasPrefix(stdout, "reviewer\treviews a change\n") {
		t.Errorf("completion of --agent: got %s", stdout)
	}
	if _, stdout, _ = run("run", "--help"); !strings.Contains(stdout, "acme run --trust project -") || strings.Contains(stdout, "proem run") {
		t.Errorf("run --help: got %s", stdout)
	}
}
