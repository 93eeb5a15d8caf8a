package agent_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
	asktool "github.com/proemhq/proem/tool/ask"
	"github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/permit"
)

// workdir returns a directory without links.
func workdir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// guarded returns an agent with the file tools and ask_user below dir.
func guarded(t testing.TB, dir, script_ string, store session.Store, p permit.Config, unattended bool, hooks ...agent.Hook) *agent.Agent {
	t.Helper()
	p.Roots = []string{dir}
	policy, err := permit.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return newAgent(t, agent.Config{
		Model: script(t, script_), Store: store, Hooks: hooks,
		Tools:       append(fs.All(fs.Config{Roots: []string{dir}}), asktool.New(nil)),
		Permissions: &agent.Permissions{Policy: policy, Unattended: unattended},
	})
}

// answer runs a turn on with replies.
func answer(t testing.TB, a *agent.Agent, id string, replies ...session.Reply) []session.Event {
	t.Helper()
	var out []session.Event
	for e, err := range a.Run(t.Context(), id, agent.Input{Replies: replies}) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

// asked returns the questions that wait in a session.
func asked(t testing.TB, a *agent.Agent, id string) []session.Ask {
	t.Helper()
	out, err := a.Asked(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func verdict(a session.Ask, v string, rules ...string) session.Reply {
	return session.Reply{Call: a.Call, Digest: a.Digest, Verdict: v, Rules: rules}
}

const twoWrites = `
turns:
  - calls:
      - {id: r, tool: read_file, args: {path: a.txt}}
      - {id: w1, tool: write_file, args: {path: one.txt, content: "1\n"}}
      - {id: w2, tool: write_file, args: {path: two.txt, content: "2\n"}}
  - text: "done"
`

func exists(t testing.TB, name string) bool {
	t.Helper()
	_, err := os.Stat(name)
	return err == nil
}

func TestAsksAndGoesOn(t *testing.T) {
	dir := workdir(t)
	filetest.Write(t, dir, map[string]string{"a.txt": "A\n"})
	store := &memory.Store{}
	a := guarded(t, dir, twoWrites, store, permit.Config{}, false)

	first := turn(t, a, "s", "write")
	diff(t, "first run", kinds(first), "session.start input prefix request answer tool.call tool.result ask stop")
	diff(t, "stop", stop(t, first).Stop.Reason, agent.StopAsks)
	q := asked(t, a, "s")
	if len(q) != 1 || q[0].Call != "w1" || q[0].Targets[0].Real != filepath.ToSlash(filepath.Join(dir, "one.txt")) {
		t.Fatalf("asked %+v", q)
	}
	diff(t, "why", q[0].Why, "it may change files")
	if exists(t, filepath.Join(dir, "one.txt")) {
		t.Fatal("it was written before anybody answered")
	}

	second := answer(t, a, "s", verdict(q[0], "once"))
	diff(t, "second run", kinds(second), "reply tool.call tool.result ask stop")
	q = asked(t, a, "s")
	diff(t, "asked again", q[0].Call, "w2")

	third := answer(t, a, "s", session.Reply{Call: "w2", Digest: q[0].Digest, Verdict: "deny", Note: "not that one"})
	diff(t, "third run", kinds(third), "reply tool.result request answer stop")
	got := results(third)
	if len(got) != 1 || !strings.HasPrefix(got[0], "!w2: Not run: a person refused it.") || !strings.Contains(got[0], "They say: not that one") {
		t.Errorf("got %q", got)
	}
	if !exists(t, filepath.Join(dir, "one.txt")) || exists(t, filepath.Join(dir, "two.txt")) {
		t.Error("what was allowed is not there, or what was refused is")
	}
	log := readLog(t, store, "s")
	for _, e := range log {
		if e.Seq > 1 && e.Turn != 1 {
			t.Errorf("event %d is of turn %d", e.Seq, e.Turn)
		}
	}
}

// A question is answered by another process, over a store on disk.
func TestAnswerElsewhere(t *testing.T) {
	dir, state := workdir(t), t.TempDir()
	filetest.Write(t, dir, map[string]string{"a.txt": "A\n"})
	open := func() (*agent.Agent, *jsonl.Store) {
		store, err := jsonl.Open(jsonl.Config{Dir: state, Env: &env.Env{Clock: env.NewFakeClock(t0)}})
		if err != nil {
			t.Fatal(err)
		}
		return guarded(t, dir, twoWrites, store, permit.Config{}, false), store
	}
	a, store := open()
	turn(t, a, "s", "write")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	b, store := open()
	defer store.Close()
	q := asked(t, b, "s")
	// All of them, from now on: the rule is offered, and the next call needs no answer.
	if len(q[0].Rules) == 0 {
		t.Fatalf("no rule is offered: %+v", q[0])
	}
	again := answer(t, b, "s", verdict(q[0], "session", q[0].Rules...))
	diff(t, "asked", asked(t, b, "s")[0].Call, "w2") // the rule is about one file
	diff(t, "results", results(again), []string{"w1: created one.txt (2 bytes)\n"})
}

func TestGrantHolds(t *testing.T) {
	dir := workdir(t)
	a := guarded(t, dir, `
turns:
  - calls: [{id: c1, tool: write_file, args: {path: n.txt, content: "1\n"}}]
  - text: "one"
  - calls: [{id: c2, tool: write_file, args: {path: n.txt, content: "2\n"}}]
  - text: "two"
`, &memory.Store{}, permit.Config{}, false)
	turn(t, a, "s", "a")
	q := asked(t, a, "s")[0]
	answer(t, a, "s", verdict(q, "session", q.Rules...))
	diff(t, "second turn", kinds(turn(t, a, "s", "b")), "input request answer tool.call tool.result request answer stop")
	if n := len(asked(t, a, "t")); n != 0 {
		t.Errorf("a session that does not exist asks %d questions", n)
	}
}

func TestUnattendedRefuses(t *testing.T) {
	dir := workdir(t)
	filetest.Write(t, dir, map[string]string{"a.txt": "A\n"})
	a := guarded(t, dir, twoWrites, &memory.Store{}, permit.Config{}, true)
	events := turn(t, a, "s", "write")
	diff(t, "stop", stop(t, events).Stop.Reason, "end")
	got := results(events)
	if len(got) != 3 || !strings.Contains(got[1], "nobody can be asked here") || !strings.Contains(got[1], "--allow 'write_file(path one.txt)'") {
		t.Errorf("got %q", got)
	}
}

func TestNewInputInsteadOfAnAnswer(t *testing.T) {
	dir := workdir(t)
	filetest.Write(t, dir, map[string]string{"a.txt": "A\n"})
	store := &memory.Store{}
	a := guarded(t, dir, twoWrites, store, permit.Config{}, false)
	turn(t, a, "s", "write")
	events := turn(t, a, "s", "never mind")
	diff(t, "results", results(events), []string{
		"!w1: not run: it needed the answer of a person, and nobody gave one",
		"!w2: not run: the turn was interrupted before this call",
	})
	readLog(t, store, "s")
}

// The modes hold for a turn, and the strictest of two says what is not done.
func TestModeOfATurn(t *testing.T) {
	dir := workdir(t)
	for _, tt := range []struct {
		mode    permit.Mode
		written bool
		stop    string
	}{
		{permit.Plan, false, "end"},
		{permit.AcceptEdits, true, "end"},
		{permit.Bypass, true, "end"},
		{permit.Default, false, agent.StopAsks},
		{"", false, agent.StopAsks},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			name := "n" + string(tt.mode) + ".txt"
			a := guarded(t, dir, "turns:\n  - calls: [{tool: write_file, args: {path: "+name+", content: x}}]\n  - text: ok\n", nil, permit.Config{}, false)
			var last session.Event
			for e, err := range a.Run(t.Context(), "s", agent.Input{Text: "w", Mode: tt.mode}) {
				if err != nil {
					t.Fatal(err)
				}
				last = e
			}
			diff(t, "stop", last.Stop.Reason, tt.stop)
			diff(t, "written", exists(t, filepath.Join(dir, name)), tt.written)
		})
	}
	a := guarded(t, dir, "turns:\n  - text: ok\n", nil, permit.Config{}, false)
	for _, err := range a.Run(t.Context(), "s", agent.Input{Text: "x", Mode: "yolo"}) {
		if err == nil || !strings.Contains(err.Error(), "plan, default, accept-edits, bypass") {
			t.Errorf("got %v", err)
		}
	}
}

// What the world makes of a call may change between question and answer: then the
// answer is to something else.
func TestAnswerToWhatChanged(t *testing.T) {
	dir := workdir(t)
	filetest.Write(t, dir, map[string]string{"a.txt": "A\n", "real.txt": "R\n"})
	a := guarded(t, dir, twoWrites, nil, permit.Config{}, false)
	turn(t, a, "s", "write")
	q := asked(t, a, "s")[0]
	if err := os.Symlink("real.txt", filepath.Join(dir, "one.txt")); err != nil {
		t.Fatal(err)
	}
	events := answer(t, a, "s", verdict(q, "once"))
	diff(t, "run", kinds(events), "reply ask stop")
	if why := asked(t, a, "s")[0].Why; !strings.Contains(why, "is not what would be done now") {
		t.Errorf("why: %s", why)
	}
}

func TestRepliesThatFitNothing(t *testing.T) {
	dir := workdir(t)
	filetest.Write(t, dir, map[string]string{"a.txt": "A\n"})
	a := guarded(t, dir, twoWrites, nil, permit.Config{}, false)
	turn(t, a, "s", "write")
	q := asked(t, a, "s")[0]
	before := q.Digest
	for name, reply := range map[string]session.Reply{
		"call":    {Call: "w2", Digest: before, Verdict: "once"},
		"digest":  {Call: "w1", Digest: "00", Verdict: "once"},
		"verdict": {Call: "w1", Digest: before, Verdict: "yes"},
		"rule":    {Call: "w1", Digest: before, Verdict: "session", Rules: []string{"*"}},
	} {
		t.Run(name, func(t *testing.T) {
			var failed error
			for _, err := range a.Run(t.Context(), "s", agent.Input{Replies: []session.Reply{reply}}) {
				failed = err
			}
			if failed == nil {
				t.Error("accepted")
			}
			diff(t, "still asked", asked(t, a, "s")[0].Digest, before)
		})
	}
	for _, err := range a.Run(t.Context(), "s", agent.Input{Text: "x", Replies: []session.Reply{verdict(q, "once")}}) {
		if err == nil {
			t.Error("a text and a reply in one input")
		}
	}
}

// ask_user pauses as well; what ran beside it is kept.
func TestToolAsks(t *testing.T) {
	dir := workdir(t)
	filetest.Write(t, dir, map[string]string{"a.txt": "A\n"})
	store := &memory.Store{}
	a := guarded(t, dir, `
turns:
  - calls:
      - {id: q1, tool: ask_user, args: {question: "Red or blue?"}}
      - {id: r, tool: read_file, args: {path: a.txt}}
      - {id: q2, tool: ask_user, args: {question: "Large?"}}
  - text: "ok"
`, store, permit.Config{}, false)
	events := turn(t, a, "s", "go")
	diff(t, "run", kinds(events), "session.start input prefix request answer tool.call tool.call tool.call tool.result ask ask stop")
	events = answer(t, a, "s", session.Reply{Call: "q2", Text: "yes"})
	diff(t, "one of two", kinds(events), "reply stop")
	events = answer(t, a, "s", session.Reply{Call: "q1", Text: "blue"})
	diff(t, "results", results(events), []string{"q1: blue", "q2: yes"})
	diff(t, "stop", stop(t, events).Stop.Reason, "end")
	readLog(t, store, "s")
}

// An answer to a tool's own question lets nothing else run that a hook puts in the
// place of the call meanwhile.
func TestAnswerToAnotherCall(t *testing.T) {
	dir, store := workdir(t), &memory.Store{}
	good := tool.Must(tool.Make(tool.Def[struct{}]{Name: "good",
		Call: func(context.Context, struct{}) (tool.Result, error) {
			return tool.Result{}, &tool.Pending{Question: "Red?"}
		},
		Answer: func(context.Context, struct{}, string) (tool.Result, error) { return tool.Text("good"), nil },
		Effect: func(context.Context, struct{}) tool.Effect { return tool.Effect{ReadOnly: true} }}))
	bad := &fake{name: "bad"}
	policy, err := permit.New(permit.Config{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	with := func(hooks ...agent.Hook) *agent.Agent {
		return newAgent(t, agent.Config{Model: script(t, "by: conversation\nturns:\n  - calls: [{id: c1, tool: good, args: {}}]\n  - text: ok\n"), Store: store,
			Tools: []tool.Tool{good, bad}, Permissions: &agent.Permissions{Policy: policy}, Hooks: hooks})
	}
	turn(t, with(), "s", "x")
	got := results(answer(t, with(redirect{}), "s", session.Reply{Call: "c1", Text: "blue"}))
	if len(got) != 1 || !strings.Contains(got[0], "not the call that would go on") || bad.ran.Load() > 0 {
		t.Errorf("got %q, bad ran %d times", got, bad.ran.Load())
	}
}

func TestToolAsksNobody(t *testing.T) {
	a := guarded(t, workdir(t), `
turns:
  - calls: [{id: q, tool: ask_user, args: {question: "Red?"}}]
  - text: "ok"
`, nil, permit.Config{}, true)
	got := results(turn(t, a, "s", "go"))
	if len(got) != 1 || !strings.Contains(got[0], "nobody can be asked here") {
		t.Errorf("got %q", got)
	}
}

// A tool that says nothing of its effect is asked about, and a hook cannot get a
// call past the policy.
func TestPolicySeesWhatRuns(t *testing.T) {
	dir := workdir(t)
	policy, err := permit.New(permit.Config{Roots: []string{dir}, Rules: []permit.Rule{{Action: permit.Deny, Tool: "bad"}}})
	if err != nil {
		t.Fatal(err)
	}
	good := tool.Must(tool.Make(tool.Def[struct{}]{Name: "good",
		Call:   func(context.Context, struct{}) (tool.Result, error) { return tool.Text("good"), nil },
		Effect: func(context.Context, struct{}) tool.Effect { return tool.Effect{ReadOnly: true} }}))
	bad, silent := &fake{name: "bad"}, &fake{name: "silent"}
	a := newAgent(t, agent.Config{
		Model: script(t, "turns:\n  - calls: [{id: c1, tool: good, args: {}}, {id: c2, tool: silent, args: {}}]\n  - text: ok\n"),
		Tools: []tool.Tool{good, bad, silent}, Permissions: &agent.Permissions{Policy: policy, Unattended: true},
		Hooks: []agent.Hook{redirect{}},
	})
	got := results(turn(t, a, "s", "x"))
	if len(got) != 2 || !strings.HasPrefix(got[0], "!c1: Not run: a rule denies it: bad") || !strings.Contains(got[1], "needs the consent") {
		t.Errorf("got %q", got)
	}
	if bad.ran.Load()+silent.ran.Load() > 0 {
		t.Error("it ran")
	}
}

// redirect has bad run in place of good.
type redirect struct{}

func (redirect) Name() string { return "redirect" }

func (redirect) InterceptCall(_ context.Context, _ agent.At, call chat.ToolCall) (chat.ToolCall, error) {
	if call.Name == "good" {
		call.Name, call.Args = "bad", json.RawMessage(`{}`)
	}
	return call, nil
}

// Whoever breaks off at the question can still answer it.
func TestBreakAtTheQuestion(t *testing.T) {
	dir := workdir(t)
	filetest.Write(t, dir, map[string]string{"a.txt": "A\n"})
	store := &memory.Store{}
	a := guarded(t, dir, twoWrites, store, permit.Config{}, false)
	for e, err := range a.Run(t.Context(), "s", agent.Text("write")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.Asked {
			break
		}
	}
	q := asked(t, a, "s")
	if len(q) != 1 {
		t.Fatalf("asked %v", q)
	}
	answer(t, a, "s", verdict(q[0], "once"))
	if !exists(t, filepath.Join(dir, "one.txt")) {
		t.Error("the answer had no effect")
	}
}

// The limits of a turn go on counting when it goes on.
func TestLimitsAcrossAPause(t *testing.T) {
	s := "turns:\n"
	for range 5 {
		s += "  - calls: [{tool: ask_user, args: {question: \"More?\"}}]\n"
	}
	a := newAgent(t, agent.Config{Model: script(t, s), Tools: []tool.Tool{asktool.New(nil)}, Limits: agent.Limits{Steps: 3}})
	turn(t, a, "s", "x")
	for range 2 {
		q := asked(t, a, "s")
		if len(q) != 1 {
			t.Fatalf("asked %v", q)
		}
		answer(t, a, "s", session.Reply{Call: q[0].Call, Text: "yes"})
	}
	q := asked(t, a, "s")
	events := answer(t, a, "s", session.Reply{Call: q[0].Call, Text: "yes"})
	diff(t, "stop", stop(t, events).Stop.Reason, agent.StopSteps)
}

// What a turn took before it paused counts for its limits.
func TestTokensAcrossAPause(t *testing.T) {
	a := newAgent(t, agent.Config{Model: script(t, `
turns:
  - calls: [{tool: ask_user, args: {question: "More?"}}]
    usage: {input: 400, output: 100}
  - calls: [{tool: ask_user, args: {question: "And more?"}}]
    usage: {input: 400, output: 100}
  - text: "never"
`), Tools: []tool.Tool{asktool.New(nil)}, Limits: agent.Limits{Tokens: 1000}})
	turn(t, a, "s", "x")
	q := asked(t, a, "s")
	if len(q) != 1 {
		t.Fatalf("asked %v", q)
	}
	events := answer(t, a, "s", session.Reply{Call: q[0].Call, Text: "yes"})
	diff(t, "stop", stop(t, events).Stop.Reason, agent.StopTokens)
}
