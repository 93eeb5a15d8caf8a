//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/inspect"
	"github.com/proemhq/proem/session"
)

// A world is a case's directory after its shell block ran, and what it takes to
// run the binary there.
type world struct {
	t         *testing.T
	dir, home string
	err       string // standard error of the last run
	exit      int
	env       []string
	before    string // the working directory of a run, below dir
}

// caseBlocks are the shell blocks of the cases by number.
func caseBlocks(t *testing.T) map[string]string {
	data, err := os.ReadFile("testdata/cases/CASES.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := map[string]string{}
	for _, part := range strings.Split(string(data), "\n### ")[1:] {
		id, _, _ := strings.Cut(part, " ")
		if m := regexp.MustCompile("(?s)(`{3,})sh\n(.*?)\n`{3,}\n").FindStringSubmatch(part); m != nil {
			block := m[2]
			if m[1] == "````" { // a block that itself holds fences
				_, rest, _ := strings.Cut(part, "````sh\n")
				block, _, _ = strings.Cut(rest, "\n````")
			}
			blocks[id] = block
		}
	}
	return blocks
}

// newWorld runs a case's block in a fresh directory with a fresh home.
func newWorld(t *testing.T, block string) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: filepath.Join(base, "w"), home: filepath.Join(base, "h")}
	for _, d := range []string{w.dir, w.home} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.env = []string{"W=" + w.dir, "H=" + w.home, "HOME=" + w.home, "LC_ALL=C.UTF-8", "TZ=UTC", "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0", "PROEM_CLI_TEST=1"}
	w.sh(block)
	return w
}

func (w *world) sh(script string) {
	w.t.Helper()
	cmd := exec.Command("bash", "-eu", "-c", "umask 022\n"+script)
	cmd.Dir, cmd.Env = w.dir, w.env[:len(w.env)-1]
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("the case's block: %v\n%s", err, out)
	}
}

// run runs the binary and returns its standard output.
func (w *world) run(args ...string) string {
	w.t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Dir, cmd.Env = filepath.Join(w.dir, w.before), w.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		w.exit = exit.ExitCode()
	case err != nil:
		w.t.Fatal(err)
	default:
		w.exit = 0
	}
	w.err = errs.String()
	return out.String()
}

// assemble is `proem prompt --json` with the test clock in a directory of the
// case.
func (w *world) assemble(cwd string, set ...string) inspect.Prompt {
	w.t.Helper()
	args := []string{"prompt", "--json", "--now", "2026-01-02T03:04:05Z", "--cwd", filepath.Join(w.dir, cwd)}
	for _, s := range set {
		if strings.HasPrefix(s, "--") {
			args = append(args, strings.Fields(s)...)
			continue
		}
		args = append(args, "--set", s)
	}
	out := w.run(args...)
	var p inspect.Prompt
	if w.exit != 0 {
		w.t.Fatalf("proem %s: exit status %d\n%s", strings.Join(args, " "), w.exit, w.err)
	}
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return p
}

// load returns the result of load_skill as the model gets it, in a run with a
// scripted model.
func (w *world) load(name, path string) string {
	w.t.Helper()
	args := map[string]string{"name": name}
	if path != "" {
		args["path"] = path
	}
	results := w.results(map[string]any{"calls": []any{map[string]any{"tool": "load_skill", "args": args}}}, map[string]any{"text": "done"})
	if len(results) != 1 {
		w.t.Fatalf("%d results\n%s", len(results), w.err)
	}
	return results[0]
}

// results runs a script of model answers in a session of its own and returns what
// the tools said.
func (w *world) results(turns ...any) []string {
	w.t.Helper()
	data, err := json.Marshal(map[string]any{"turns": turns})
	if err != nil {
		w.t.Fatal(err)
	}
	script := filepath.Join(w.home, "script.yaml")
	if err := os.WriteFile(script, data, 0o644); err != nil {
		w.t.Fatal(err)
	}
	out := w.run("run", "--trust", "project", "--model", "scripted:s", "--set", "scripted.file="+script, "--output", "stream-json", "go")
	var results []string
	for line := range strings.Lines(out) {
		var e session.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.t.Fatalf("%v\n%s", err, line)
		}
		if e.Kind == session.Result {
			results = append(results, e.Message.Results()[0].Text.String())
		}
	}
	return results
}

// docs returns the texts of the sections that were read from files.
func docs(p inspect.Prompt) []string {
	out := []string{}
	for _, s := range p.Sections {
		if s.Source == "file" {
			out = append(out, s.Text)
		}
	}
	return out
}

func (w *world) wantDocs(p inspect.Prompt, want ...string) {
	w.t.Helper()
	if got := docs(p); strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(want) {
		w.t.Errorf("got documents %q, want %q", got, want)
	}
}

// wantDiagnostics checks that exactly n diagnostics have the code, that they name
// a path, and that they were printed.
func (w *world) wantDiagnostics(p inspect.Prompt, code string, n int) {
	w.t.Helper()
	got := 0
	for _, d := range p.Diagnostics {
		if d.Code != code {
			continue
		}
		got++
		if d.Path == "" {
			w.t.Errorf("%s names no path: %s", code, d.Message)
		}
		if !strings.Contains(w.err, code+" "+d.Path) {
			w.t.Errorf("%s is not on standard error:\n%s", d, w.err)
		}
	}
	if got != n {
		w.t.Errorf("got %d diagnostics %s, want %d: %v", got, code, n, p.Diagnostics)
	}
}

// absent checks that a text is in no body, channel or diagnostic.
func (w *world) absent(p inspect.Prompt, text string) {
	w.t.Helper()
	all, err := json.Marshal(p)
	if err != nil {
		w.t.Fatal(err)
	}
	if bytes.Contains(all, []byte(text)) {
		w.t.Errorf("%q is in the report", text)
	}
	if strings.Contains(w.err, text) {
		w.t.Errorf("%q is on standard error", text)
	}
}

func section(p inspect.Prompt, name string) inspect.Section {
	for _, s := range p.Sections {
		if s.Name == name {
			return s
		}
	}
	return inspect.Section{}
}

// tile checks that the spans of every channel cover it without gap or overlap.
func tile(t *testing.T, p inspect.Prompt) {
	t.Helper()
	ends := map[string]int{}
	for _, s := range p.Spans {
		if s.Start != ends[s.Channel] || s.End < s.Start {
			t.Errorf("span %+v does not follow byte %d", s, ends[s.Channel])
		}
		if s.Section == "" {
			t.Errorf("span %+v has no origin", s)
		}
		ends[s.Channel] = s.End
	}
	for ch, text := range map[string]string{"system": p.Channels.System, "instructions": p.Channels.Instructions,
		"context": p.Channels.Context, "reminder": p.Channels.Reminder} {
		if ends[ch] != len(text) {
			t.Errorf("the spans of %s end at %d of %d", ch, ends[ch], len(text))
		}
	}
}

// within fails if f takes longer.
func within(t *testing.T, limit time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if d := time.Since(start); d > limit {
		t.Errorf("took %v, want at most %v", d, limit)
	}
}
