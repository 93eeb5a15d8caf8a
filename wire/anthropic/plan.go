package anthropic

import (
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// plan is what is known of a request before it is written, and kept with its
// body.
type plan struct {
	points []wire.CachePoint
	ids    ids
}

// Opening is the user message that stands before a conversation that begins with
// the assistant, which the protocol refuses.
const Opening = "(The conversation so far is not shown.)"

var opening = chat.TextMessage(chat.User, span.OfGenerated(Opening, span.Generated("repair")))

// prepare completes the conversation, places the breakpoints and says how much of
// the body before can be copied: what stands before the first breakpoint that
// differs.
func prepare(e *dialect.Encoder, old any) (own any, keep int, losses []wire.Loss) {
	if first := slices.IndexFunc(e.Msgs, func(m chat.Message) bool { return sends(e.Cap, &m) }); first >= 0 &&
		e.Msgs[first].Role == chat.Assistant {
		e.Msgs = slices.Concat([]chat.Message{opening}, e.Msgs)
		losses = append(losses, wire.NewLoss(prompt.Warning, wire.CodeRepaired,
			"the conversation does not begin with a user message: one is put before it", dialect.FirstOrigin(&e.Msgs[first+1])))
	}
	points, more := wire.PlanCache(e.Req, e.Msgs, func(m *chat.Message) bool { return carries(e.Cap, m) })
	p := &plan{points: points}
	before, ok := old.(*plan)
	if !ok {
		return p, -1, append(losses, more...)
	}
	p.ids.sent = before.ids.sent
	return p, common(before.points, points, len(e.Msgs)), append(losses, more...)
}

// common returns the number of messages in front of the first breakpoint that
// only one of two plans has; -1 if it stands in the head.
func common(a, b []wire.CachePoint, messages int) int {
	for i := range max(len(a), len(b)) {
		switch {
		case i < len(a) && i < len(b) && same(&a[i], &b[i]):
		case i < len(a) && a[i].Place != wire.AfterMessage, i < len(b) && b[i].Place != wire.AfterMessage:
			return -1
		case i >= len(a):
			return b[i].At
		case i >= len(b):
			return a[i].At
		default:
			return min(a[i].At, b[i].At)
		}
	}
	return messages
}

func same(a, b *wire.CachePoint) bool {
	return a.Place == b.Place && a.At == b.At && a.TTL == b.TTL && (a.Place == wire.AfterMessage || a.Section == b.Section)
}

// point returns the breakpoint behind a tool list, section or message, or nil.
func (p *plan) point(place wire.CachePlace, at int) *wire.CachePoint {
	for i := range p.points {
		if p.points[i].Place == place && p.points[i].At == at {
			return &p.points[i]
		}
	}
	return nil
}

// marker returns the member that makes a breakpoint of a block.
func marker(ttl wire.TTL) string {
	if ttl == wire.TTL1h {
		return `,"cache_control":{"type":"ephemeral","ttl":"1h"}`
	}
	return `,"cache_control":{"type":"ephemeral"}`
}

// breakpoint puts a breakpoint into a block that is already closed: at is the
// place of its closing brace.
func breakpoint(e *dialect.Encoder, at int, name string, ttl wire.TTL) {
	m := marker(ttl)
	e.JSON = slices.Insert(e.JSON, at, []byte(m)...)
	for i := len(e.Marks) - 1; i >= 0 && e.Marks[i].Lo >= at; i-- {
		e.Marks[i].Lo += len(m)
		e.Marks[i].Hi += len(m)
	}
	e.Breakpoints = append(e.Breakpoints, wire.Breakpoint{Name: name, Lo: at, Hi: at + len(m), TTL: ttl})
}
