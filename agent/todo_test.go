package agent_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"reflect"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/todo"
	"github.com/proemhq/proem/wire"
)

const (
	todoHead = "Open items of your list"
	five     = `{todos: [{content: a, status: %s}, {content: b, status: %s}, {content: c}, {content: d}, {content: e}]}`
)

// TestCaseC67: the todo tool is used at steps 3 and 4 of 12; a reminder comes six
// steps after the last use.
func TestCaseC67(t *testing.T) {
	doing, done := fmt.Sprintf(five, "in_progress", ""), strings.ReplaceAll(fmt.Sprintf(five, "completed", "completed"), "}, {content: c}, {content: d}, {content: e}",
		"}, {content: c, status: completed}, {content: d, status: completed}, {content: e, status: completed}")
	for _, tt := range []struct {
		name, third, fourth string
		every               int
		want                []int // the steps with a reminder
	}{
		{"every 6", doing, doing, 6, []int{10}},
		{"every 2", doing, doing, 2, []int{6, 8, 10, 12}},
		{"all done", doing, done, 6, nil},
		{"done and open again", done, doing, 6, []int{10}},
		{"none", "{todos: []}", "{todos: []}", 6, nil},
		{"an error is no use", doing, "{todos: [{content: a, status: odd}]}", 6, []int{9}},
		{"never", doing, doing, -1, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var turns strings.Builder
			for i := 1; i <= 12; i++ {
				switch i {
				case 3:
					turns.WriteString("  - calls: [{tool: todo_write, args: " + tt.third + "}]\n")
				case 4:
					turns.WriteString("  - calls: [{tool: todo_write, args: " + tt.fourth + "}]\n")
				case 6, 12: // the steps go on in another turn
					turns.WriteString("  - text: well\n")
				default:
					fmt.Fprintf(&turns, "  - calls: [{tool: look, args: {n: %d}}]\n", i)
				}
			}
			store := &memory.Store{}
			var sent []wire.Request
			a := newAgent(t, agent.Config{Model: script(t, "turns:\n"+turns.String()), Store: store, Tools: []tool.Tool{&fake{name: "look"}, todo.New(todo.Config{Every: tt.every})},
				Hooks: []agent.Hook{onRequest{"watch", func(at agent.At, r wire.Request) (wire.Request, error) {
					if !at.Preview {
						sent = append(sent, r)
					}
					return r, nil
				}}}})
			turn(t, a, "s", "go")
			pre, err := a.Preview(t.Context(), "s", agent.Text("go on"))
			filetest.Must(t, err)
			turn(t, a, "s", "go on")
			var got []int
			for i, r := range sent {
				if text := reminderOf(t, r); strings.Contains(text, todoHead) {
					got = append(got, i+1)
				}
				if n := strings.Count(inJSON(r.Messages), todoHead); n > 1 {
					t.Errorf("request %d has %d reminders", i+1, n)
				}
			}
			diff(t, "reminders", got, tt.want)
			diff(t, "the preview of step 7", reminderOf(t, pre.Request), reminderOf(t, sent[6]))
			if log := inJSON(view(t, store, "s").Messages); strings.Contains(log, todoHead) {
				t.Error("a reminder is in the history")
			}
			for _, s := range pre.Assembly.Sections {
				if s.Name == "todo-reminder" && s.Class != prompt.Turn {
					t.Errorf("class %v", s.Class)
				}
			}
		})
	}
}

// A rambler is a model that does whatever comes to its mind.
type rambler struct {
	*speaker
	rng *rand.Rand
}

func (m *rambler) ramble(n int, _ string) ([]wire.Event, error) {
	if m.rng.Intn(4) == 0 {
		return spoken(fmt.Sprint("answer ", n)), nil
	}
	var events []wire.Event
	for i := range 1 + m.rng.Intn(2) {
		name, args := "look", fmt.Sprintf(`{"n":%d}`, n)
		switch m.rng.Intn(5) {
		case 0:
			var items []string
			for k := range m.rng.Intn(4) {
				items = append(items, fmt.Sprintf(`{"content":"item %d","status":%q}`, k, []string{"pending", "completed", "in_progress", "odd"}[m.rng.Intn(4)]))
			}
			name, args = todo.Name, `{"todos":[`+strings.Join(items, ",")+`]}`
		case 1:
			name, args = plan.EnterName, `{}`
		case 2:
			name, args = plan.WriteName, fmt.Sprintf(`{"content":"plan %d"}`, n)
		}
		events = append(events, wire.Event{Kind: wire.CallEnd, Index: i, Call: &chat.ToolCall{ID: fmt.Sprintf("c%d-%d", n, i), Name: name, Args: json.RawMessage(args)}})
	}
	return events, nil
}

