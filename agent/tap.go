package agent

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"iter"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// A stream is a way to get the events of an answer.
type stream func(context.Context) iter.Seq2[wire.Event, error]

// taps measure what passes between the hooks around a model: the first is what
// the agent receives, the last what the model says.
type taps struct {
	names []string // of the hook between two taps
	taps  []tap
}

// A tap sums up the events of one place, by what hooks may change.
type tap struct {
	sums [3]hash.Hash // text, reasoning, calls
	err  error        // the last error
}

// The sums of a tap.
const (
	sumText = iota
	sumReasoning
	sumCalls
)

// sending returns the events of a model as the hooks around it let them through,
// and the taps that tell which of them changed something; nil: there are no
// hooks.
func (c *hooks) sending(ctx context.Context, at At, body wire.Body, send stream) (iter.Seq2[wire.Event, error], *taps) {
	if len(c.model) == 0 {
		return send(ctx), nil
	}
	t := &taps{names: make([]string, len(c.model)), taps: make([]tap, len(c.model)+1)}
	next := t.tapped(len(c.model), send)
	for i := len(c.model) - 1; i >= 0; i-- {
		h, inner := c.model[i], next
		t.names[i] = h.name
		next = t.tapped(i, func(outer context.Context) iter.Seq2[wire.Event, error] {
			return t.guarded(i, func() iter.Seq2[wire.Event, error] {
				return h.hook.AroundModel(outer, at, cloneBody(body), func(asked context.Context) iter.Seq2[wire.Event, error] {
					return func(yield func(wire.Event, error) bool) {
						both, done := joined(outer, asked)
						defer done()
						inner(both)(yield)
					}
				})
			})
		})
	}
	return next(ctx), t
}

// tapped measures a stream.
func (t *taps) tapped(i int, s stream) stream {
	tap := &t.taps[i]
	for k := range tap.sums {
		tap.sums[k] = sha256.New()
	}
	return func(ctx context.Context) iter.Seq2[wire.Event, error] {
		return func(yield func(wire.Event, error) bool) {
			for e, err := range s(ctx) {
				tap.add(e, err)
				if !yield(e, err) {
					return
				}
			}
		}
	}
}

func (t *tap) add(e wire.Event, err error) {
	if err != nil {
		t.err = err
		return
	}
	switch e.Kind {
	case wire.TextDelta:
		t.sums[sumText].Write([]byte(e.Text))
	case wire.ReasoningDelta:
		t.sums[sumReasoning].Write([]byte(e.Text))
	case wire.CallEnd:
		if e.Call != nil {
			fmt.Fprintf(t.sums[sumCalls], "%d %q %q %q\n", e.Index, e.Call.ID, e.Call.Name, e.Call.Args)
		}
	}
}

// guarded returns the events of the hook at i. Its errors and panics name it;
// those of the model and of whoever receives the events are not its own.
func (t *taps) guarded(i int, open func() iter.Seq2[wire.Event, error]) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		outside, done := false, false
		defer func() {
			if outside || done {
				return
			}
			if p := recover(); p != nil {
				yield(wire.Event{}, &HookError{t.names[i], fmt.Errorf("panic: %v", p)})
			}
		}()
		for e, err := range open() {
			var own *HookError
			if inner := t.taps[i+1].err; err != nil && !errors.As(err, &own) && (inner == nil || !errors.Is(err, inner)) {
				err = &HookError{t.names[i], err}
			}
			outside = true
			done = !yield(e, err)
			outside = false
			if done {
				return
			}
		}
	}
}

// attribute gives what hooks changed of an answer their names.
func (t *taps) attribute(m chat.Message) {
	if t == nil {
		return
	}
	text, reasoning, calls := t.changed(sumText), t.changed(sumReasoning), t.changed(sumCalls)
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == chat.TextPart && text != nil:
			p.Text = relabelled(p.Text, text)
		case p.Kind == chat.ReasoningPart && reasoning != nil:
			p.Text = relabelled(p.Text, reasoning)
		case p.Call != nil && calls != nil:
			p.Call.From = calls
		}
	}
}

// changed returns the origin of what the outermost hook made that changed a sum;
// nil: none did.
func (t *taps) changed(sum int) *span.Origin {
	for i, name := range t.names {
		if string(t.taps[i].sums[sum].Sum(nil)) != string(t.taps[i+1].sums[sum].Sum(nil)) {
			return &span.Origin{Section: modelOrigin.Section, Source: modelOrigin.Source, Stage: name, Trust: modelOrigin.Trust}
		}
	}
	return nil
}

func relabelled(t span.Text, from *span.Origin) span.Text {
	return span.OfGenerated(t.String(), from)
}
