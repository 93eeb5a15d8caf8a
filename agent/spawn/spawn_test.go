package spawn_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/session"
)

// In the foreground the child's answer is the result; each side's request has
// nothing of the other's prompt but the task and the answer.
func TestForeground(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, false)+"  - text: PARENT-DONE\n", nil)
	child := s.child(t, "turns: [{text: CHILD-ANSWER}]")
	s.begin(t)
	events := s.run(t, agent.Text("USER-WORDS"))
	same(t, "answer", last(events), "PARENT-DONE")
	got := results(events)
	if len(got) != 1 || !strings.HasPrefix(got[0], "c1: The subagent worker (s-1) answers:\n<") || !strings.Contains(got[0], "\nCHILD-ANSWER\n") {
		t.Errorf("result %q", got)
	}
	asked := string(child.Requests()[0].Body)
	for _, secret := range []string{"PARENT-BASE", "PARENT-RULES", "USER-WORDS", "PARENT-DONE", "Work in steps"} {
		if strings.Contains(asked, secret) {
			t.Errorf("the child was sent %s: %s", secret, asked)
		}
	}
	for _, want := range []string{"You work.", "task 1"} {
		if !strings.Contains(asked, want) {
			t.Errorf("the child was not sent %q: %s", want, asked)
		}
	}
	for _, r := range s.server.Requests() {
		if strings.Contains(string(r.Body), "You work.") {
			t.Error("the parent was sent the child's prompt")
		}
	}
	log := s.log(t, "s-1")
	same(t, "parent", log[0].Parent, &session.Parent{Session: "s", Turn: 1, Step: 1, Call: "c1", Agent: "worker", Depth: 1})
	if from := log[1].Message.Parts[0].Text[0].From; from.Source != "model" {
		t.Errorf("the task is of %+v", from)
	}
	for _, e := range events {
		if e.Kind == session.Result && (e.Usage == nil || *e.Usage.Output == 0) {
			t.Errorf("the result has the usage %+v", e.Usage)
		}
	}
}

// More is told to a child that knows what it did, also by another process.
func TestSend(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, false)+`  - text: one
  - calls: [{id: m, tool: agent_send, args: {id: s-1, message: "and now?"}}, {id: x, tool: agent_send, args: {id: s-2, message: "you?"}}, {id: l, tool: agent_list}]
  - text: two
`, nil)
	child := s.child(t, "turns: [{text: FIRST}, {text: SECOND}]")
	s.begin(t)
	s.run(t, agent.Text("go"))
	s.spawner.Close()
	write(t, s.dir, "worker.md", strings.Replace(worker, "You work.", "You rest.", 1))
	s.begin(t)
	got := results(s.run(t, agent.Text("again")))
	if len(got) != 3 || !strings.Contains(got[0], "SECOND") || got[1] != `!x: this session has no subagent "s-2"; agent_list shows those that it has` {
		t.Errorf("results %q", got)
	}
	same(t, "list", got[2][:len("l: - s-1: worker, ")], "l: - s-1: worker, ")
	second := child.Requests()[1]
	body := string(second.Body)
	for _, want := range []string{"task 1", "FIRST", "and now?"} {
		if !strings.Contains(body, want) {
			t.Errorf("the second request lacks %q: %s", want, body)
		}
	}
	// C90: the prefix is that of the child's first request, whatever became of the file.
	if !strings.Contains(body, `"content":"You work."`) {
		t.Errorf("the prefix moved: %s", body)
	}
}

func TestRefusals(t *testing.T) {
	files := map[string]string{"worker.md": worker,
		"main.md":   "---\ndescription: d\nmode: primary\n---\nx\n",
		"secret.md": "---\ndescription: d\nhidden: true\n---\nx\n"}
	for _, tt := range []struct{ args, want string }{
		{`{agent: nobody, task: x}`, `!c: there is no subagent "nobody"; there are: worker`},
		{`{agent: main, task: x}`, `!c: main is started by the user only; there are: worker`},
		{`{agent: worker, task: " "}`, `!c: the task is empty; say what the subagent shall do`},
		{`{agent: worker}`, `!c: agent_spawn: the argument task is missing`},
		{`{agent: worker, task: x, cwd: /}`, `!c: agent_spawn: there is no argument cwd`},
	} {
		s := play(t, "turns: [{calls: [{id: c, tool: agent_spawn, args: "+tt.args+"}]}, {text: ok}]", files).begin(t)
		got := results(s.run(t, agent.Text("go")))
		if len(got) != 1 || !strings.HasPrefix(got[0], tt.want) {
			t.Errorf("%s: %q, want %q", tt.args, got, tt.want)
		}
	}
	// A hidden one is started by whoever knows its name.
	s := play(t, "turns: [{calls: [{id: c, tool: agent_spawn, args: {agent: secret, task: x}}]}, {text: ok}]", files)
	s.child(t, "turns: [{text: psst}]")
	if got := results(s.begin(t).run(t, agent.Text("go"))); !strings.Contains(got[0], "psst") {
		t.Errorf("got %q", got)
	}
}

// Declarations are read again when the folder changed.
func TestNewDeclaration(t *testing.T) {
	s := play(t, "turns: [{text: a}, {calls: [{id: c, tool: agent_spawn, args: {agent: late, task: x}}]}, {text: ok}]", nil)
	s.child(t, "turns: [{text: here}]")
	s.begin(t)
	s.run(t, agent.Text("go"))
	write(t, s.dir, "late.md", "---\ndescription: d\n---\nx\n")
	if got := results(s.run(t, agent.Text("go"))); !strings.Contains(got[0], "here") {
		t.Errorf("got %q", got)
	}
}
