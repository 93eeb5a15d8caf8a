package env

import (
	"context"
	"slices"
	"sync"
	"time"
)

// systemClock is the operating system's. Its timers are monotonic: setting the
// wall clock neither shortens nor prolongs a sleep.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Fixed returns a clock on which it is always t. It really sleeps, so that a
// program told what time it is still waits before it tries again.
func Fixed(t time.Time) Clock { return fixedClock{at: t} }

type fixedClock struct {
	systemClock
	at time.Time
}

func (c fixedClock) Now() time.Time { return c.at }

// A FakeClock moves only when it is told to, or when somebody sleeps: a sleep
// moves it forward and returns at once. It may be used concurrently.
type FakeClock struct {
	// Manual makes Sleep wait until Advance or Set has passed its end. It is set
	// before the first use.
	Manual bool

	mu      sync.Mutex
	now     time.Time
	waiting []sleeper // in the order in which they came
}

type sleeper struct {
	until time.Time
	wake  chan struct{}
}

// NewFakeClock returns a clock that says t.
func NewFakeClock(t time.Time) *FakeClock { return &FakeClock{now: t} }

// Now returns the time of the clock.
func (c *FakeClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d, which may be negative, as a wall clock may jump.
func (c *FakeClock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(c.now.Add(d))
}

// Set moves the clock to t.
func (c *FakeClock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(t)
}

func (c *FakeClock) set(t time.Time) {
	c.now = t
	c.waiting = slices.DeleteFunc(c.waiting, func(s sleeper) bool {
		if s.until.After(t) {
			return false
		}
		close(s.wake)
		return true
	})
}

// Sleepers returns how many sleeps wait for the clock to move.
func (c *FakeClock) Sleepers() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

// Sleep moves the clock forward by d, or waits for that if Manual is set.
func (c *FakeClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d <= 0 {
		return nil
	}
	c.mu.Lock()
	if !c.Manual {
		c.set(c.now.Add(d))
		c.mu.Unlock()
		return nil
	}
	s := sleeper{c.now.Add(d), make(chan struct{})}
	c.waiting = append(c.waiting, s)
	c.mu.Unlock()
	select {
	case <-s.wake:
		return nil
	case <-ctx.Done():
		c.mu.Lock()
		c.waiting = slices.DeleteFunc(c.waiting, func(w sleeper) bool { return w.wake == s.wake })
		c.mu.Unlock()
		return ctx.Err()
	}
}
