// Package env is the one seam between proem and the machine: clock, ids,
// randomness, files, processes and network. Everything that is not pure reaches
// the world through an [Env], so that a run can be simulated, replayed and
// failed at any effect.
//
// An Env is a struct of doors. A nil door is the operating system's; whoever is
// given an Env fills it in once with [OrSystem] and uses the result:
//
//	func Count(e *env.Env, dir string) (int, error) {
//		e = env.OrSystem(e) // nil is fine
//		root, err := e.Files.OpenRoot(dir)
//		if err != nil {
//			return 0, err
//		}
//		defer root.Close()
//		entries, err := root.ReadDir(".")
//		return len(entries), err
//	}
//
// A test hands in doors of its own: a [FakeClock], a [Sequence] of ids, and
// [Failpoints], which number every effect and make one of them fail:
//
//	e := &env.Env{Clock: env.NewFakeClock(t0), IDs: &env.Sequence{}, Fail: &env.Failpoints{At: 3}}
package env

import (
	"context"
	"net/http"
	"time"
)

// An Env is a set of doors to the machine. A nil field falls back to the
// operating system's; see [OrSystem]. An Env is not changed after its first use
// and may be used concurrently if its doors may; those of this package may.
type Env struct {
	Clock Clock
	IDs   IDs
	Rand  Rand
	Files Files
	Net   http.RoundTripper
	// Fail, if not nil, is asked before every effect.
	Fail *Failpoints
	// Count, if not nil, counts what was done through Files and Process.
	Count *Counters
}

// A Clock tells the time.
type Clock interface {
	Now() time.Time
	// Sleep returns after d, or earlier with the context's error.
	Sleep(ctx context.Context, d time.Duration) error
}

// IDs makes identifiers that match [A-Za-z0-9_-]{1,64}.
type IDs interface {
	// New returns an identifier that begins with the prefix and an underscore. The
	// prefix matches [A-Za-z0-9_-]{0,32}; without one there is no underscore
	// either.
	New(prefix string) string
}

// Rand is a source of jitter. A *rand.Rand of math/rand/v2 is one, but not for
// concurrent use.
type Rand interface {
	Float64() float64 // at least 0, less than 1
}
