package reliability_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/sessiontest"
)

// childRace takes part in n[0] races for the next number of a session. It prints
// the numbers that it won and how often it was refused.
func childRace(dir string, n []int) error {
	ctx := context.Background()
	s, err := jsonl.Open(jsonl.Config{Dir: dir, NoSync: true})
	if err != nil {
		return err
	}
	defer s.Close()
	locked, moved := 0, 0
	for last := uint64(0); last < uint64(n[0]); {
		err := s.Append(ctx, id, last, sessiontest.Inputs(last, 1)...)
		var at *session.MovedError
		switch {
		case err == nil:
			last++
			fmt.Println(last)
		case errors.As(err, &at):
			moved++
			last = at.Last
		case errors.Is(err, session.ErrLocked):
			locked++
			continue
		default:
			return err
		}
		if err := s.Release(id); err != nil {
			return err
		}
	}
	fmt.Println("refused", locked, moved)
	return nil
}

// TestWriters lets two processes race for every number of a session: each number is
// given out once, and the log has what the winners were told (I1).
func TestWriters(t *testing.T) {
	races := pick(100, 1000)
	dir := t.TempDir()
	var out [2]string
	t.Run("race", func(t *testing.T) {
		for i := range out {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				out[i], _ = output(t, process(t.Context(), "race", dir, races))
			})
		}
	})
	won := map[string]int{}
	var by [2]int
	locked, moved := 0, 0
	for i, o := range out {
		for line := range strings.Lines(o) {
			var l, m int
			if n, _ := fmt.Sscanf(line, "refused %d %d", &l, &m); n == 2 {
				locked, moved = locked+l, moved+m
				continue
			}
			won[line]++
			by[i]++
			if won[line] > 1 {
				t.Errorf("two writers were told that they wrote event %s", line)
			}
		}
	}
	s, err := jsonl.Open(jsonl.Config{Dir: dir})
	must(t, err)
	defer s.Close()
	events, err := read(t.Context(), s)
	must(t, err)
	if _, err := session.Fold(events); err != nil || len(events) != races || len(won) != races {
		t.Errorf("%d events, %d were written (%v)", len(events), len(won), err)
	}
	report(t, fmt.Sprintf("two processes race for each of %d events of a session", races),
		"0 numbers given out twice, 0 gaps; %d were won by one and %d by the other; refused: %d times as locked, %d times as moved", by[0], by[1], locked, moved)
}

// childHold writes an event, says so, and keeps the session.
func childHold(dir string, _ []int) error {
	s, err := jsonl.Open(jsonl.Config{Dir: dir})
	if err != nil {
		return err
	}
	events, err := read(context.Background(), s)
	if err != nil {
		return err
	}
	last := uint64(len(events))
	if err := s.Append(context.Background(), id, last, sessiontest.Inputs(last, 1)...); err != nil {
		return err
	}
	fmt.Println("held")
	time.Sleep(time.Minute)
	return nil
}

// TestTakeover kills the holder of a session and measures how long it takes until
// another process has it.
func TestTakeover(t *testing.T) {
	n := pick(5, 100)
	dir := t.TempDir()
	var took []time.Duration
	for range n {
		c := process(t.Context(), "hold", dir)
		out, err := c.StdoutPipe()
		must(t, err)
		must(t, c.Start())
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
			t.Fatalf("the holder says %q, %v", line, err)
		}
		s, err := jsonl.Open(jsonl.Config{Dir: dir})
		must(t, err)
		events, err := read(t.Context(), s)
		must(t, err)
		last := uint64(len(events))
		next := sessiontest.Inputs(last, 1)
		if err := s.Append(t.Context(), id, last, next...); !errors.Is(err, session.ErrLocked) {
			t.Errorf("while it is held: got %v, want ErrLocked", err)
		}
		start := time.Now()
		must(t, c.Process.Kill())
		for err = session.ErrLocked; errors.Is(err, session.ErrLocked) && time.Since(start) < 10*time.Second; {
			err = s.Append(t.Context(), id, last, next...)
		}
		took = append(took, time.Since(start))
		must(t, err)
		_, _ = io.Copy(io.Discard, out)
		_ = c.Wait() // it was killed
		must(t, s.Close())
	}
	slices.Sort(took)
	if most := took[len(took)-1]; most > time.Second {
		t.Errorf("taking over took %v", most)
	}
	report(t, fmt.Sprintf("SIGKILL to the holder of a session, %d times", n), "another process has it after %.1f ms (median), %.1f ms (longest)",
		ms(took[len(took)/2]), ms(took[len(took)-1]))
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
