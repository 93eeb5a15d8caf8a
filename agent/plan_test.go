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
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/todo"
	"github.com/proemhq/proem/wire"
)

// planOn is what says that plan mode is on, in a reminder and in a result.
const planOn = "Plan mode is on"

// A planner is an agent with the file tools below a directory and those of todo and
// plan, whose requests are kept.
type planner struct {
	*agent.Agent
	dir  string
	sent []wire.Request
}

// newPlanner returns one. mode is that of the policy; empty: no permissions.
func newPlanner(t testing.TB, dir, turns string, store session.Store, mode permit.Mode, more ...tool.Tool) *planner {
	t.Helper()
	p := &planner{dir: dir}
	cfg := agent.Config{Model: script(t, "turns:\n"+turns), Store: store, System: "You help.",
		Tools: append(append(fs.All(fs.Config{Roots: []string{dir}}), more...), append(plan.New(), todo.New(todo.Config{}))...),
		Hooks: []agent.Hook{onRequest{"watch", func(_ agent.At, r wire.Request) (wire.Request, error) {
			p.sent = append(p.sent, r)
			return r, nil
		}}},
	}
	if mode != "" {
		policy, err := permit.New(permit.Config{Roots: []string{dir}, Mode: mode})
		filetest.Must(t, err)
		cfg.Permissions = &agent.Permissions{Policy: policy}
	}
	p.Agent = newAgent(t, cfg)
	return p
}

// prefix returns all that stands before the conversation.
func prefix(t testing.TB, r wire.Request) string {
	t.Helper()
	b, _ := wire.Prefix(r.System, r.Instructions, r.Tools)
	return string(b)
}

// reminderOf returns the reminder of a request, which is at most one and the last
// message.
func reminderOf(t testing.TB, r wire.Request) string {
	t.Helper()
	for i, m := range r.Messages {
		if m.Name == wire.Transient {
			if i != len(r.Messages)-1 {
				t.Errorf("message %d of %d is a reminder", i+1, len(r.Messages))
			}
			return m.Text().String()
		}
	}
	return ""
}

// inJSON returns everything in the messages of a request.
func inJSON(messages []chat.Message) string {
	b, _ := json.Marshal(messages)
	return string(b)
}

func setPlan(t testing.TB, a *agent.Agent, on bool) bool {
	t.Helper()
	changed, err := a.SetPlan(t.Context(), "s", on)
	filetest.Must(t, err)
	return changed
}

func planOf(t testing.TB, a *agent.Agent) plan.State {
	t.Helper()
	v, err := a.View(t.Context(), "s")
	filetest.Must(t, err)
	s, _ := v.State(plan.StateName)
	return plan.Parse(s.Value)
}

const writeOne = `  - calls: [{id: w, tool: write_file, args: {path: one.txt, content: x}}]` + "\n"

