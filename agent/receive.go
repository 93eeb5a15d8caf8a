package agent

import (
	"context"
	"iter"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// A received is a complete answer of a model.
type received struct {
	message chat.Message
	usage   *session.Usage
	stop    session.Stop
	id      string // the provider's, for a chain
}

var modelOrigin = &span.Origin{Section: "answer", Source: "model", Trust: span.Tool}

// receive sends a body and collects the answer, handing out deltas on the way.
func (r *run) receive(ctx context.Context, model provider.Model, body wire.Body) (received, error) {
	got := received{message: chat.Message{Role: chat.Assistant}, stop: session.Stop{Reason: string(wire.StopEnd)}}
	var parts builder
	events, taps := r.a.hooks.sending(ctx, r.at(), body, func(ctx context.Context) iter.Seq2[wire.Event, error] { return model.Send(ctx, body) })
	for e, err := range events {
		if err != nil {
			return got, err
		}
		switch e.Kind {
		case wire.TextDelta:
			parts.text(chat.TextPart, e.Text)
			r.delta(ctx, session.DeltaText, e.Text)
		case wire.ReasoningDelta:
			parts.text(chat.ReasoningPart, e.Text)
			r.delta(ctx, session.DeltaReasoning, e.Text)
		case wire.CallStart:
			parts.begin(e.Index)
		case wire.CallEnd:
			if e.Call != nil { // a hook may have lost it
				parts.call(e.Index, *cloneCall(e.Call))
			}
		case wire.OpaqueItem:
			if e.Opaque != nil {
				parts.add(chat.Part{Kind: chat.OpaquePart, Opaque: e.Opaque})
			}
		case wire.UsageReport:
			if e.Usage != nil {
				u := session.Usage(*e.Usage)
				got.usage = &u
			}
		case wire.Stop:
			got.stop = session.Stop{Reason: string(e.Stop), Message: e.Text}
			got.id = e.ID
		}
	}
	if err := ctx.Err(); err != nil { // a model that ended quietly when it was cancelled
		return got, err
	}
	got.message.Parts = r.unique(parts.done())
	taps.attribute(got.message)
	return got, nil
}

func (r *run) delta(ctx context.Context, k session.Kind, text string) {
	if text != "" && (k != session.DeltaText || r.a.cfg.Runtime == nil) {
		r.deltas = true
		r.emit(ctx, session.Event{Kind: k, Turn: r.turnNo, Step: r.step, Delta: text})
	}
}
