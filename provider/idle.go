package provider

import (
	"context"
	"fmt"
	"time"
)

// IdleError is the cause of a response that was given up because nothing came.
// It is wrapped in a TransportError that names the endpoint.
type IdleError struct {
	After time.Duration // how long no event came
}

// Error returns the message.
func (e *IdleError) Error() string { return fmt.Sprintf("no event for %v", e.After) }

// Timeout reports true, as in package net.
func (e *IdleError) Timeout() bool { return true }

// watchdog cancels a request when it is not stopped in time.
type watchdog struct {
	after time.Duration
	timer *time.Timer // nil: never
}

// newWatchdog returns a watchdog that is not started.
func newWatchdog(after time.Duration, cancel context.CancelCauseFunc) *watchdog {
	w := &watchdog{after: after}
	if after > 0 {
		w.timer = time.AfterFunc(after, func() { cancel(&IdleError{After: after}) })
		w.timer.Stop()
	}
	return w
}

func (w *watchdog) start() {
	if w.timer != nil {
		w.timer.Reset(w.after)
	}
}

func (w *watchdog) stop() {
	if w.timer != nil {
		w.timer.Stop()
	}
}
