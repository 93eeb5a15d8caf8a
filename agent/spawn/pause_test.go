package spawn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/ask"
	"github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/vfs"
)

// guarded gives a setting permissions and a tool that writes below dir.
func (s *setting) guarded(t testing.TB, mode permit.Mode) (dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	filetest.Must(t, err)
	p, err := permit.New(permit.Config{Roots: []string{dir}, Mode: mode})
	filetest.Must(t, err)
	s.perm = &agent.Permissions{Policy: p, Cwd: dir}
	s.tools = []tool.Tool{fs.WriteFile(fs.Config{Env: &env.Env{}, Space: vfs.Space{Roots: []vfs.Root{{Dir: dir, Name: "project"}}}}), ask.New(nil)}
	return dir
}

func (s *setting) asked(t testing.TB) []session.Ask {
	t.Helper()
	out, err := s.parent.Asked(t.Context(), "s")
	filetest.Must(t, err)
	return out
}

const writing = `
turns:
  - calls:
      - {id: w1, tool: write_file, args: {path: one.txt, content: "1\n"}}
      - {id: w2, tool: write_file, args: {path: two.txt, content: "2\n"}}
      - {id: q, tool: ask_user, args: {question: "Which?"}}
  - text: WROTE
`

// What a child may not do without asking is asked in the parent's turn, question by
// question, and each answer may come from another process.
func TestPause(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, false)+"  - text: DONE\n", nil)
	dir := s.guarded(t, "")
	child := s.child(t, writing)
	s.begin(t)
	all := s.run(t, agent.Text("go"))
	same(t, "stop", all[len(all)-1].Stop.Reason, agent.StopAsks)
	for _, step := range []struct{ question, answer string }{
		{"The subagent worker (s-1) wants to call write_file: it may change files\n    " + filepath.ToSlash(filepath.Join(dir, "one.txt")), "once"},
		{"The subagent worker (s-1) wants to call write_file: it may change files\n    " + filepath.ToSlash(filepath.Join(dir, "two.txt")), "not that one"},
		{"The subagent worker (s-1) asks: Which?", "the first"},
	} {
		q := s.asked(t)
		if len(q) != 1 || !strings.HasPrefix(q[0].Text, step.question) {
			t.Fatalf("asked %+v, want %s", q, step.question)
		}
		s.spawner.Close()
		s.begin(t)
		all = append(all, s.run(t, agent.Input{Replies: []session.Reply{{Call: q[0].Call, Text: step.answer}}})...)
	}
	got := results(all)
	if len(got) != 1 || !strings.Contains(got[0], "WROTE") {
		t.Errorf("results %q", got)
	}
	inner := strings.Join(results(s.log(t, "s-1")), "\n")
	if !strings.Contains(inner, "They say: not that one") || !strings.Contains(inner, "q: the first") {
		t.Errorf("inner results %s", inner)
	}
	if _, err := os.Stat(filepath.Join(dir, "one.txt")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "two.txt")); err == nil {
		t.Error("what was refused was written")
	}
	same(t, "requests of the child", len(child.Requests()), 2)
	for _, e := range all {
		if e.Kind == session.Result && e.Usage == nil {
			t.Error("what the child took is not recorded")
		}
	}
}

// A child is never freer than its parent: the mode of the turn holds for it, and in
// the background nobody can be asked.
func TestNeverFreer(t *testing.T) {
	for _, tt := range []struct {
		name       string
		policy     permit.Mode
		turn       permit.Mode
		background bool
		want       string
	}{
		{"plan of the policy", permit.Plan, "", false, "in the mode plan nothing is changed"},
		{"plan of the turn", permit.Bypass, permit.Plan, false, "in the mode plan nothing is changed"},
		{"background", "", "", true, "nobody can be asked"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := play(t, "turns:\n"+spawns(1, tt.background)+"  - text: DONE\n", nil)
			dir := s.guarded(t, tt.policy)
			s.child(t, "turns: [{calls: [{id: w, tool: write_file, args: {path: one.txt, content: x}}]}, {text: ok}]")
			s.begin(t)
			s.run(t, agent.Input{Text: "go", Mode: tt.turn})
			s.settle(t)
			if got := results(s.log(t, "s-1")); len(got) != 1 || !strings.Contains(strings.ToLower(got[0]), tt.want) {
				t.Errorf("got %q", got)
			}
			if _, err := os.Stat(filepath.Join(dir, "one.txt")); err == nil {
				t.Error("it was written")
			}
		})
	}
}
