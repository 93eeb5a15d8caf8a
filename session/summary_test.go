package session_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/session/sessiontest"
)

func TestSummarize(t *testing.T) {
	var store memory.Store
	log := sessiontest.Sample()
	if err := store.Append(t.Context(), "a", 0, log...); err != nil {
		t.Fatal(err)
	}
	got, err := session.Summarize(t.Context(), &store, "a")
	if err != nil {
		t.Fatal(err)
	}
	input, output := 2*120, 2*7 // the second time for the summary
	want := session.Summary{Events: len(log), Turns: 1, First: "what does a.txt say?", Begun: log[0].Time, Last: log[len(log)-1].Time,
		Spent: session.Spent{Answers: 3, Unreported: 1, Usage: session.Usage{Input: &input, Output: &output}}}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	got.Add(session.Event{Kind: session.DeltaText, Delta: "more"})
	got.Add(session.Event{Kind: session.Lost, Loss: &session.Loss{First: 15, Last: 16}})
	want.Losses = []session.Loss{{First: 15, Last: 16}}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("after a loss (-got +want):\n%s", d)
	}
	if got, err := session.Summarize(t.Context(), &store, "none"); err != nil || got.Events != 0 {
		t.Errorf("of none: got %+v, %v", got, err)
	}
	if _, err := session.Summarize(t.Context(), &store, "../evil"); err == nil {
		t.Error("of a bad id: no error")
	}
}

// A copy of what was spent does not move with the original.
func TestSpentCopies(t *testing.T) {
	n := 5
	var s session.Spent
	s.Add(&session.Usage{Input: &n, Cached: &n})
	before := s
	s.Add(&session.Usage{Input: &n})
	if *before.Usage.Input != 5 || *s.Usage.Input != 10 || *s.Usage.Cached != 5 || s.Usage.Output != nil || n != 5 {
		t.Errorf("got %d before, %d after, %d cached", *before.Usage.Input, *s.Usage.Input, *s.Usage.Cached)
	}
}
