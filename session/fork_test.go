package session_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/session/sessiontest"
)

// lossy is a store whose sessions have a loss behind their first n events.
type lossy struct {
	memory.Store
	n    int
	loss session.Loss
}

func (l *lossy) Events(ctx context.Context, id string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		n := 0
		for e, err := range l.Store.Events(ctx, id) {
			if n == l.n && !yield(session.Event{Kind: session.Lost, Loss: &l.loss}, nil) {
				return
			}
			n++
			if (e.Seq < l.loss.First || e.Seq > l.loss.Last) && !yield(e, err) {
				return
			}
		}
	}
}

// A fork never skips what was lost.
func TestForkOfDamaged(t *testing.T) {
	store := &lossy{n: 2, loss: session.Loss{First: 3, Last: 4, Bytes: 9}}
	if err := store.Append(t.Context(), "a", 0, sessiontest.Inputs(0, 6)...); err != nil {
		t.Fatal(err)
	}
	if n, err := session.Fork(t.Context(), store, "a", "b", 2); n != 2 || err != nil {
		t.Errorf("before the loss: got %d, %v", n, err)
	}
	for _, at := range []uint64{0, 3, 5} {
		_, err := session.Fork(t.Context(), store, "a", "c", at)
		if err == nil || !strings.Contains(err.Error(), "events 3 to 4 are lost; a fork may end with event 2 at the latest") {
			t.Errorf("at %d: got %v", at, err)
		}
	}
	store.loss = session.Loss{Offset: 7, Bytes: 9} // between events
	if n, err := session.Fork(t.Context(), store, "a", "d", 0); n != 6 || err != nil {
		t.Errorf("damage without a loss: got %d, %v", n, err)
	}
}
