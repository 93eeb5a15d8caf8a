//go:build unix

package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/inspect/explain"
)

// report is `proem explain --json` in a directory of a case.
func (w *world) explain(args ...string) explain.Report {
	w.t.Helper()
	out := w.run(append([]string{"explain", "--json", "--now", "2026-01-02T03:04:05Z"}, args...)...)
	var r explain.Report
	if w.exit != 0 {
		w.t.Fatalf("explain %q: exit status %d\n%s", args, w.exit, w.err)
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return r
}

// says checks what the command prints for people.
func (w *world) says(want string, args ...string) {
	w.t.Helper()
	if out := w.run(append([]string{"explain"}, args...)...); !strings.Contains(out, want) {
		w.t.Errorf("explain %q says\n%s\nwant %q in it", args, out, want)
	}
}

// explained are the cases that concern explain.
var explained = map[string]func(w *world){
	"C01": func(w *world) {
		w.says("later wins on conflict", "--cwd", filepath.Join(w.dir, "svc", "api"))
		if r := w.explain(); r.Conflicts != "later wins on conflict" {
			w.t.Errorf("conflicts %q", r.Conflicts)
		}
	},
	"C07": func(w *world) {
		w.says("AGENTS.override.md is not in the prompt\n  holds white space only; passed over [doc.blank]", "--why-not", "AGENTS.override.md")
		w.sh(`printf 'OV\n' > AGENTS.override.md`)
		w.says("AGENTS.md (AGENTS.md): shadowed by AGENTS.override.md [source files]")
		w.says("keeps out AGENTS.md: shadowed by AGENTS.override.md", "OV")
		w.says("shadowed by AGENTS.override.md [source files]", "--why-not", "AGENTS.md")
	},
	"C10": func(w *world) {
		w.says("a directory, not a regular file [doc.not_regular]", "--why-not", "AGENTS.md")
		w.says("a named pipe, not a regular file [doc.not_regular]", "--why-not", "sub/AGENTS.md", "--cwd", "sub")
	},
	"C39": func(w *world) {
		w.says("fence: changed from", "--section", "project:AGENTS.md")
	},
	"C41": func(w *world) {
		w.run("explain", "--html", "page.html")
		page, err := os.ReadFile(filepath.Join(w.dir, "page.html"))
		if err != nil {
			w.t.Fatalf("%v\n%s", err, w.err)
		}
		if strings.Contains(string(page), "sk-test") || !strings.Contains(string(page), "sk-…[redacted 48]") {
			w.t.Error("the page shows the secret, or no label")
		}
		w.says("token: sk-…[redacted 48]", "AGENTS.md")
	},
	"C54": func(w *world) {
		w.results(map[string]any{"text": "one"})
		id := strings.TrimSuffix(filepath.Base(w.sessions()[0]), ".jsonl")
		w.sh(`printf 'v2\n' > AGENTS.md`)
		w.says("AGENTS.md: changed since session start", "--session", id, "--trust", "project")
		w.says("freeze: keeps the prefix", "--session", id)
	},
	"C86": func(w *world) {
		r := w.explain("--set", "dialect=anthropic")
		if r.Body.Name != "body anthropic" {
			w.t.Errorf("the body is %q", r.Body.Name)
		}
		tools := strings.Index(r.Body.Text, `"tools":[`)
		if tools < 0 {
			w.t.Fatal("the body has no tools")
		}
		sliced := 0
		for _, text := range append(r.Texts, r.Body) {
			at := 0
			for _, g := range text.Ranges {
				if g.Start != at || g.Origin != g.Path && !strings.HasPrefix(g.Origin, "generated:") || g.Origin == "" {
					w.t.Errorf("%s: %+v after byte %d", text.Name, g, at)
				}
				at = g.End
				if !g.Exact || text.Name == r.Body.Name {
					continue
				}
				file, err := os.ReadFile(g.Path)
				if err != nil {
					w.t.Fatal(err)
				}
				if got, want := text.Text[g.Start:g.End], string(file[g.SrcStart:g.SrcEnd]); got != want {
					w.t.Errorf("%s: %+v reads %q, its source %q", text.Name, g, got, want)
				}
				sliced++
			}
			if at != len(text.Text) {
				w.t.Errorf("%s: the ranges end at %d of %d", text.Name, at, len(text.Text))
			}
		}
		if sliced < 2 {
			w.t.Errorf("%d ranges are slices of files", sliced)
		}
	},
}

func TestExplainCases(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	blocks := caseBlocks(t)
	for id, check := range explained {
		t.Run(id, func(t *testing.T) {
			block, ok := blocks[id]
			if !ok {
				t.Fatalf("there is no case %s", id)
			}
			check(newWorld(t, block))
		})
	}
}

// sessions returns the files of the recorded sessions.
func (w *world) sessions() []string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.home, ".local", "state", "proem", "projects", "*", "sessions", "*.jsonl"))
	if err != nil || len(found) == 0 {
		w.t.Fatalf("no session was recorded: %v\n%s", err, w.err)
	}
	return found
}

// A prompt of 100 KB is explained in a tenth of a second, start of the process
// included.
func TestExplainIsFast(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("measures time")
	}
	w := newWorld(t, `mkdir .git; for i in $(seq 1 2500); do echo "rule $i: keep it short, say why, and test it"; done > AGENTS.md`)
	best := time.Hour
	for range 10 {
		start := time.Now()
		r := w.explain("--set", "project.max_bytes=200000")
		best = min(best, time.Since(start))
		if len(r.Texts[0].Text) < 100_000 {
			t.Fatalf("the prompt has only %d bytes", len(r.Texts[0].Text))
		}
	}
	if best > 100*time.Millisecond {
		t.Errorf("took %v at best", best)
	}
}
