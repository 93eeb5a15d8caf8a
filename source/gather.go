package source

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/proemhq/proem/prompt"
)

// DefaultTimeout is how long one source may take.
const DefaultTimeout = 2 * time.Second

// grace is how long a source that was cancelled may still take to answer.
const grace = 20 * time.Millisecond

// A Finder knows the source of a fact by its name.
type Finder interface {
	Source(fact string) (Source, bool)
}

// ErrUnknown is the error of a fact that no source provides.
var ErrUnknown = errors.New("no source provides it")

// Gather reads the needed facts, those of [prompt.Plan.Needs], all at the same
// time, and returns them as one value. A source that fails, or does not answer within the timeout (0:
// DefaultTimeout), leaves a fact with Err set; Gather itself never fails.
//
// A source is asked even if ctx is done already: it sees that, and may answer
// from what it has.
//
// prev, which may be nil, are the facts of the step before. A fact that says
// what it said then keeps its old value, and if all do, prev itself is returned,
// so that whoever composes can tell by comparing two pointers.
func Gather(ctx context.Context, needs []string, find Finder, q Query, timeout time.Duration, prev *prompt.Facts) *prompt.Facts {
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	read := make([]prompt.Fact, len(needs))
	var pending sync.WaitGroup
	for i, name := range needs {
		src, ok := find.Source(name)
		if !ok {
			read[i] = prompt.Fact{Err: fmt.Errorf("fact %s: %w", name, ErrUnknown)}
			continue
		}
		q := q
		q.Fact = name
		if t, ok := src.(Text); ok { // nothing to wait for
			read[i], _ = t.Read(ctx, q)
			continue
		}
		pending.Go(func() { read[i] = ask(ctx, src, q, timeout) })
	}
	pending.Wait()
	return prev.Next(needs, read)
}

// ask reads one source and gives up on it after the timeout, or soon after ctx
// is done. A source that never returns costs a goroutine, not the run.
func ask(ctx context.Context, src Source, q Query, timeout time.Duration) prompt.Fact {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	done := make(chan prompt.Fact, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- prompt.Fact{Err: fmt.Errorf("its source panicked: %v", p)}
			}
		}()
		f, err := src.Read(limited, q)
		if err != nil {
			f.Err = err
		}
		done <- f
	}()
	select {
	case f := <-done:
		return f
	case <-limited.Done():
	}
	last := time.NewTimer(grace)
	defer last.Stop()
	select {
	case f := <-done:
		return f
	case <-last.C:
	}
	if ctx.Err() != nil {
		return prompt.Fact{Err: context.Cause(ctx)}
	}
	return prompt.Fact{Err: fmt.Errorf("no answer within %v: %w", timeout, context.DeadlineExceeded)}
}
