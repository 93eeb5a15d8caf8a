package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
}

var modelOrigin = &span.Origin{Section: "answer", Source: "model", Trust: span.Tool}

// receive sends a body and collects the answer, handing out deltas on the way.
func (r *run) receive(ctx context.Context, model provider.Model, body wire.Body) (received, error) {
	got := received{message: chat.Message{Role: chat.Assistant}, stop: session.Stop{Reason: string(wire.StopEnd)}}
	var text, reasoning strings.Builder
	var calls, opaque []chat.Part
	for e, err := range model.Send(ctx, body) {
		if err != nil {
			return got, err
		}
		switch e.Kind {
		case wire.TextDelta:
			text.WriteString(e.Text)
			r.delta(session.DeltaText, e.Text)
		case wire.ReasoningDelta:
			reasoning.WriteString(e.Text)
			r.delta(session.DeltaReasoning, e.Text)
		case wire.CallEnd:
			call := *e.Call
			call.ID = uniqueID(call.ID, calls, r.turnNo, r.step)
			call.From = modelOrigin
			calls = append(calls, chat.Part{Kind: chat.CallPart, Call: &call})
		case wire.OpaqueItem:
			opaque = append(opaque, chat.Part{Kind: chat.OpaquePart, Opaque: e.Opaque})
		case wire.UsageReport:
			u := session.Usage(*e.Usage)
			got.usage = &u
		case wire.Stop:
			got.stop = session.Stop{Reason: string(e.Stop), Message: e.Text}
		}
	}
	if err := ctx.Err(); err != nil { // a model that ended quietly when it was cancelled
		return got, err
	}
	parts := opaque
	if reasoning.Len() > 0 {
		parts = append(parts, chat.Part{Kind: chat.ReasoningPart, Text: span.Of(validUTF8(reasoning.String()), modelOrigin)})
	}
	if text.Len() > 0 {
		parts = append(parts, chat.Part{Kind: chat.TextPart, Text: span.Of(validUTF8(text.String()), modelOrigin)})
	}
	got.message.Parts = append(parts, calls...)
	return got, nil
}

func (r *run) delta(k session.Kind, text string) {
	if text != "" {
		r.deltas = true
		r.emit(session.Event{Kind: k, Turn: r.turnNo, Step: r.step, Delta: text})
	}
}

// uniqueID returns the id of a call, or one of our own if the model left it out
// or gave it twice in one answer.
func uniqueID(id string, calls []chat.Part, turn, step int) string {
	used := func(id string) bool {
		return slices.ContainsFunc(calls, func(p chat.Part) bool { return p.Call.ID == id })
	}
	for n := len(calls) + 1; id == "" || used(id); n++ {
		id = fmt.Sprintf("call-%d-%d-%d", turn, step, n)
	}
	return id
}
