package sessiontest

import (
	"errors"
	"testing"

	"github.com/proemhq/proem/session"
)

// testFork forks at every event, and goes on with the fork and the original
// apart from each other.
func testFork(t *testing.T, s session.Store) {
	log := Sample()
	add(t, s, "a", 0, log...)
	for at := range log {
		id := "fork-" + string(rune('a'+at))
		n, err := session.Fork(t.Context(), s, "a", id, uint64(at))
		if at == 0 {
			at = len(log) // all of it
		}
		if err != nil || n != uint64(at) {
			t.Fatalf("fork at %d: got %d, %v", at, n, err)
		}
		want(t, s, id, log[:at])
		next := Inputs(n, 1)
		next[0].Turn = 2
		add(t, s, id, n, next...)
		want(t, s, id, append(log[:at:at], next...))
		want(t, s, "a", log)
	}
	if _, err := session.Fork(t.Context(), s, "a", "fork-a", 0); !errors.Is(err, session.ErrMoved) {
		t.Errorf("fork to a session that exists: got %v, want ErrMoved", err)
	}
	if _, err := session.Fork(t.Context(), s, "a", "a", 0); !errors.Is(err, session.ErrMoved) {
		t.Errorf("fork to itself: got %v, want ErrMoved", err)
	}
	for _, f := range []struct {
		id, newID string
		at        uint64
	}{{"a", "late", uint64(len(log)) + 1}, {"none", "of-none", 0}, {"a", "../evil", 0}, {"../evil", "of-evil", 0}} {
		if _, err := session.Fork(t.Context(), s, f.id, f.newID, f.at); err == nil {
			t.Errorf("fork of %s to %s at %d: no error", f.id, f.newID, f.at)
		}
	}
	want(t, s, "late", nil)
	want(t, s, "of-none", nil)
	want(t, s, "a", log)
}
