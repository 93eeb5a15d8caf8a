package agent

import (
	"context"
	"sync"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool/permit"
)

// A Caller is the turn in which a tool is called: what a tool must know that runs
// an agent itself.
type Caller struct {
	At
	Call  string      // the id of the call
	Mode  permit.Mode // of the permissions at this call; empty: the policy's own
	Depth int         // how many parents the session has

	bill  *bill
	place *place
}

type callerKey struct{}

// CallerOf returns the turn in which a tool is called, or false outside of one.
func CallerOf(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(Caller)
	return c, ok
}

// callContext returns the context of one call.
func (r *run) callContext(ctx context.Context, call string, at *place) context.Context {
	v := r.l.folder.View()
	c := Caller{At: r.at(), Call: call, Mode: modeIn(v, r.in), bill: r.bill, place: at}
	if p := v.Parent; p != nil {
		c.Depth = p.Depth
	}
	return context.WithValue(r.toolContext(ctx), callerKey{}, c)
}

// Charge counts an answer that the call got from a model to the limits of its
// turn. sent and got are the bytes of the request and of the answer, from which
// what the usage lacks is estimated. It returns why the turn may not go on, or "".
// After the end of the turn nothing is counted. It may be called concurrently.
func (c Caller) Charge(model string, u *session.Usage, sent, got int) string {
	var used session.Usage
	if u != nil {
		used = *u
	}
	estimated := used.Input == nil || used.Output == nil
	if used.Input == nil {
		used.Input = estimate(sent)
	}
	if used.Output == nil {
		used.Output = estimate(got)
	}
	return c.bill.charge(billed{c.Step, c.Call}, model, used, estimated)
}

// billed names a call: an id belongs to one call within its step only.
type billed struct {
	step int
	call string
}

// A bill is what the calls of a turn took from models that they asked themselves.
type bill struct {
	limits *Limits

	mu     sync.Mutex
	closed bool
	open   spending // what the turn's own spending does not have yet
	before spending // the turn's own, when it was last settled
	calls  map[billed]*session.Spent
}

// charge adds what a call took.
func (b *bill) charge(call billed, model string, u session.Usage, estimated bool) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return ""
	}
	if b.calls == nil {
		b.calls = map[billed]*session.Spent{}
	}
	if b.calls[call] == nil {
		b.calls[call] = &session.Spent{}
	}
	b.calls[call].Add(&u)
	b.open.tokens += *u.Input + *u.Output
	b.open.estimated = b.open.estimated || estimated
	if b.limits.Cost > 0 {
		cost, ok := b.limits.Price(model, u)
		if !ok {
			b.open.unpriced = model
		}
		b.open.cost += cost
	}
	sum := b.before
	sum.add(b.open)
	if stop := b.limits.exceeded(&sum); stop != nil {
		return stop.Message
	}
	return ""
}

// settle moves what calls took into the spending of the turn.
func (b *bill) settle(s *spending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.add(b.open)
	b.open, b.before = spending{}, *s
}

// of returns what a call took, once; nil: nothing.
func (b *bill) of(call billed) *session.Usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	spent := b.calls[call]
	if spent == nil {
		return nil
	}
	delete(b.calls, call)
	return &spent.Usage
}

// close ends the counting.
func (b *bill) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// add takes in what something else took.
func (s *spending) add(o spending) {
	s.tokens += o.tokens
	s.cost += o.cost
	s.estimated = s.estimated || o.estimated
	if o.unpriced != "" {
		s.unpriced = o.unpriced
	}
}
