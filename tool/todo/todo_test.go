package todo_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/todo"
)

// with returns a context in which the session keeps a value.
func with(t testing.TB, kept tool.Kept) context.Context {
	return tool.WithStates(t.Context(), func(name string) tool.Kept {
		if name != todo.StateName {
			return tool.Kept{}
		}
		return kept
	})
}

// write calls the tool and returns the result and what is kept then.
func write(t testing.TB, before json.RawMessage, args string) (tool.Result, json.RawMessage) {
	t.Helper()
	r, err := todo.New(todo.Config{}).Call(with(t, tool.Kept{Value: before}), json.RawMessage(args))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.State) == 0 {
		return r, before
	}
	if len(r.State) != 1 || r.State[0].Name != todo.StateName {
		t.Fatalf("state %v", r.State)
	}
	return r, r.State[0].Value
}

func items(t testing.TB, value json.RawMessage) []todo.Item {
	t.Helper()
	l, err := todo.Parse(value)
	if err != nil {
		t.Fatal(err)
	}
	return l.Items
}

// The list is replaced as a whole; an item keeps its id as long as its content.
func TestReplace(t *testing.T) {
	r, kept := write(t, nil, `{"todos":[{"content":"a","status":"in_progress"},{"content":" b\n c ","status":" ","priority":"High"},{"content":"a","priority":"urgent"}]}`)
	if got := r.Text.String(); got != "Kept: 1 in_progress, 2 pending." || r.IsError {
		t.Errorf("got %q", got)
	}
	want := []todo.Item{{ID: 1, Content: "a", Status: todo.InProgress}, {ID: 2, Content: "b c", Status: todo.Pending, Priority: "high"}, {ID: 3, Content: "a", Status: todo.Pending}}
	if d := cmp.Diff(items(t, kept), want); d != "" {
		t.Errorf("first (-got +want):\n%s", d)
	}
	_, kept = write(t, kept, `{"todos":[{"content":"new"},{"content":"b c","status":"completed"},{"content":"a"}]}`)
	want = []todo.Item{{ID: 4, Content: "new", Status: todo.Pending}, {ID: 2, Content: "b c", Status: todo.Completed}, {ID: 1, Content: "a", Status: todo.Pending}}
	if d := cmp.Diff(items(t, kept), want); d != "" {
		t.Errorf("second (-got +want):\n%s", d)
	}
	r, kept = write(t, kept, `{"todos":[]}`)
	if r.Text.String() != "The list is empty." || len(items(t, kept)) != 0 {
		t.Errorf("got %q, %s", r.Text, kept)
	}
	_, kept = write(t, kept, `{"todos":[{"content":"b c"}]}`)
	if got := items(t, kept); got[0].ID != 5 {
		t.Errorf("the id of an item that was gone came again: %v", got)
	}
}

// What is wrong changes nothing.
func TestRefused(t *testing.T) {
	_, before := write(t, nil, `{"todos":[{"content":"a"}]}`)
	many := strings.TrimSuffix(strings.Repeat(`{"content":"x"},`, todo.MaxItems+1), ",")
	for args, want := range map[string]string{
		`{"todos":[{"content":"a","status":"in_progress"},{"content":"b","status":"in_progress"}]}`: "2 items are in_progress",
		`{"todos":[{"content":"a"},{"content":"b","status":"doing"}]}`:                              `todos[1]: the status "doing" is none of`,
		`{"todos":[{"content":" \n\u200b\u0007 "}]}`:                                                "todos[0]: content is blank",
		`{"todos":[{"content":"` + strings.Repeat("x", todo.MaxContent+1) + `"}]}`:                  "content has 501 bytes",
		`{"todos":[` + many + `]}`:             "101 items",
		`{}`:                                   "todos is missing",
		`{"todos":[{"content":"a","id":"1"}]}`: "id",
	} {
		r, kept := write(t, before, args)
		if !r.IsError || !strings.Contains(r.Text.String(), want) || len(r.State) != 0 || string(kept) != string(before) {
			t.Errorf("%.60s: got %q, error %v, state %v; want %q", args, r.Text, r.IsError, r.State, want)
		}
	}
}

func TestEffect(t *testing.T) {
	tl := todo.New(todo.Config{})
	if e := tool.EffectOf(t.Context(), tl, json.RawMessage(`{"todos":[]}`)); !e.ReadOnly || !e.Keeps || !e.Idempotent {
		t.Errorf("got %+v", e)
	}
}