// TestCaseC65: plan mode across a compaction and another process.
func TestCaseC65(t *testing.T) {
	dir, logs := workdir(t), t.TempDir()
	open := func() *jsonl.Store {
		s, err := jsonl.Open(jsonl.Config{Dir: logs})
		filetest.Must(t, err)
		return s
	}
	store := open()
	a := newPlanner(t, dir, `
  - calls: [{tool: plan_enter}]
  - calls: [{tool: plan_write, args: {content: "1. THE PLAN"}}]
  - text: planned
  - text: yes
  - text: SUMMARY
`, store, permit.Bypass)
	turn(t, a.Agent, "s", "make a plan")
	turn(t, a.Agent, "s", "is it ready?")
	events, err := a.Compact(t.Context(), "s")
	if err != nil || !strings.Contains(kinds(events), "compacted") {
		t.Fatalf("got %s, %v", kinds(events), err)
	}
	filetest.Must(t, store.Close()) // the process ends
	store = open()
	defer store.Close()
	a = newPlanner(t, dir, writeOne+"  - text: refused\n", store, permit.Bypass)
	got := results(turn(t, a.Agent, "s", "write it"))
	if len(got) != 1 || !strings.HasPrefix(got[0], "!w: Not run: in the mode plan nothing is changed") {
		t.Errorf("got %v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "one.txt")); !os.IsNotExist(err) {
		t.Errorf("the file is there: %v", err)
	}
	for i, r := range a.sent {
		if n := strings.Count(inJSON(r.Messages), planOn); n != 1 || !strings.HasPrefix(reminderOf(t, r), planOn) {
			t.Errorf("request %d: plan mode is said %d times, at the end %q", i+1, n, reminderOf(t, r))
		}
		if text := reminderOf(t, r); !strings.Contains(text, "1. THE PLAN") { // the conversation lost it
			t.Errorf("request %d: the plan is not in %q", i+1, text)
		}
	}
}

// TestCaseC66: a user turns plan mode on and off.
func TestCaseC66(t *testing.T) {
	dir := workdir(t)
	store := &memory.Store{}
	a := newPlanner(t, dir, "  - text: before\n  - text: planning\n"+writeOne+"  - text: refused\n  - text: after\n"+
		"  - calls: [{id: x, tool: plan_exit}]\n  - text: later\n"+writeOne+"  - text: done\n", store, permit.Bypass)
	turn(t, a.Agent, "s", "hello")
	if !setPlan(t, a.Agent, true) || setPlan(t, a.Agent, true) {
		t.Error("turning it on twice is one change")
	}
	turn(t, a.Agent, "s", "plan")
	if got := results(turn(t, a.Agent, "s", "write")); len(got) != 1 || got[0][0] != '!' {
		t.Errorf("got %v", got)
	}
	if !setPlan(t, a.Agent, false) || setPlan(t, a.Agent, false) {
		t.Error("turning it off twice is one change")
	}
	turn(t, a.Agent, "s", "go on")
	before := planOf(t, a.Agent)
	diff(t, "the exit tool", results(turn(t, a.Agent, "s", "leave")), []string{"!x: plan_exit: not in plan mode"})
	diff(t, "after it", planOf(t, a.Agent), before)
	if got := results(turn(t, a.Agent, "s", "write")); len(got) != 1 || got[0][0] == '!' {
		t.Errorf("writing: %v", got)
	}

	const notice = "The user ended plan mode."
	var ons, notices, lengths []int
	for i, r := range a.sent {
		if diff(t, "tools", r.Tools, a.sent[0].Tools); prefix(t, r) != prefix(t, a.sent[0]) {
			t.Errorf("request %d: the prefix moved", i+1)
		}
		fresh := r.Messages
		if i > 0 {
			fresh = r.Messages[len(unreminded(a.sent[i-1].Messages)):]
		}
		ons, notices = append(ons, strings.Count(inJSON(fresh), planOn)), append(notices, strings.Count(inJSON(fresh), notice))
		lengths = append(lengths, strings.Count(inJSON(r.Messages), notice))
	}
	diff(t, "plan mode in new parts", ons, []int{0, 1, 1, 1, 0, 0, 0, 0, 0})
	diff(t, "notices in new parts", notices, []int{0, 0, 0, 0, 1, 0, 0, 0, 0})
	diff(t, "notices in all", lengths, []int{0, 0, 0, 0, 1, 1, 1, 1, 1})
}

// unreminded are the messages of a request without its reminder.
func unreminded(messages []chat.Message) []chat.Message {
	if n := len(messages); n > 0 && messages[n-1].Name == wire.Transient {
		return messages[:n-1]
	}
	return messages
}

// Turning it on and off before anything was sent leaves nothing in the
// conversation.
func TestPlanUnseen(t *testing.T) {
	a := newPlanner(t, workdir(t), "  - text: hello\n", &memory.Store{}, permit.Bypass)
	setPlan(t, a.Agent, true)
	if !planOf(t, a.Agent).Active {
		t.Error("a session cannot begin with plan mode")
	}
	setPlan(t, a.Agent, false)
	turn(t, a.Agent, "s", "hello")
	diff(t, "messages", len(a.sent[0].Messages), 1)
	if !strings.Contains(prefix(t, a.sent[0]), "call plan_enter first") || !strings.Contains(prefix(t, a.sent[0]), "todo_write when a task") {
		t.Errorf("no guidance in %s", prefix(t, a.sent[0]))
	}
}

// The mode of the session is the strictest, with and without permissions, and for
// calls of the very answer that turned it on (reference-agentscope 45).
func TestPlanEnforced(t *testing.T) {
	for _, mode := range []permit.Mode{"", permit.Default, permit.AcceptEdits, permit.Bypass} {
		t.Run(string("mode "+mode), func(t *testing.T) {
			dir := workdir(t)
			filetest.Write(t, dir, map[string]string{"a.txt": "A\n"})
			unsure := &fake{name: "unsure"} // nobody knows what it does
			a := newPlanner(t, dir, `
  - calls:
      - {id: r, tool: read_file, args: {path: a.txt}}
      - {id: p, tool: plan_enter}
      - {id: w, tool: write_file, args: {path: one.txt, content: x}}
      - {id: u, tool: unsure}
      - {id: r2, tool: read_file, args: {path: a.txt}}
      - {id: t, tool: todo_write, args: {todos: [{content: a}]}}
  - text: planned
`, &memory.Store{}, mode, unsure)
			var marks []string
			for e, err := range a.Run(t.Context(), "s", agent.Input{Text: "go", Mode: map[bool]permit.Mode{true: permit.Bypass}[mode != ""]}) {
				filetest.Must(t, err)
				if e.Kind == session.Result {
					r := e.Message.Results()[0]
					marks = append(marks, r.ID+map[bool]string{true: " refused"}[r.IsError])
				}
			}
			diff(t, "results", marks, []string{"r", "p", "w refused", "u refused", "r2", "t"})
			diff(t, "runs", int(unsure.ran.Load()), 0)
			if _, err := os.Stat(filepath.Join(dir, "one.txt")); !os.IsNotExist(err) {
				t.Errorf("the file is there: %v", err)
			}
		})
	}
}

// plan_exit asks whatever allows it, and the answer decides, also in another
// process.
func TestPlanExit(t *testing.T) {
	dir, store := workdir(t), &memory.Store{}
	const exits = `
  - calls: [{tool: plan_enter}, {tool: plan_write, args: {content: do it}}, {id: e1, tool: plan_exit, args: {summary: short}}, {id: w1, tool: write_file, args: {path: one.txt, content: x}}]
  - calls: [{id: e2, tool: plan_exit}, {id: w2, tool: write_file, args: {path: one.txt, content: x}}]
  - text: done
`
	a := newPlanner(t, dir, exits, store, permit.Bypass)
	turn(t, a.Agent, "s", "plan")
	q := asked(t, a.Agent, "s")
	if len(q) != 1 || q[0].Text != "Leave plan mode and carry out the plan?\nIn short: short\n| do it" {
		t.Fatalf("asked %v", q)
	}
	b := newPlanner(t, dir, strings.Join(strings.Split(exits, "\n")[2:], "\n"), store, permit.Bypass)
	got := results(answer(t, b.Agent, "s", session.Reply{Call: "e1", Text: "use two files"}))
	if len(got) != 2 || !strings.HasSuffix(got[0], "plan mode stays on. They say: use two files") || !strings.HasPrefix(got[1], "!w1: Not run") {
		t.Errorf("got %q", got)
	}
	diff(t, "state", planOf(t, b.Agent), plan.State{Active: true, Told: true, Plan: "do it"})
	got = results(answer(t, b.Agent, "s", session.Reply{Call: "e2", Text: "yes"}))
	if len(got) != 2 || got[0] != "e2: The user agreed. Plan mode is off: carry out the plan." || got[1][0] == '!' {
		t.Errorf("got %q", got)
	}
	diff(t, "state", planOf(t, b.Agent), plan.State{Agreed: 1, Plan: "do it"})
	if last := b.sent[len(b.sent)-1]; strings.Contains(inJSON(last.Messages[len(last.Messages)-2:]), planOn) {
		t.Error("plan mode is said after it ended")
	}
}

// A call that waits for a person is judged anew when plan mode came meanwhile.
func TestPlanWhileAsked(t *testing.T) {
	dir := workdir(t)
	a := newPlanner(t, dir, writeOne+"  - text: done\n", &memory.Store{}, permit.Default)
	turn(t, a.Agent, "s", "write")
	q := asked(t, a.Agent, "s")
	setPlan(t, a.Agent, true)
	got := results(answer(t, a.Agent, "s", verdict(q[0], "once")))
	if len(got) != 1 || !strings.HasPrefix(got[0], "!w: Not run: in the mode plan") {
		t.Errorf("got %v", got)
	}
}

// Texts that speak of a hidden tool are left out, and a note says why. That plan
// mode is on is said all the same.
func TestHiddenToolTexts(t *testing.T) {
	p := standard.New(standard.Config{Visibility: []stage.VisibilityRule{{Tool: "plan_exit"}, {Tool: "todo_write"}}})
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]"), Preset: &p, Tools: append(plan.New(), todo.New(todo.Config{}))})
	setPlan(t, a, true)
	pre, err := a.Preview(t.Context(), "s", agent.Text("x"))
	filetest.Must(t, err)
	system, reminder := pre.Assembly.Render(prompt.System), pre.Assembly.Render(prompt.Reminder)
	if strings.Contains(system, "todo_write") || !strings.Contains(system, "plan_enter") {
		t.Errorf("system: %s", system)
	}
	if !strings.Contains(reminder, planOn) || strings.Contains(reminder, "plan_exit") {
		t.Errorf("reminder: %s", reminder)
	}
	var notes []string
	for _, n := range pre.Assembly.Notes {
		if n.Stage == "tool-texts" {
			notes = append(notes, n.Name+": "+n.Reason)
		}
	}
	diff(t, "notes", notes, []string{"todo_write: the tool todo_write is not shown", "plan-tools: the tool plan_exit is not shown"})
}

