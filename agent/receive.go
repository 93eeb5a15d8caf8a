package agent

import (
	"context"

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
	for e, err := range model.Send(ctx, body) {
		if err != nil {
			return got, err
		}
		switch e.Kind {
		case wire.TextDelta:
			parts.text(chat.TextPart, e.Text)
			r.delta(session.DeltaText, e.Text)
		case wire.ReasoningDelta:
			parts.text(chat.ReasoningPart, e.Text)
			r.delta(session.DeltaReasoning, e.Text)
		case wire.CallStart:
			parts.begin(e.Index)
		case wire.CallEnd:
			parts.call(e.Index, *e.Call)
		case wire.OpaqueItem:
			parts.add(chat.Part{Kind: chat.OpaquePart, Opaque: e.Opaque})
		case wire.UsageReport:
			u := session.Usage(*e.Usage)
			got.usage = &u
		case wire.Stop:
			got.stop = session.Stop{Reason: string(e.Stop), Message: e.Text}
			got.id = e.ID
		}
	}
	if err := ctx.Err(); err != nil { // a model that ended quietly when it was cancelled
		return got, err
	}
	got.message.Parts = r.unique(parts.done())
	return got, nil
}

func (r *run) delta(k session.Kind, text string) {
	if text != "" {
		r.deltas = true
		r.emit(session.Event{Kind: k, Turn: r.turnNo, Step: r.step, Delta: text})
	}
}
