package spawn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
)

// maxKins is how many sessions are remembered whose children all rest.
const maxKins = 256

// AroundTurn implements [agent.TurnHook]: when the turn is cancelled, so are the
// children of its session.
func (s *Spawner) AroundTurn(ctx context.Context, at agent.At, next func(context.Context) error) error {
	if at.Preview {
		return next(ctx)
	}
	defer s.tidy()
	stop := context.AfterFunc(ctx, func() { s.cancel(at.Session) })
	defer stop()
	return next(ctx)
}

// cancel cancels the children of a session.
func (s *Spawner) cancel(id string) {
	s.mu.Lock()
	k := s.kins[id]
	s.mu.Unlock()
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, c := range k.list {
		if c.cancel != nil {
			c.cancel()
		}
	}
}

// tidy forgets children that rest when there are many; the store has them.
func (s *Spawner) tidy() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.kins) <= maxKins {
		return
	}
	busy := map[string]bool{}
	for _, c := range s.running {
		busy[c.parent.Session] = true
	}
	for id, k := range s.kins {
		if !busy[id] && k.mu.TryLock() { // somebody may be about to start one
			k.dead = true
			k.mu.Unlock()
			delete(s.kins, id)
		}
	}
}

// Notices implements [agent.NoticeHook]: it tells the ends of children in the
// background that no notice has told.
func (s *Spawner) Notices(ctx context.Context, at agent.At, view session.View) ([]agent.Notice, error) {
	ended, _, err := s.ended(ctx, at.Session, view)
	if err != nil || len(ended) == 0 {
		return nil, err
	}
	more := max(len(ended)-maxTold, 0)
	text, tasks := notice(ended[:len(ended)-more], more)
	return []agent.Notice{{Text: text, Tasks: tasks}}, nil
}

// ended returns copies of the children in the background whose end was not told,
// and one that is running, or nil.
func (s *Spawner) ended(ctx context.Context, id string, view session.View) (out []*child, busy *child, err error) {
	k, err := s.kinOf(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	defer k.mu.Unlock()
	k.pass(id, view.Told)
	for _, c := range k.list {
		switch {
		case !c.parent.Background || slices.Contains(view.Told, c.id):
		case c.first.state == "":
			busy = c
		default:
			own := *c
			out = append(out, &own)
		}
	}
	return out, busy, nil
}

// Working returns how many children of a session are at work in the background.
func (s *Spawner) Working(id string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.running {
		if c.parent.Session == id && c.parent.Background {
			n++
		}
	}
	return n
}

// Outstanding waits until no child of a session is at work in the background, and
// returns how many ends the parent was not told. A program that is about to end
// runs another turn, without input, as long as there are some.
func (s *Spawner) Outstanding(ctx context.Context, id string) (int, error) {
	for {
		view, err := s.view(ctx, id)
		if err != nil {
			return 0, err
		}
		ended, busy, err := s.ended(ctx, id, view)
		if err != nil || busy == nil {
			return len(ended), err
		}
		select {
		case <-busy.done:
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

func (s *Spawner) view(ctx context.Context, id string) (session.View, error) {
	var f session.Folder
	for e, err := range s.cfg.Store.Events(ctx, id) {
		if err == nil {
			err = f.Add(e)
		}
		if err != nil {
			return session.View{}, fmt.Errorf("session %s: %w", id, err)
		}
	}
	return f.View(), nil
}

// turnOf waits for the turn of a call among those of its answer, and returns who
// calls, with the children of the session, locked.
func (s *Spawner) turnOf(ctx context.Context) (agent.Caller, *kin, error) {
	caller, ok := agent.CallerOf(ctx)
	if !ok {
		return caller, nil, errNoCaller
	}
	if err := caller.InOrder(ctx); err != nil {
		return caller, nil, err
	}
	k, err := s.kinOf(ctx, caller.Session)
	return caller, k, err
}

// List implements [subagent.Spawner].
func (s *Spawner) List(ctx context.Context) (tool.Result, error) {
	_, k, err := s.turnOf(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	defer k.mu.Unlock()
	if len(k.list) == 0 {
		return tool.Text("No subagent was started in this conversation."), nil
	}
	var b strings.Builder
	for _, c := range k.list {
		where := ""
		if c.parent.Background {
			where = ", in the background"
		}
		fmt.Fprintf(&b, "- %s: %s, %s%s: %s\n", c.id, oneLine(c.parent.Agent, 80), c.state, where, c.task)
	}
	return tool.Text(b.String()), nil
}
