package reliability_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/proemhq/proem/env"
)

// shortSteps is the length of a session in a schedule.
const shortSteps = 4

// A trace is what became of a schedule.
type trace struct {
	hash             [sha256.Size]byte // of the log, of what the tool did, and of all errors
	crashes, refused int
	steps, unknown   int
}

// playSchedule runs one session through faults chosen by r, each at some effect: a
// process that dies, from where on nothing takes place any more, or a single effect
// that fails, after which the same agent goes on. Then it is brought to its end
// without faults and looked at.
func playSchedule(ctx context.Context, t testing.TB, dir string, r *rand.Rand) (tr trace, err error) {
	var said strings.Builder
	note := func(err error) {
		if err != nil {
			fmt.Fprintln(&said, strings.ReplaceAll(err.Error(), dir, "DIR"))
		}
	}
	for range 1 + r.IntN(3) {
		dies := r.IntN(2) == 0
		fail := &env.Failpoints{At: 1 + r.IntN(45), After: dies, Err: &env.ShortWrite{N: cuts[r.IntN(len(cuts))], Err: syscall.ENOSPC}}
		err := playOn(ctx, dir, fail, !dies, &tr)
		note(err)
		if err != nil && dies {
			tr.crashes++
		} else if err != nil {
			tr.refused++
		}
	}
	if err := playOn(ctx, dir, nil, false, &tr); err != nil {
		return tr, fmt.Errorf("without faults: %w", err)
	}
	w, err := open(dir, shortSteps, nil, true)
	if err != nil {
		return tr, err
	}
	defer w.store.Close()
	events, err := read(ctx, w.store)
	if err != nil {
		return tr, err
	}
	if err := errors.Join(checkPaired(events), checkOnce(events, ran(t, dir))); err != nil {
		return tr, err
	}
	tr.unknown = len(outcomesOf(events).unknown)
	did, err := os.ReadFile(filepath.Join(dir, effects))
	if err != nil && !os.IsNotExist(err) {
		return tr, err
	}
	tr.hash = sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s", journal(t, dir), did, said.String()))
	return tr, nil
}

// playOn goes on with the session in a new agent, and once more in the same one
// after a fault.
func playOn(ctx context.Context, dir string, fail *env.Failpoints, again bool, tr *trace) error {
	w, err := open(dir, shortSteps, fail, false)
	if err != nil {
		return err
	}
	defer w.store.Close()
	defer func() { tr.steps += len(w.model.bodies) }()
	in, err := input(dir)
	if err != nil {
		return err
	}
	err = w.run(ctx, in, nil)
	if err != nil && again {
		if in, e := input(dir); e != nil {
			return errors.Join(err, e)
		} else if e := w.run(ctx, in, nil); e != nil {
			return errors.Join(err, fmt.Errorf("again: %w", e))
		}
	}
	return err
}

// TestSchedules plays sessions through seeded schedules of crashes and failing
// effects: no call runs twice (I4), each has its result (I3), and the same seed
// gives the same session to the byte.
func TestSchedules(t *testing.T) {
	n := pick(200, 100_000)
	start := time.Now()
	var crashes, refused, played, unknown, replayed atomic.Int64
	parallel(t, n, func(t testing.TB, i int) {
		play := func() trace {
			dir, remove := ramdir(t)
			defer remove()
			tr, err := playSchedule(t.Context(), t, dir, rand.New(rand.NewPCG(*seed, uint64(i))))
			if err != nil {
				t.Errorf("seed %d, schedule %d: %v", *seed, i, err)
			}
			return tr
		}
		tr := play()
		crashes.Add(int64(tr.crashes))
		refused.Add(int64(tr.refused))
		played.Add(int64(tr.steps))
		unknown.Add(int64(tr.unknown))
		if i%20 == 0 {
			if again := play(); again != tr {
				t.Errorf("seed %d, schedule %d: played twice, it is not the same: %+v, %+v", *seed, i, tr, again)
			}
			replayed.Add(1)
		}
	})
	if unknown.Load() == 0 || crashes.Load() < int64(n)/4 {
		t.Errorf("%d crashes, %d unknown outcomes: the schedules test nothing", crashes.Load(), unknown.Load())
	}
	report(t, fmt.Sprintf("%d seeded schedules of crashes and failing effects (a full disk, a refused fsync), %d steps", n, played.Load()),
		"no call ran twice in %d crashes and %d turns that a fault ended; %d outcomes said to be unknown; %d schedules played again: the same bytes; %.0f s",
		crashes.Load(), refused.Load(), unknown.Load(), replayed.Load(), time.Since(start).Seconds())
}
