package jsonl_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/sessiontest"
)

// The test binary runs itself again as another process, which finds its task in
// these variables.
const (
	taskVar = "PROEM_JSONL_TEST_TASK"
	dirVar  = "PROEM_JSONL_TEST_DIR"
	atVar   = "PROEM_JSONL_TEST_AT"
)

func TestMain(m *testing.M) {
	switch os.Getenv(taskVar) {
	case "kill":
		childKill()
	case "hold":
		childHold()
	case "race":
		childRace()
	default:
		os.Exit(m.Run())
	}
}

func child(t *testing.T, task, dir string, at int) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0])
	c.Env = append(os.Environ(), taskVar+"="+task, dirVar+"="+dir, atVar+"="+strconv.Itoa(at))
	c.Stderr = os.Stderr
	return c
}

func killSelf() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {} // until the signal arrives
}

// childKill appends the sample and kills itself at the numbered effect: before
// it, or for a write in the middle of it.
func childKill() {
	at, _ := strconv.Atoi(os.Getenv(atVar))
	fail := &env.Failpoints{At: (at + 1) / 2, Do: func(kind env.Effect, _ string) error {
		if at%2 == 0 && kind == env.EffectWrite {
			return &env.ShortWrite{N: 100, Err: env.ErrInjected, Then: killSelf}
		}
		killSelf()
		return nil
	}}
	log := sessiontest.Sample()
	s, err := jsonl.Open(jsonl.Config{Dir: os.Getenv(dirVar), NoSync: true, Env: &env.Env{Fail: fail}})
	for i := 0; err == nil && i < len(log); i++ {
		if err = s.Append(context.Background(), "s", uint64(i), log[i]); err == nil {
			fmt.Println(i + 1)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

// TestKill kills a process at each of its effects with SIGKILL. What it said was
// written must be there.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	log := sessiontest.Sample()
	kills := 0
	for k := 1; ; k++ {
		dir := t.TempDir()
		out, err := child(t, "kill", dir, k).Output()
		if err == nil {
			break // it has fewer effects
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() == 2 {
			t.Fatalf("kill %d: %v", k, err)
		}
		kills++
		checkRecovery(t, dir, log, strings.Count(string(out), "\n"))
		if t.Failed() {
			t.Fatalf("killed at %d", k)
		}
	}
	if kills < 2*len(log) {
		t.Errorf("%d kills, want at least %d", kills, 2*len(log))
	}
	t.Logf("%d kills", kills)
}

func childHold() {
	s, err := jsonl.Open(jsonl.Config{Dir: os.Getenv(dirVar)})
	if err == nil {
		err = s.Append(context.Background(), "s", 0, sessiontest.Inputs(0, 1)...)
	}
	fmt.Println("held", err)
	time.Sleep(time.Minute)
}

// TestTakeOver checks that a session is refused while another process holds it
// and taken over at once when that is killed.
func TestTakeOver(t *testing.T) {
	dir := t.TempDir()
	c := child(t, "hold", dir, 0)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held <nil>\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	s := open(t, jsonl.Config{Dir: dir})
	next := sessiontest.Inputs(1, 1)
	if err := s.Append(t.Context(), "s", 1, next...); !errors.Is(err, session.ErrLocked) || !strings.Contains(err.Error(), "session.locked") {
		t.Errorf("while it is held: got %v, want ErrLocked", err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if err := s.Append(t.Context(), "s", 1, next...); err != nil {
		t.Errorf("after the holder died: %v", err)
	}
	if got := read(t, s); len(got) != 2 {
		t.Errorf("got %d events, want 2", len(got))
	}
}

// childRace appends 20 events wherever there is room, giving the session back
// after each.
func childRace() {
	ctx := context.Background()
	s, err := jsonl.Open(jsonl.Config{Dir: os.Getenv(dirVar), NoSync: true})
	for n := 0; err == nil && n < 20; {
		var log []session.Event
		if log, err = sessiontest.Read(ctx, s, "s"); err != nil {
			break
		}
		last := uint64(len(log))
		err = s.Append(ctx, "s", last, sessiontest.Inputs(last, 1)...)
		switch {
		case err == nil:
			n++
			err = s.Release("s")
		case errors.Is(err, session.ErrLocked) || errors.Is(err, session.ErrMoved):
			err = s.Release("s")
			time.Sleep(100 * time.Microsecond)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

// TestTwoProcesses lets two processes write to one session.
func TestTwoProcesses(t *testing.T) {
	dir := t.TempDir()
	a, b := child(t, "race", dir, 0), child(t, "race", dir, 0)
	if err := errors.Join(a.Start(), b.Start()); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(a.Wait(), b.Wait()); err != nil {
		t.Fatal(err)
	}
	s := open(t, jsonl.Config{Dir: dir})
	if got := read(t, s); len(got) != 40 { // Read refuses duplicates and gaps
		t.Errorf("got %d events, want 40", len(got))
	}
	if r := s.Repairs(); len(r) != 0 {
		t.Errorf("repairs %v", r)
	}
}
