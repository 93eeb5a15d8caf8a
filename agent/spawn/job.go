package spawn

import (
	"context"
	"errors"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/trace"
)

// A job is one turn of a child, which was admitted.
type job struct {
	s      *Spawner
	k      *kin
	c      *child
	caller agent.Caller
	agent  *agent.Agent
	in     agent.Input
}

// foreground runs the turn and returns its answer, or what the child asks.
func (j *job) foreground(ctx context.Context) (tool.Result, error) {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	o := j.run(within, cancel, func() {})
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	if o.state != Waiting {
		return j.c.result(o), nil
	}
	asked, err := j.agent.Asked(ctx, j.c.id)
	if err != nil {
		return tool.Result{}, err
	}
	if len(asked) == 0 {
		return tool.Errorf("the subagent %s waits for nothing", j.c.id), nil
	}
	return tool.Result{}, j.c.question(asked[0])
}

// background begins the turn, and returns once the child is recorded.
func (j *job) background(ctx context.Context) error {
	turn := ctx
	ctx, cancel := context.WithCancel(trace.Detached(context.WithoutCancel(ctx)))
	began, ended := make(chan struct{}), make(chan outcome, 1)
	go func() {
		defer cancel()
		ended <- j.run(ctx, cancel, func() { close(began) })
	}()
	select {
	case <-began:
		if turn.Err() != nil { // perhaps before there was anything to cancel
			cancel()
		}
		return nil
	case o := <-ended:
		select {
		case <-began:
			return nil
		default: // nothing of it is recorded
			j.k.forget(j.c)
			return errors.New(o.why)
		}
	}
}

// run runs the turn to its end. began is called when the first event was stored.
func (j *job) run(ctx context.Context, cancel context.CancelFunc, began func()) outcome {
	stop := context.AfterFunc(j.s.base, cancel)
	defer stop()
	j.k.mu.Lock()
	j.c.cancel = cancel
	now := *j.c // as it comes to stand; others see it when the turn is over
	j.k.mu.Unlock()
	j.in.Who, j.in.Mode, j.in.Parent = j.caller.Who, j.caller.Mode, &j.c.parent
	j.follow(ctx, &tracker{c: &now, max: j.s.cfg.MaxResult}, began)
	j.agent.Close()
	j.k.mu.Lock()
	j.c.turns, j.c.first, j.c.last, j.c.state, j.c.cancel = now.turns, now.first, now.last, now.last.state, nil
	j.k.mu.Unlock()
	j.s.leave(j.c)
	return now.last
}

// follow runs the agent and counts what it takes.
func (j *job) follow(ctx context.Context, t *tracker, began func()) {
	var request session.Request
	over, stored := "", false
	var failed error
	for e, err := range j.agent.Run(ctx, j.c.id, j.in) {
		if err != nil {
			failed = err
			break
		}
		if !e.Kind.Transient() && !stored {
			stored = true
			began()
		}
		t.add(e)
		switch e.Kind {
		case session.Requested:
			request = *e.Request
		case session.Answer:
			why := j.caller.Charge(request.Model, e.Usage, request.Bytes, bytesOf(*e.Message))
			if len(e.Message.Calls()) > 0 { // it would go on
				over = why
			}
		}
		if over != "" {
			break // the child records that it was cancelled
		}
	}
	switch {
	case over != "":
		t.end(Failed, over)
	case failed != nil && !t.stopped:
		t.end(Failed, failed.Error())
	case !t.stopped:
		t.end(Interrupted, cancelled)
	}
}

// bytesOf returns the bytes of a message's texts and calls.
func bytesOf(m chat.Message) (n int) {
	for _, p := range m.Parts {
		n += p.Text.Len()
		if p.Call != nil {
			n += len(p.Call.Name) + len(p.Call.Args)
		}
	}
	return n
}
