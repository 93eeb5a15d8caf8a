package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/proemhq/proem/session"
)

// A content is kept as long as a session has it.
type content struct {
	data  []byte
	users int // sessions
}

// Keep implements [session.Keeper]. Sessions with equal contents share them.
func (s *Store) Keep(ctx context.Context, id string, contents ...[]byte) error {
	if err := session.CheckKeep(id, contents); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, data := range contents {
		sum := session.Sum(data)
		if s.kept[id][sum] {
			continue
		}
		if s.kept == nil {
			s.kept, s.contents = map[string]map[string]bool{}, map[string]*content{}
		}
		if s.kept[id] == nil {
			s.kept[id] = map[string]bool{}
		}
		s.kept[id][sum] = true
		if s.contents[sum] == nil {
			s.contents[sum] = &content{data: data}
		}
		s.contents[sum].users++
	}
	return nil
}

// Kept implements [session.Keeper].
func (s *Store) Kept(ctx context.Context, id, sum string) ([]byte, error) {
	if err := session.CheckID(id); err != nil {
		return nil, err
	}
	if err := session.CheckSum(sum); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.kept[id][sum] {
		return nil, fmt.Errorf("session %s: content %s: %w", id, sum, session.ErrNotKept)
	}
	return s.contents[sum].data, nil
}

// Sums implements [session.Keeper].
func (s *Store) Sums(ctx context.Context, id string) ([]string, error) {
	if err := session.CheckID(id); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("session %s: %w", id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.kept[id])), nil
}

// drop forgets the contents of a session. The caller holds the lock.
func (s *Store) drop(id string) {
	for sum := range s.kept[id] {
		c := s.contents[sum]
		if c.users--; c.users == 0 {
			delete(s.contents, sum)
		}
	}
	delete(s.kept, id)
}

var _ session.Keeper = (*Store)(nil)
