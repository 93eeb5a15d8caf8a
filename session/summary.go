package session

import (
	"context"
	"fmt"
	"time"
)

// A Summary is what there is to say of a session in a line. Add its events in
// order; the zero Summary has seen none.
type Summary struct {
	Events int       // that were read; lost ones are not among them
	Turns  int       // inputs of the user
	First  string    // the text of the first input
	Begun  time.Time // when the first event was recorded; zero: not known
	Last   time.Time // when the last event was recorded; zero: not known
	Spent  Spent     // by all answers together, summaries included
	Losses []Loss    // what the store could not read
	Parent *Parent   // of a child; nil: it is none
}

// Add takes in the next event. Transient events count for nothing but losses.
func (s *Summary) Add(e Event) {
	if e.Kind == Lost {
		s.Losses = append(s.Losses, *e.Loss)
	}
	if e.Seq == 0 {
		return
	}
	s.Events++
	if !e.Time.IsZero() {
		s.Last = e.Time
		if s.Begun.IsZero() {
			s.Begun = e.Time
		}
	}
	switch e.Kind {
	case Start:
		s.Parent = e.Parent
	case Input:
		if s.Turns == 0 {
			s.First = e.Message.Text().String()
		}
		s.Turns++
	}
	if e.Charged() {
		s.Spent.Add(e.Usage)
	}
}

// Summarize reads a session and returns its summary. With an error it returns
// what was read before.
func Summarize(ctx context.Context, store Store, id string) (Summary, error) {
	var s Summary
	for e, err := range store.Events(ctx, id) {
		if err != nil {
			return s, fmt.Errorf("summary: %w", err)
		}
		s.Add(e)
	}
	return s, nil
}

// Spent is what several answers used together.
type Spent struct {
	Answers    int // all of them
	Unreported int // those without usage, which are not part of Usage
	// Usage holds the sums; a field is nil if no answer reported it.
	Usage Usage
}

// Add takes in the usage of the next answer; nil: it reported none.
func (s *Spent) Add(u *Usage) {
	s.Answers++
	if u == nil {
		s.Unreported++
		return
	}
	s.Usage.add(u)
}

func (s *Usage) add(u *Usage) {
	for _, f := range []struct {
		sum **int
		add *int
	}{
		{&s.Input, u.Input}, {&s.Cached, u.Cached}, {&s.CacheWrite, u.CacheWrite},
		{&s.Output, u.Output}, {&s.Reasoning, u.Reasoning},
	} {
		if f.add == nil {
			continue
		}
		n := *f.add
		if *f.sum != nil {
			n += **f.sum
		}
		*f.sum = &n // a new one: a copy of Spent keeps its own
	}
}
