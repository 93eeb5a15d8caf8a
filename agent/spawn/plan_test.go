package spawn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/todo"
)

// While its parent plans, a subagent changes nothing either, with permissions that
// allow everything and without any. Of the parent's plan and list it is told nothing.
func TestPlanningParent(t *testing.T) {
	for _, guarded := range []bool{true, false} {
		s := play(t, `
turns:
  - calls: [{tool: todo_write, args: {todos: [{content: PARENT-TODO}]}}, {tool: plan_enter}, {tool: plan_write, args: {content: PARENT-PLAN}}]
  - calls: [{id: c, tool: agent_spawn, args: {agent: worker, task: look}}]
  - text: DONE
`, nil)
		dir := s.guarded(t, permit.Bypass)
		if !guarded {
			s.perm = nil
		}
		s.tools = append(append(s.tools, todo.New(todo.Config{Every: 1})), plan.New()...)
		child := s.child(t, `
turns:
  - calls: [{id: w, tool: write_file, args: {path: one.txt, content: x}}]
  - text: TRIED
`)
		s.begin(t)
		s.run(t, agent.Text("go"))
		if _, err := os.Stat(filepath.Join(dir, "one.txt")); !os.IsNotExist(err) {
			t.Errorf("guarded %v: the file is there: %v", guarded, err)
		}
		requests := child.Requests()
		if len(requests) != 2 || !strings.Contains(string(requests[1].Body), "in the mode plan nothing is changed") {
			t.Fatalf("guarded %v: %d requests", guarded, len(requests))
		}
		for _, no := range []string{"PARENT-TODO", "PARENT-PLAN", "Plan mode is on", "Open items"} {
			if strings.Contains(string(requests[1].Body), no) {
				t.Errorf("guarded %v: the subagent is told %q", guarded, no)
			}
		}
		_, err := s.parent.SetPlan(t.Context(), "s", false)
		filetest.Must(t, err)
	}
}

// Plan mode that is turned on while a question waits holds for what was asked, of
// the agent and of a subagent, whatever is answered.
func TestPlanningMeanwhile(t *testing.T) {
	for _, name := range []string{"own", "subagent's"} {
		s := play(t, "turns:\n"+spawns(1, false)+"  - text: DONE\n", nil)
		if name == "own" {
			s = play(t, writing, nil)
		}
		dir := s.guarded(t, permit.Default)
		s.tools = append(s.tools, plan.New()...)
		s.child(t, writing)
		s.begin(t)
		s.run(t, agent.Text("go"))
		asked := s.asked(t)
		_, err := s.parent.SetPlan(t.Context(), "s", true)
		filetest.Must(t, err)
		reply := session.Reply{Call: asked[0].Call, Digest: asked[0].Digest}
		if reply.Text = "session"; reply.Digest != "" {
			reply.Text, reply.Verdict = "", "session"
		}
		s.run(t, agent.Input{Replies: []session.Reply{reply}})
		for _, file := range []string{"one.txt", "two.txt"} {
			if _, err := os.Stat(filepath.Join(dir, file)); !os.IsNotExist(err) {
				t.Errorf("%s: %s was written: %v", name, file, err)
			}
		}
		for i, want := range []string{"The subagent worker (s-1) asks: Which?", "Which?"} {
			if got := s.asked(t)[0].Text; (name == "own") == (i == 1) && got != want {
				t.Errorf("%s: asked is %q", name, got)
			}
		}
	}
}
