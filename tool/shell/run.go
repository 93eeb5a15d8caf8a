package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

const (
	// grace is what a command gets between being asked to end and being ended,
	// when its time is over. One that is cancelled gets nothing.
	grace = time.Second
	// drain is how long the output of a command that ended is waited for. It is
	// there at once unless a process escaped that still holds it open.
	drain = 200 * time.Millisecond
	// drainCancelled is the same when somebody waits for the end.
	drainCancelled = 20 * time.Millisecond
)

// mark is the variable by which what a command started is found again.
const mark = "PROEM_CALL"

// end is how a command ended.
type end struct {
	code   int
	signal string        // the name, if a signal ended it
	limit  time.Duration // that it exceeded, or 0
	over   bool          // it printed too much
}

// run runs a command to its end and returns when nothing of it is left. The error
// is that of starting it.
func (s *shell) run(ctx context.Context, argv []string, limit time.Duration, out *output) (end, error) {
	if err := s.env.Process(argv[0]); err != nil {
		return end{}, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return end{}, err
	}
	defer r.Close()
	id := s.env.IDs.New("call")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = s.cfg.Dir
	cmd.Env = append(s.vars[:len(s.vars):len(s.vars)], "PWD="+s.cfg.Dir, mark+"="+id)
	cmd.Stdout, cmd.Stderr = w, w
	exited, err := start(cmd)
	w.Close()
	if err != nil {
		return end{}, err
	}
	copied := make(chan struct{})
	go func() { out.copy(r); close(copied) }()

	e := s.await(ctx, cmd, limit, exited, out.over)
	endGroup(cmd)
	killMarked(mark + "=" + id)
	wait := drain
	if ctx.Err() != nil {
		wait = drainCancelled
	}
	select {
	case <-copied:
	case <-time.After(wait): // whoever holds the pipe is none of ours any more
		r.Close()
		<-copied
	}
	e.over = e.over || out.isOver()
	return e, nil
}

// start starts a command in a group of its own and returns a channel that is
// closed when it has ended and was waited for.
func start(cmd *exec.Cmd) (exited chan struct{}, err error) {
	exited = make(chan struct{})
	started := make(chan error)
	go func() {
		// A thread that dies would end a command that shall not outlive us, so it
		// stays with the command.
		defer lockThread()()
		setGroup(cmd)
		err := cmd.Start()
		started <- err
		if err == nil {
			cmd.Wait() // how it ended is in cmd.ProcessState
		}
		close(exited)
	}()
	return exited, <-started
}

// await returns when the command has ended, and ends it when it has to.
func (s *shell) await(ctx context.Context, cmd *exec.Cmd, limit time.Duration, exited, over chan struct{}) end {
	var e end
	timer, stop := context.WithCancel(ctx)
	defer stop()
	late := make(chan struct{})
	go func() {
		if err := s.env.Clock.Sleep(timer, limit); timer.Err() == nil && !errors.Is(err, context.Canceled) {
			close(late)
		}
	}()
	select {
	case <-exited:
	case <-ctx.Done():
		killGroup(cmd)
	case <-over:
		e.over = true
		killGroup(cmd)
	case <-late:
		e.limit = limit
		askGroup(cmd)
		select {
		case <-exited:
		case <-ctx.Done():
		case <-time.After(grace):
		}
		killGroup(cmd)
	}
	<-exited
	e.code, e.signal = status(cmd.ProcessState)
	return e
}

// copy reads until the other end is closed, whatever becomes of what it reads.
func (o *output) copy(r io.Reader) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Read(buf)
		o.add(buf[:n])
		if err != nil {
			return
		}
	}
}

// describe says how the command ended; empty: as it should.
func (e end) describe(maxOutput int64, maxTimeout time.Duration) string {
	switch {
	case e.over:
		return fmt.Sprintf("[ended: it printed more than %d bytes; let it print less, or into a file]", maxOutput)
	case e.limit > 0:
		hint := ""
		if e.limit < maxTimeout {
			hint = fmt.Sprintf("; ask for a longer timeout, at most %d, if it needs it", int(maxTimeout.Seconds()))
		}
		return fmt.Sprintf("[ended after %d seconds, the time limit%s]", int(e.limit.Seconds()), hint)
	case e.signal != "":
		return fmt.Sprintf("[ended by signal %s]", e.signal)
	case e.code > 128 && signalName(e.code-128) != "":
		return fmt.Sprintf("[exit code %d, as after signal %s]", e.code, signalName(e.code-128))
	case e.code != 0:
		return fmt.Sprintf("[exit code %d]", e.code)
	}
	return ""
}
