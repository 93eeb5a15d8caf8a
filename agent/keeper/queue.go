package keeper

import (
	"context"
	"errors"
	"time"

	"github.com/proemhq/proem/prompt"
)

// user is whose turns stand in one queue.
type user struct{ tenant, id string }

// A queue holds the turns of one user that wait. It is worked on by at most one
// goroutine, so that a user's requests follow each other.
type queue struct {
	who     prompt.Who
	turns   []*turn
	running bool
	last    time.Time // when the last request ended
}

// maxIdle is how many users are remembered for the sake of the gap.
const maxIdle = 4096

// calm lasts until somebody is in a hurry.
type calm struct {
	ctx context.Context
	end context.CancelFunc
}

func newCalm() *calm {
	ctx, end := context.WithCancel(context.Background())
	return &calm{ctx, end}
}

// add puts a turn in the queue of its user. It never waits.
func (k *Keeper) add(who prompt.Who, t *turn) {
	if err := k.enqueue(who, t); err != nil {
		k.report(Report{Act: Extract, Who: who, Turns: 1, Err: err})
	}
}

func (k *Keeper) enqueue(who prompt.Who, t *turn) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.closed:
		return ErrClosed
	case k.waiting >= k.cfg.MaxWaiting:
		return ErrFull
	}
	id := user{who.Tenant, who.User}
	q := k.users[id]
	if q == nil {
		k.forget()
		q = &queue{}
		k.users[id] = q
	}
	q.who = who
	q.turns = append(q.turns, t)
	k.waiting++
	if !q.running {
		q.running = true
		k.active++
		go k.work(q)
	}
	return nil
}

// forget makes room for another user.
func (k *Keeper) forget() {
	if len(k.users) < maxIdle {
		return
	}
	for id, q := range k.users {
		if !q.running {
			delete(k.users, id)
		}
	}
}

// work looks at turns until none waits.
func (k *Keeper) work(q *queue) {
	for k.next(q) {
		k.mu.Lock()
		q.last = k.env.Clock.Now()
		k.mu.Unlock()
	}
}

// next makes one request for the turns that wait, or reports that none does.
func (k *Keeper) next(q *queue) bool {
	k.pause(q)
	select {
	case k.slot <- struct{}{}:
		defer func() { <-k.slot }()
	case <-k.base.Done(): // the request will fail at once
	}
	turns, who := k.take(q)
	if len(turns) == 0 {
		return false
	}
	r := k.extract(who, turns)
	k.report(r)
	if r.Err == nil && len(r.Saved.Added) > 0 && k.cfg.ConsolidateAt > 0 {
		k.consolidateFull(who)
	}
	return true
}

// pause waits until the gap since the last request is over, or somebody is in a
// hurry.
func (k *Keeper) pause(q *queue) {
	k.mu.Lock()
	calm, rest := k.calm.ctx, time.Duration(0)
	if !q.last.IsZero() && len(q.turns) > 0 {
		rest = k.cfg.Gap - k.env.Clock.Now().Sub(q.last)
	}
	k.mu.Unlock()
	if rest > 0 {
		// An error is a hurry: the pause is over then too.
		_ = k.env.Clock.Sleep(calm, min(rest, k.cfg.Gap))
	}
}

// take returns the turns for one request. If there are none, the queue is at
// rest.
func (k *Keeper) take(q *queue) ([]*turn, prompt.Who) {
	k.mu.Lock()
	defer k.mu.Unlock()
	n, size := 0, 0
	for n < len(q.turns) && (n == 0 || size+q.turns[n].size() <= k.cfg.MaxBytes) {
		size += q.turns[n].size()
		n++
	}
	turns := q.turns[:n:n]
	q.turns = q.turns[n:]
	k.waiting -= n
	if n == 0 {
		q.turns, q.running = nil, false
		k.active--
		if k.active == 0 && k.idle != nil {
			close(k.idle)
			k.idle = nil
		}
	}
	return turns, q.who
}

// Flush looks at all turns that wait, without regard to the gap, and returns when
// that is done or ctx is.
func (k *Keeper) Flush(ctx context.Context) error {
	k.mu.Lock()
	k.hurry++
	k.calm.end()
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		if k.hurry--; k.hurry == 0 {
			k.calm = newCalm()
		}
		k.mu.Unlock()
	}()
	for {
		k.mu.Lock()
		if k.active == 0 {
			k.mu.Unlock()
			return nil
		}
		if k.idle == nil {
			k.idle = make(chan struct{})
		}
		idle := k.idle
		k.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close looks at all turns that wait and takes no more. If ctx is done before,
// requests are cancelled, the turns that were not looked at are reported, and its
// error is returned. Whoever ends a process calls it after the last answer was
// shown.
func (k *Keeper) Close(ctx context.Context) error {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	err := k.Flush(ctx)
	k.stop()
	if err != nil { // what runs ends now
		return errors.Join(err, k.Flush(context.WithoutCancel(ctx)))
	}
	return nil
}
