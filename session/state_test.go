package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
)

// kept returns an event that keeps a state.
func kept(name, value string) session.Event {
	return session.Event{Kind: session.Kept, State: &session.State{Name: name, Value: json.RawMessage(value)}}
}

// numbered gives events their numbers.
func numbered(events ...session.Event) []session.Event {
	for i := range events {
		events[i].Seq = uint64(i) + 1
	}
	return events
}

// Of one name the last value counts, and an empty one removes it.
func TestStates(t *testing.T) {
	req := func(turn, step int) session.Event {
		return session.Event{Kind: session.Requested, Turn: turn, Step: step, Request: &session.Request{}}
	}
	input := chat.UserText("go on", nil)
	log := numbered(
		kept("plan", `{"a":1}`), kept("todo", `[]`), kept("last", `"\u2028 <b>"`),
		req(1, 1), req(1, 1), req(1, 2), kept("todo", `[1]`), // the second request of a step is no step
		session.Event{Kind: session.Input, Turn: 2, Message: &input}, req(2, 1), kept("plan", ``), kept("nothing", ""), req(2, 2),
	)
	var f session.Folder
	var early session.View
	for i, e := range log {
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
		if i == 2 {
			early = f.View()
		}
	}
	v := f.View()
	want := []session.Standing{
		{State: session.State{Name: "last", Value: json.RawMessage(`"\u2028 <b>"`)}, Seq: 3, Head: 3},
		{State: session.State{Name: "todo", Value: json.RawMessage(`[1]`)}, Seq: 7, Head: 7, Steps: 2},
	}
	if d := cmp.Diff(v.States, want); d != "" {
		t.Errorf("states (-got +want):\n%s", d)
	}
	if v.Steps != 4 || v.StepNumber(2, 2) != 4 || v.StepNumber(2, 3) != 5 || v.StepNumber(3, 2) != 5 {
		t.Errorf("steps %d, %d, %d, %d", v.Steps, v.StepNumber(2, 2), v.StepNumber(2, 3), v.StepNumber(3, 2))
	}
	if _, ok := v.State("plan"); ok {
		t.Error("a removed state is there")
	}
	if s, ok := early.State("plan"); !ok || string(s.Value) != `{"a":1}` || len(early.States) != 3 || early.StepNumber(1, 1) != 1 {
		t.Errorf("a view changed after it was made: %v", early.States)
	}
	b, err := log[2].MarshalJSON()
	if err != nil || !strings.Contains(string(b), `"state":{"name":"last","value":"\u2028 <b>"}`) {
		t.Errorf("got %s, %v", b, err)
	}
}

// What a log does not take.
func TestStateCheck(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"", "1", "a name is"}, {"A", "1", "a name is"}, {"a/b", "1", "a name is"}, {strings.Repeat("a", 65), "1", "a name is"},
		{"a", "{", "not JSON"}, {"a", "1 2", "not JSON"}, {"a", "\"\xff\"", "not JSON"}, {"a", `{"a": 1}`, "blanks"},
		{"a", `"` + strings.Repeat("x", session.MaxState) + `"`, "at most"},
		{strings.Repeat("a", 64), `{"a":[1,null,"\u0000é"]}`, ""}, {"a_b-9", "", ""},
	} {
		e := kept(tt.name, tt.value)
		e.Seq = 1
		err := e.Check()
		if tt.want == "" {
			if err != nil {
				t.Errorf("%s %s: %v", tt.name, tt.value, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q %.20q: got %v, want an error with %q", tt.name, tt.value, err, tt.want)
		}
	}
}

// A fork begins with what was kept where it ends.
func TestForkStates(t *testing.T) {
	store := &memory.Store{}
	if err := store.Append(t.Context(), "a", 0, numbered(kept("plan", "1"), kept("plan", "2"))...); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Fork(t.Context(), store, "a", "b", 1); err != nil {
		t.Fatal(err)
	}
	var f session.Folder
	for e, err := range store.Events(t.Context(), "b") {
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	v := f.View()
	if s, _ := v.State("plan"); string(s.Value) != "1" {
		t.Errorf("got %s", s.Value)
	}
}