// reminder returns what the source says.
func reminder(t testing.TB, cfg todo.Config, kept tool.Kept) (string, error) {
	t.Helper()
	for _, p := range todo.New(cfg).(tool.Speaker).Passages() {
		if p.Source == nil {
			continue
		}
		if p.Section.Channel != prompt.Reminder || p.Section.Class != prompt.Turn {
			t.Errorf("section %+v", p.Section)
		}
		f, err := p.Source.Read(with(t, kept), source.Query{})
		if err == nil && f.None != (f.Text == "") {
			t.Errorf("none %v, text %q", f.None, f.Text)
		}
		return f.Text, err
	}
	t.Fatal("there is no reminder")
	return "", nil
}

func TestCadence(t *testing.T) {
	_, open := write(t, nil, `{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress","priority":"low"},{"content":"c"}]}`)
	_, closed := write(t, nil, `{"todos":[{"content":"a","status":"completed"}]}`)
	want := "Open items of your list; call todo_write when something of it changed, and say nothing of this reminder:\n- [~] b (low)\n- [ ] c\n(1 completed)"
	for _, tt := range []struct {
		name  string
		every int
		value json.RawMessage
		forgo int // the age at which a summary was made; 0: none
		want  string
	}{
		{"every 6", 6, open, 0, "6 12"}, {"default", 0, open, 0, "6 12"}, {"every 5", 5, open, 0, "5 10"}, {"every 1", 1, open, 0, "2 3 4 5 6 7 8 9 10 11 12 13"},
		{"never", -1, open, 0, ""}, {"all done", 6, closed, 0, ""}, {"nothing", 6, nil, 0, ""},
		{"after a summary", 6, open, 2, "3 9"}, {"never, after a summary", -1, open, 2, ""}, {"every 1, after a summary", 1, open, 11, "2 3 4 5 6 7 8 9 10 11 12 13"},
	} {
		var got []string
		for age := 1; age <= 13; age++ {
			kept := tool.Kept{Value: tt.value, Age: age}
			if tt.forgo > 0 && age > tt.forgo {
				kept.Forgotten = age - tt.forgo
			}
			text, err := reminder(t, todo.Config{Every: tt.every}, kept)
			if err != nil {
				t.Fatal(err)
			}
			if text != "" {
				got = append(got, fmt.Sprint(age))
				if d := cmp.Diff(text, want); d != "" {
					t.Errorf("%s (-got +want):\n%s", tt.name, d)
				}
			}
		}
		if d := cmp.Diff(strings.Join(got, " "), tt.want); d != "" {
			t.Errorf("%s (-got +want):\n%s", tt.name, d)
		}
	}
}

// A state of another version is said, and replaced by the next use.
func TestBrokenState(t *testing.T) {
	if _, err := reminder(t, todo.Config{}, tool.Kept{Value: json.RawMessage(`{"items":3}`), Age: 6}); err == nil {
		t.Error("no error")
	}
	if _, kept := write(t, json.RawMessage(`{"items":3}`), `{"todos":[{"content":"a"}]}`); len(items(t, kept)) != 1 {
		t.Errorf("got %s", kept)
	}
}

// Whatever a content is, the reminder has a line of ours for each open item and
// nothing that people cannot see.
func FuzzContent(f *testing.F) {
	for _, s := range []string{"a", "a\n- [x] b", "\u202eabc\u202c", "a\u2028(1 completed)", "a\x1b[2J\x00b", "[context: date]\nx", "\ufeffé", "a\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		args, err := json.Marshal(map[string]any{"todos": []map[string]string{{"content": s}, {"content": "the last"}}})
		if err != nil {
			t.Skip()
		}
		r, kept := write(t, nil, string(args))
		if r.IsError {
			return
		}
		text, err := reminder(t, todo.Config{}, tool.Kept{Value: kept, Age: 6})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(text, "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[1], "- [ ] ") || lines[2] != "- [ ] the last" {
			t.Fatalf("%q: got %q", s, lines)
		}
		if strings.ContainsFunc(lines[1], func(r rune) bool {
			return r < ' ' || r == 0x7f || r == 0x2028 || r >= 0x202a && r <= 0x202e || r == 0xfeff
		}) {
			t.Errorf("%q: got %q", s, lines[1])
		}
		if again, kept2 := write(t, kept, string(args)); again.IsError || string(kept2) != string(kept) {
			t.Errorf("written again: %s, was %s", kept2, kept)
		}
	})
}

func ExampleNew() {
	t := todo.New(todo.Config{})
	r, _ := t.Call(context.Background(), json.RawMessage(`{"todos":[{"content":"read the tests","status":"in_progress"},{"content":"fix the parser"}]}`))
	fmt.Println(r.Text)
	list, _ := todo.Parse(r.State[0].Value)
	for _, item := range list.Items {
		fmt.Println(item)
	}
	// Output:
	// Kept: 1 in_progress, 1 pending.
	// [~] read the tests
	// [ ] fix the parser
}
