// Package trace says what a run did and how long it took, as spans: the turn, its
// steps, the calls of models and of tools, each inside the one that it belongs to.
// Names and attributes are those of OpenTelemetry's conventions for generative AI
// where these have one, and begin with "proem." elsewhere.
//
// A [Sink] is given each span once, when it is over; one that wants to know of
// beginnings too is a [Starter]. A [Tracer] makes the spans:
//
//	t := &trace.Tracer{Sink: sink}
//	ctx, turn := t.Start(ctx, trace.InvokeAgent, "reviewer", trace.Int("proem.turn", 1))
//	defer turn.End()
//	…
//	_, call := trace.Start(ctx, trace.ExecuteTool, "grep") // a child, wherever ctx goes
//	call.Fail("timeout", "no answer in 30 s")
//	call.End()
//
// A nil Tracer, and a context without a span, make none: all methods of a nil
// [Active] do nothing and allocate nothing, so that callers need not ask.
//
// The tree is kept whole whatever happens inside: a span that ends ends those
// that are open below it, no span is given to the sink twice, and a parent
// encloses its children in time even if the clock is set back.
package trace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/proemhq/proem/env"
)

// A Span is something that was done. It is not changed after a sink was given it.
type Span struct {
	Name string // the operation and what it is done to, such as "chat gpt-5"
	Kind Kind
	// Trace is the same for all spans of a tree, 32 small hex digits; ID is the
	// span's own and Parent that of the span it is part of, 16 of them. A span
	// without a parent is the root of its trace.
	Trace, ID, Parent string
	// Link is the span of another trace out of which this one began and which does
	// not enclose it; the zero value: there is none.
	Link  Link
	Begin time.Time
	End   time.Time // zero until it is over
	// Failed says that it did not do what it should; Message is why, for people, and
	// the attribute error.type a stable word.
	Failed  bool
	Message string
	Attrs   []Attr // in the order in which they were set, each key once
}

// A Link names a span.
type Link struct{ Trace, ID string }

// A Kind says on which side of a connection a span stands.
type Kind string

// The kinds of spans.
const (
	Internal Kind = "internal" // nothing leaves the process, as far as is known
	Client   Kind = "client"   // a request is sent and answered
)

// A Sink takes spans.
type Sink interface {
	// End is given a span that is over. It may be called concurrently, is waited for,
	// must not panic, and must not start or end spans.
	End(Span)
}

// A Starter is a sink that is also told when a span begins.
type Starter interface {
	// Begin is given the span as it begins, and returns the context for what is done
	// inside, for instance with the span of another library; else ctx.
	Begin(ctx context.Context, s Span) context.Context
}

// A Tracer makes spans. A nil Tracer, and one without a sink, makes none. It may be
// used concurrently and is not changed after its first use.
type Tracer struct {
	Sink Sink
	Env  *env.Env // clock and ids; nil: the operating system's
}

// Start begins a span: a child of the one in ctx, or else the root of a trace.
// target is what the operation is done to and the rest of the name; it may be empty.
// The returned context holds the span.
func (t *Tracer) Start(ctx context.Context, op, target string, attrs ...Attr) (context.Context, *Active) {
	if t == nil || t.Sink == nil {
		return ctx, nil
	}
	return t.start(ctx, op, target, attrs)
}

// Start begins a child of the span in ctx, or in a detached context the root of a
// trace. Without a span, or if that is over, nothing is begun.
func Start(ctx context.Context, op, target string, attrs ...Attr) (context.Context, *Active) {
	parent := From(ctx)
	if parent == nil {
		return ctx, nil
	}
	if parent.detached {
		return parent.tracer.start(ctx, op, target, attrs)
	}
	return parent.tree.add(ctx, parent.tracer, parent.env, parent, op, target, attrs)
}

type activeKey struct{}

// From returns the span in ctx, or nil.
func From(ctx context.Context) *Active {
	a, _ := ctx.Value(activeKey{}).(*Active)
	return a
}

// In returns a context in which the span is the present one; ctx for a nil Active.
func (a *Active) In(ctx context.Context) context.Context {
	if a == nil {
		return ctx
	}
	return context.WithValue(ctx, activeKey{}, a)
}

// Detached returns a context for what goes on after the span in ctx is over, such
// as work in the background: the next span begins a trace of its own, with a link
// to this one.
func Detached(ctx context.Context) context.Context {
	a := From(ctx)
	if a == nil {
		return ctx
	}
	return context.WithValue(ctx, activeKey{}, &Active{tree: &tree{}, tracer: a.tracer, span: Span{Trace: a.span.Trace, ID: a.span.ID}, over: true, detached: true})
}

func (t *Tracer) start(ctx context.Context, op, target string, attrs []Attr) (context.Context, *Active) {
	e := env.OrSystem(t.Env)
	parent := From(ctx)
	if parent != nil {
		if within, a := parent.tree.add(ctx, t, e, parent, op, target, attrs); a != nil {
			return within, a
		}
	}
	tr := &tree{id: hexID(e, "trace", 16)}
	within, a := tr.add(ctx, t, e, nil, op, target, attrs)
	return within, a
}

// hexID returns an id of n bytes in hex. It is made from one of the environment's,
// which has another form.
func hexID(e *env.Env, prefix string, n int) string {
	sum := sha256.Sum256([]byte(e.IDs.New(prefix)))
	return hex.EncodeToString(sum[:n])
}
