package quickjs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
)

// A process runs code.
type process struct {
	cmd    *exec.Cmd
	in     *os.File // to it
	out    *os.File // from it
	exited chan struct{}
	mu     sync.Mutex
	gone   bool // it was waited for, so that its number may be another's
	ended  sync.Once
}

// start starts a process that waits for its code.
func start() (*process, error) {
	self, err := executable()
	if err != nil {
		return nil, err
	}
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), ourIn.Close())
	}
	p := &process{in: ourIn, out: ourOut, exited: make(chan struct{})}
	p.cmd = &exec.Cmd{Path: self, Args: []string{marker}, Env: []string{}, Dir: emptyDir, Stdin: theirIn, Stdout: theirOut}
	setGroup(p.cmd)
	started := make(chan error)
	go func() {
		// The process ends with the thread that started it, which therefore stays.
		defer lockThread()()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.wait()
		}
		close(p.exited)
	}()
	err = <-started
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		<-p.exited
		return nil, errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	return p, nil
}

// wait waits for the end. How it ended is in cmd.ProcessState.
func (p *process) wait() {
	_ = p.cmd.Wait()
	p.mu.Lock()
	p.gone = true
	p.mu.Unlock()
}

// kill ends the process and its group.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.gone {
		killGroup(p.cmd)
	}
}

// end returns when nothing of the process is left.
func (p *process) end() {
	p.ended.Do(func() {
		p.kill()
		p.in.Close()
		p.out.Close()
		<-p.exited
	})
}

// how says how a process ended whose conversation broke off.
func (p *process) how(err error) string {
	if s := p.cmd.ProcessState; s != nil && !s.Success() {
		return s.String()
	}
	return fmt.Sprint(err)
}
