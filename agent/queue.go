package agent

import (
	"context"
	"sync"
)

// A place is that of a call among those that run at the same time.
type place struct {
	before []*place
	once   sync.Once
	passed chan struct{}
}

// queue returns the place behind others.
func queue(before []*place) *place {
	return &place{before: before[:len(before):len(before)], passed: make(chan struct{})}
}

// InOrder waits until the calls of the answer that stand before this one and run
// at the same time have passed or returned. What is given out one after the other,
// such as numbers, then follows the answer and not chance.
func (c Caller) InOrder(ctx context.Context) error {
	if c.place == nil {
		return nil
	}
	for _, p := range c.place.before {
		select {
		case <-p.passed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Pass lets the calls behind this one go on that wait in InOrder. A call that
// returns has passed.
func (c Caller) Pass() {
	if c.place != nil {
		c.place.once.Do(func() { close(c.place.passed) })
	}
}