// Whatever happens, a request ends with at most one reminder, which is in no
// history, says what holds, and moves nothing before it.
func TestRemindersAtRandom(t *testing.T) {
	plans, todos := 0, 0
	for seed := range int64(200) {
		rng := rand.New(rand.NewSource(seed))
		store := &memory.Store{}
		model := &rambler{speaker: &speaker{}, rng: rng}
		model.say = model.ramble
		var sent []wire.Request
		begin := func() *agent.Agent {
			return newAgent(t, agent.Config{Model: model, Store: store, System: "You help.", Limits: agent.Limits{Steps: 6},
				Tools: append(plan.New(), &fake{name: "look"}, todo.New(todo.Config{Every: 1 + int(seed)%4})),
				Hooks: []agent.Hook{onRequest{"watch", func(_ agent.At, r wire.Request) (wire.Request, error) {
					v := view(t, store, "s")
					s, _ := v.State(plan.StateName)
					text := reminderOf(t, r)
					if on := plan.Parse(s.Value).Active; strings.Count(text, planOn) != map[bool]int{true: 1}[on] {
						t.Errorf("seed %d, request %d: plan mode %v, reminder %q", seed, len(sent)+1, on, text)
					}
					kept, _ := v.State(todo.StateName)
					list, err := todo.Parse(kept.Value)
					filetest.Must(t, err)
					every, age := 1+int(seed)%4, len(sent)+1-kept.Steps
					if due := list.Open() > 0 && age > 1 && age%every == 0; strings.Contains(text, todoHead) != due {
						t.Errorf("seed %d, request %d: %d steps after the list was written, reminder %q", seed, len(sent)+1, age, text)
					}
					if n := len(sent); n > 0 {
						before := unreminded(sent[n-1].Messages)
						if len(r.Messages) < len(before) || !reflect.DeepEqual(r.Messages[:len(before)], before) {
							t.Errorf("seed %d, request %d: what was sent before moved", seed, n+1)
						}
						if prefix(t, r) != prefix(t, sent[0]) {
							t.Errorf("seed %d, request %d: the prefix moved", seed, n+1)
						}
					}
					sent = append(sent, r)
					plans, todos = plans+strings.Count(text, planOn), todos+strings.Count(text, todoHead)
					return r, nil
				}}}})
		}
		a := begin()
		for range 6 {
			switch rng.Intn(4) {
			case 0:
				setPlan(t, a, rng.Intn(2) == 0)
			case 1:
				a = begin() // another process
			default:
				turn(t, a, "s", fmt.Sprint("input ", rng.Intn(100)))
			}
		}
		for _, m := range view(t, store, "s").Messages {
			if m.Name == wire.Transient || strings.Contains(m.Text().String(), planOn) || strings.Contains(m.Text().String(), todoHead) {
				t.Errorf("seed %d: a reminder is in the history: %s", seed, m.Text())
			}
		}
		if t.Failed() {
			return
		}
	}
	if plans < 200 || todos < 100 {
		t.Errorf("only %d and %d reminders were seen", plans, todos)
	}
}

// After a summary took the place of the call that wrote the list, the model is
// reminded at once.
func TestTodosAfterCompaction(t *testing.T) {
	a := newPlanner(t, workdir(t), "  - calls: [{tool: todo_write, args: "+fmt.Sprintf(five, "in_progress", "")+"}]\n  - text: one\n  - text: two\n  - text: SUMMARY\n  - text: three\n  - text: four\n",
		&memory.Store{}, permit.Default)
	turn(t, a.Agent, "s", "go")
	turn(t, a.Agent, "s", "go on")
	if events, err := a.Compact(t.Context(), "s"); err != nil || !strings.Contains(kinds(events), "compacted") {
		t.Fatalf("got %s, %v", kinds(events), err)
	}
	turn(t, a.Agent, "s", "and on")
	turn(t, a.Agent, "s", "and on")
	var got []int
	for i, r := range a.sent {
		if strings.Contains(reminderOf(t, r), "- [~] a\n- [ ] b") {
			got = append(got, i+1)
		}
	}
	diff(t, "reminders", got, []int{5}) // the fourth asks for the summary
}
