// Package memory is a session store that forgets everything when the program
// ends. It is the default of an agent that was given no other, and the store of
// most tests.
//
//	var store memory.Store
//	err := store.Append(ctx, "s1", 0, session.Event{Seq: 1, Time: now, Kind: session.Start})
package memory

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/proemhq/proem/session"
)

// A Store keeps sessions in memory. The zero Store is empty and ready for use,
// also concurrently. Events are kept as they are given and must not be changed
// afterwards.
type Store struct {
	mu   sync.Mutex
	logs map[string][]session.Event // only ever appended to

	kept     map[string]map[string]bool // by session, the sums of its contents
	contents map[string]*content        // by sum, shared by all sessions
}

// Append implements [session.Store].
func (s *Store) Append(ctx context.Context, id string, after uint64, events ...session.Event) error {
	if err := session.CheckAppend(id, after, events); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	if len(events) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	log := s.logs[id]
	if last := uint64(len(log)); last != after {
		return &session.MovedError{ID: id, After: after, Last: last}
	}
	if s.logs == nil {
		s.logs = map[string][]session.Event{}
	}
	s.logs[id] = append(log, events...)
	return nil
}

// Events implements [session.Store]. What is appended during the iteration is
// not part of it.
func (s *Store) Events(ctx context.Context, id string) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		if err := session.CheckID(id); err != nil {
			yield(session.Event{}, err)
			return
		}
		s.mu.Lock()
		log := slices.Clip(s.logs[id])
		s.mu.Unlock()
		if err := ctx.Err(); err != nil {
			yield(session.Event{}, fmt.Errorf("session %s: %w", id, err))
			return
		}
		for i := range log {
			if err := ctx.Err(); err != nil {
				yield(session.Event{}, fmt.Errorf("session %s: %w", id, err))
				return
			}
			if !yield(log[i], nil) {
				return
			}
		}
	}
}

// List implements [session.Lister].
func (s *Store) List(ctx context.Context) ([]session.Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []session.Info
	for _, id := range slices.Sorted(maps.Keys(s.logs)) {
		log := s.logs[id]
		out = append(out, session.Info{ID: id, Updated: log[len(log)-1].Time})
	}
	return out, nil
}

// Delete implements [session.Deleter].
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := session.CheckID(id); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.logs, id)
	s.drop(id)
	return nil
}
