package env

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"time"
)

// ErrInjected is the error of a failpoint that has no other.
var ErrInjected = errors.New("injected fault")

// An Effect is a kind of contact with the world.
type Effect string

// The effects. Those that only look, EffectRead, EffectStat and EffectReadDir,
// are numbered only if Failpoints.Only asks for them.
const (
	EffectOpen     Effect = "open" // of a file or directory, for reading too
	EffectWrite    Effect = "write"
	EffectSync     Effect = "sync" // of a file or directory
	EffectTruncate Effect = "truncate"
	EffectRename   Effect = "rename"
	EffectRemove   Effect = "remove"
	EffectMkdir    Effect = "mkdir"
	EffectLock     Effect = "lock"
	EffectNetwork  Effect = "network" // one round trip
	EffectSleep    Effect = "sleep"
	EffectProcess  Effect = "process"
	EffectRead     Effect = "read"
	EffectStat     Effect = "stat"
	EffectReadDir  Effect = "readdir"
)

// Failpoints number the effects of a run from 1 and interfere with one of them.
// A test loops until a run has fewer effects than the number it asks for:
//
//	for k := 1; ; k++ {
//		fail := &env.Failpoints{At: k}
//		run(&env.Env{Fail: fail})
//		check(t)
//		if fail.Hits() < k {
//			break // every effect has failed once
//		}
//	}
//
// The zero value counts and lets everything pass; so does a nil pointer, without
// counting. Fields are set before the first use, which may be concurrent.
type Failpoints struct {
	// At is the number of the effect to fail; 0: none.
	At int
	// After fails every later effect too, as a dead disk or a dead process would.
	After bool
	// Err is the error of a failed effect; nil: ErrInjected. A *ShortWrite lets a
	// part of a write through.
	Err error
	// Do, if not nil, is called in place of Err. It may end the process; if it
	// returns nil, the effect takes place.
	Do func(kind Effect, name string) error
	// Only says which effects are numbered; nil: all but those that only look.
	Only []Effect

	hits atomic.Int64
}

// Hit numbers one effect and returns the error it must fail with, or nil. It is
// for doors of one's own; those of this package ask by themselves.
func (f *Failpoints) Hit(kind Effect, name string) error {
	if f == nil || !f.numbers(kind) {
		return nil
	}
	n := f.hits.Add(1)
	if f.At <= 0 || n < int64(f.At) || n > int64(f.At) && !f.After {
		return nil
	}
	err := f.Err
	if f.Do != nil {
		if err = f.Do(kind, name); err == nil {
			return nil
		}
	} else if err == nil {
		err = ErrInjected
	}
	return fmt.Errorf("%s %s: %w", kind, name, err)
}

func (f *Failpoints) numbers(kind Effect) bool {
	if f.Only != nil {
		return slices.Contains(f.Only, kind)
	}
	return kind != EffectRead && kind != EffectStat && kind != EffectReadDir
}

// Hits returns how many effects were numbered so far.
func (f *Failpoints) Hits() int {
	if f == nil {
		return 0
	}
	return int(f.hits.Load())
}

// A ShortWrite is the error of a write of which the first N bytes arrive, as on
// a full disk. Other effects fail with it as with any error.
type ShortWrite struct {
	N   int
	Err error
	// Then, if not nil, is called when the bytes have been written, for instance
	// to end the process in the middle of a write.
	Then func()
}

// Error returns the cause with the number of bytes.
func (s *ShortWrite) Error() string { return fmt.Sprintf("short write of %d bytes: %v", s.N, s.Err) }

// Unwrap returns the cause.
func (s *ShortWrite) Unwrap() error { return s.Err }

type guardedClock struct {
	Clock
	fail *Failpoints
}

func (c guardedClock) Sleep(ctx context.Context, d time.Duration) error {
	if err := c.fail.Hit(EffectSleep, d.String()); err != nil {
		return err
	}
	return c.Clock.Sleep(ctx, d)
}

type guardedNet struct {
	inner http.RoundTripper
	fail  *Failpoints
}

// RoundTrip closes the body of a request that fails, as the contract of
// [http.RoundTripper] asks. The name of the effect carries no query, which may
// hold a key.
func (n guardedNet) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := n.fail.Hit(EffectNetwork, r.Method+" "+r.URL.Host+r.URL.Path); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	return n.inner.RoundTrip(r)
}