func TestSetPlanFaults(t *testing.T) {
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]")})
	if _, err := a.SetPlan(t.Context(), "s", true); err == nil || !strings.Contains(err.Error(), "package plan") {
		t.Errorf("without the tools: %v", err)
	}
	if changed, err := a.SetPlan(t.Context(), "s", false); changed || err != nil {
		t.Errorf("turning off what is off: %v, %v", changed, err)
	}
	if _, err := a.SetPlan(t.Context(), "../s", false); err == nil {
		t.Error("a bad id")
	}
}

// What a session cannot keep makes the call an error, and nothing is kept.
func TestBadState(t *testing.T) {
	for name, s := range map[string]tool.State{
		"name": {Name: "A B", Value: json.RawMessage("1")}, "json": {Name: "a", Value: json.RawMessage("{")},
		"large": {Name: "a", Value: json.RawMessage(`"` + strings.Repeat("x", session.MaxState) + `"`)},
	} {
		store := &memory.Store{}
		keeps := &fake{name: "keeps", call: func(context.Context, json.RawMessage) (tool.Result, error) {
			return tool.Result{Text: tool.Text("fine").Text, State: []tool.State{{Name: "good", Value: json.RawMessage("[ 1 ]")}, s}}, nil
		}}
		got := results(turn(t, newAgent(t, agent.Config{Model: script(t, "turns: [{calls: [{tool: keeps, id: c}]}, {text: ok}]"), Tools: []tool.Tool{keeps}, Store: store}), "s", "x"))
		if len(got) != 1 || !strings.HasPrefix(got[0], "!c: the tool keeps is broken: ") {
			t.Errorf("%s: got %v", name, got)
		}
		diff(t, name, view(t, store, "s").States, []session.Standing(nil))
	}
}

// A value is recorded without blanks, before the result that it comes with.
func TestGoodState(t *testing.T) {
	store := &memory.Store{}
	var seen []tool.Kept
	keeps := &fake{name: "keeps", call: func(ctx context.Context, _ json.RawMessage) (tool.Result, error) {
		seen = append(seen, tool.StateOf(ctx, "a"))
		return tool.Result{State: []tool.State{{Name: "a", Value: json.RawMessage("[ 1 ]")}}}, nil
	}}
	events := turn(t, newAgent(t, agent.Config{Model: script(t, "turns: [{calls: [{tool: keeps}]}, {text: hm, calls: [{tool: keeps}]}, {text: ok}]"), Tools: []tool.Tool{keeps}, Store: store}), "s", "x")
	if got := kinds(events); !strings.Contains(got, "tool.call state tool.result request answer tool.call state tool.result") {
		t.Errorf("got %s", got)
	}
	diff(t, "seen", seen, []tool.Kept{{}, {Value: json.RawMessage("[1]"), Age: 2}})
	if s := view(t, store, "s").States; len(s) != 1 || s[0].Head >= s[0].Seq {
		t.Errorf("got %v", s)
	}
}
