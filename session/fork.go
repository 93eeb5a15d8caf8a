package session

import (
	"context"
	"fmt"
)

// Fork begins the session newID with the events of session id up to number at;
// 0 is all of them. It returns the number of the last one. The events are the
// same, with their numbers and times, but for the parent: a fork is nobody's child.
// The original is only read, so it may be in use. A session newID must not exist
// yet: the error is [ErrMoved] then.
//
// Where events were lost to damage there is no same history, so a fork can only
// end before the loss.
//
// What a [Keeper] keeps of the session is kept for the fork too, except what is
// damaged.
//
// A fork may end anywhere, also within a turn. Whoever goes on with it finds
// what a crash at that point would have left.
func Fork(ctx context.Context, store Store, id, newID string, at uint64) (uint64, error) {
	if err := CheckID(newID); err != nil {
		return 0, err
	}
	var events []Event
	for e, err := range store.Events(ctx, id) {
		if err != nil {
			return 0, fmt.Errorf("fork: %w", err)
		}
		if e.Kind == Lost && e.Loss.Count() != 0 {
			return 0, fmt.Errorf("fork of session %s: %s; a fork may end with event %d at the latest", id, e.Loss, len(events))
		}
		if e.Seq == 0 {
			continue
		}
		e.Parent = nil
		events = append(events, e)
		if e.Seq == at {
			break
		}
	}
	last := uint64(len(events))
	switch {
	case last == 0:
		return 0, fmt.Errorf("fork of session %s: it has no events", id)
	case at > last:
		return 0, fmt.Errorf("fork of session %s at event %d: the last one is %d", id, at, last)
	}
	if err := copyTo(ctx, store, id, newID); err != nil {
		return 0, fmt.Errorf("fork of session %s: %w", id, err)
	}
	if err := store.Append(ctx, newID, 0, events...); err != nil {
		return 0, fmt.Errorf("fork of session %s: %w", id, err)
	}
	return last, nil
}

// copyTo takes the kept contents along before there are events that name them. A
// session that exists is left as it is, for Append to refuse.
func copyTo(ctx context.Context, store Store, id, newID string) error {
	k, ok := store.(Keeper)
	if !ok {
		return nil
	}
	for _, err := range store.Events(ctx, newID) {
		return err
	}
	return copyKept(ctx, k, id, newID)
}
