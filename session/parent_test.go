package session_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/span"
)

func notice(seq uint64, step int, ids ...string) session.Event {
	m := chat.TextMessage(chat.User, span.Of("done", nil))
	e := session.Event{Seq: seq, Kind: session.Notice, Turn: 1, Step: step, Message: &m}
	for _, id := range ids {
		e.Tasks = append(e.Tasks, session.Task{ID: id, Agent: "rev", State: "completed"})
	}
	return e
}

// What a log says of parents and tasks is folded, survives JSON, and a view stays
// as it was when more is added.
func TestParentAndTasks(t *testing.T) {
	p := &session.Parent{Session: "s", Turn: 1, Step: 1, Call: "c", Agent: "rev", Depth: 1}
	var f session.Folder
	var views []session.View
	for _, e := range []session.Event{{Seq: 1, Kind: session.Start, Parent: p}, notice(2, 1, "s-1", "s-2"), notice(3, 2), notice(4, 3, "s-3")} {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back session.Event
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if err := f.Add(back); err != nil {
			t.Fatal(err)
		}
		views = append(views, f.View())
	}
	for i, want := range [][]string{nil, {"s-1", "s-2"}, {"s-1", "s-2"}, {"s-1", "s-2", "s-3"}} {
		if diff := cmp.Diff(views[i].Told, want); diff != "" {
			t.Errorf("told after event %d (-got +want):\n%s", i+1, diff)
		}
		if diff := cmp.Diff(views[i].Parent, p); diff != "" {
			t.Errorf("parent (-got +want):\n%s", diff)
		}
	}
}

func TestParentIsChecked(t *testing.T) {
	for _, p := range []session.Parent{
		{Session: "../x", Turn: 1, Step: 1, Call: "c", Agent: "a", Depth: 1},
		{Session: "s", Step: 1, Call: "c", Agent: "a", Depth: 1},
		{Session: "s", Turn: 1, Step: 1, Agent: "a", Depth: 1},
		{Session: "s", Turn: 1, Step: 1, Call: "c", Agent: "a"},
	} {
		e := session.Event{Seq: 1, Kind: session.Start, Parent: &p}
		if err := e.Check(); err == nil || !strings.Contains(err.Error(), "parent") {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// A fork is nobody's child: it is not deleted with the parent.
func TestForkHasNoParent(t *testing.T) {
	store := &memory.Store{}
	start := session.Event{Seq: 1, Kind: session.Start, Parent: &session.Parent{Session: "s", Turn: 1, Step: 1, Call: "c", Agent: "rev", Depth: 1}}
	if err := store.Append(t.Context(), "s-1", 0, start); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Fork(t.Context(), store, "s-1", "f", 0); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]bool{"s-1": true, "f": false} {
		s, err := session.Summarize(t.Context(), store, id)
		if err != nil || (s.Parent != nil) != want {
			t.Errorf("%s has the parent %+v, %v", id, s.Parent, err)
		}
	}
}
