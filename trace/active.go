package trace

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/proemhq/proem/env"
)

// An Active is a span that is not over. Its methods may be called concurrently and
// on a nil Active, and do nothing after the end.
type Active struct {
	tree   *tree
	tracer *Tracer
	env    *env.Env
	parent *Active
	// detached stands for a span in a context that is left of it.
	detached bool

	// Guarded by the tree.
	span Span
	over bool
	open []*Active // children, in the order in which they began
	last time.Time // the latest end of a child
}

// A tree is a trace in progress. The sink is called under its lock, so that it is
// given children before their parents.
type tree struct {
	id string
	mu sync.Mutex
}

// add begins a span. Under a parent that is over nothing is begun.
func (t *tree) add(ctx context.Context, tracer *Tracer, e *env.Env, parent *Active, op, target string, attrs []Attr) (context.Context, *Active) {
	a := &Active{tree: t, tracer: tracer, env: e, parent: parent}
	a.span = Span{Name: op, Kind: Internal, Trace: t.id, ID: hexID(e, "span", 8)}
	if target != "" {
		a.span.Name += " " + target
	}
	if op == Chat {
		a.span.Kind = Client
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	a.span.Begin = e.Clock.Now().UTC()
	if parent != nil {
		if parent.over {
			return ctx, nil
		}
		a.span.Parent = parent.span.ID
		if a.span.Begin.Before(parent.span.Begin) {
			a.span.Begin = parent.span.Begin
		}
		parent.open = append(parent.open, a)
	} else if from := From(ctx); from != nil {
		a.span.Link = Link{from.span.Trace, from.span.ID}
	}
	a.set(attrs)
	if s, ok := tracer.Sink.(Starter); ok {
		shown := a.span
		shown.Attrs = slices.Clone(shown.Attrs)
		ctx = s.Begin(ctx, shown)
	}
	return context.WithValue(ctx, activeKey{}, a), a
}

// Set sets attributes. One that is set already gets the new value.
func (a *Active) Set(attrs ...Attr) {
	if a == nil {
		return
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	if !a.over {
		a.set(attrs)
	}
}

func (a *Active) set(attrs []Attr) {
	for _, n := range attrs {
		i := slices.IndexFunc(a.span.Attrs, func(o Attr) bool { return o.Key == n.Key })
		switch {
		case n.Key == "" || n.Value.none():
		case i >= 0:
			a.span.Attrs[i] = n
		default:
			a.span.Attrs = append(a.span.Attrs, n)
		}
	}
}

// Fail says that what the span stands for failed: by a stable word, and in a
// sentence for people. The first failure stays.
func (a *Active) Fail(kind, message string) {
	if a == nil {
		return
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	a.fail(kind, message)
}

func (a *Active) fail(kind, message string) {
	if a.over || a.span.Failed {
		return
	}
	a.span.Failed, a.span.Message = true, message
	a.set([]Attr{String(ErrorType, kind)})
}

// End ends the span, and before it the open ones below it, which fail as
// abandoned. A second End does nothing.
func (a *Active) End() {
	if a == nil {
		return
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	if !a.over {
		a.end(a.env.Clock.Now().UTC())
	}
}

func (a *Active) end(now time.Time) {
	for len(a.open) > 0 {
		c := a.open[0]
		c.fail(Abandoned, "it was not over when what it is part of ended")
		c.end(now)
	}
	for _, least := range []time.Time{a.span.Begin, a.last} {
		if now.Before(least) {
			now = least
		}
	}
	a.span.End, a.over = now, true
	if p := a.parent; p != nil {
		p.open = slices.DeleteFunc(p.open, func(o *Active) bool { return o == a })
		if p.last.Before(now) {
			p.last = now
		}
	}
	a.tracer.Sink.End(a.span)
}

// Span returns what the span is by now.
func (a *Active) Span() Span {
	if a == nil {
		return Span{}
	}
	a.tree.mu.Lock()
	defer a.tree.mu.Unlock()
	s := a.span
	s.Attrs = slices.Clone(s.Attrs)
	return s
}
