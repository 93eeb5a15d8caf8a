// Package dialect holds what the dialects have in common: the frame of a request
// whose prefix is kept for the next one, the turns of a conversation, options,
// and the reading of responses.
//
// A dialect describes itself by a Layout; its functions write through the
// Encoder that they are given:
//
//	var layout = dialect.Layout{
//		Name:     "example",
//		Head:     func(e *dialect.Encoder) error { e.Raw(`{"messages":[`); return nil },
//		BlockEnd: func(e *dialect.Encoder, i int) int { return i + 1 },
//		Block:    func(e *dialect.Encoder, lo, hi int) { … },
//		Tail:     "]}",
//	}
//	body, err := layout.Encode(prev, request)
package dialect

import (
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/wire"
)

// A Layout says how a dialect writes a request. What stands in a block depends
// on the head, on the messages of the block and on whether more messages follow
// that join it; on nothing else.
type Layout struct {
	Name string // of the dialect; begins its errors
	// Plan, if not nil, is called before anything is written. It may replace e.Msgs,
	// and returns what Encoder.Own is from then on. Old is the Own of the body
	// before, if its head is that of an equal request; nil otherwise. Keep is the
	// number of leading messages whose encoding may be copied from that body;
	// negative: not even the head. Losses are about the request as a whole.
	Plan func(e *Encoder, old any) (own any, keep int, losses []wire.Loss)
	// Head writes everything before the first message. It may replace e.Req by a
	// request that differs in tools and options.
	Head func(e *Encoder) error
	// First returns how many leading messages are not sent, because the provider
	// has them; nil: all are sent.
	First func(e *Encoder) int
	// BlockEnd returns the end of the block that begins at message i.
	BlockEnd func(e *Encoder, i int) int
	// Block writes messages lo to hi.
	Block func(e *Encoder, lo, hi int)
	Tail  string // what stands behind the last message
}

// An Encoder writes one request.
type Encoder struct {
	wire.Writer
	Req  *wire.Request
	Cap  *wire.Capability
	Msgs []chat.Message // the conversation after its repair
	// Own is the dialect's own part of what the body retains. It is not changed once
	// the body is complete.
	Own any
	// Breakpoints are those of the body, in ascending order.
	Breakpoints []wire.Breakpoint
	name        string
	cuts        []cut
}

// A cut is a place between two blocks: what stands before it in the body
// depends on nothing behind it.
type cut struct{ msg, json, marks, losses int }

// kept is what a body retains for its successor.
type kept struct {
	name   string         // of the dialect
	req    wire.Request   // without messages and scratch
	msgs   []chat.Message // as they were sent, after the repair
	clean  bool           // the repair had nothing to do
	cuts   []cut          // where the blocks begin, and the end of the last one
	losses []wire.Loss    // without those of the repair and the plan
	own    any
}

// Encode returns the body of r. It is what [wire.Dialect] demands.
func (l *Layout) Encode(prev *wire.Body, r wire.Request) (wire.Body, error) {
	var old *kept
	if prev != nil {
		if k, ok := prev.Retained.(*kept); ok && k.name == l.Name && wire.SameHead(&k.req, &r) {
			old = k
		}
	}
	checked := 0
	if old != nil && old.clean && wire.CommonMessages(old.msgs, r.Messages) == len(old.msgs) {
		checked = len(old.msgs)
	}
	msgs, repairs := wire.Repair(r.Messages, checked)
	e := Encoder{Req: &r, Cap: &r.Capability, Msgs: msgs, name: l.Name}
	clean, keep := len(repairs) == 0, len(msgs)
	if l.Plan != nil {
		repairs, keep = l.plan(&e, old, repairs)
		msgs = e.Msgs
	}
	if keep < 0 {
		old = nil
	}
	first := 0
	if l.First != nil {
		first = l.First(&e)
	}
	if old != nil && old.cuts[0].msg == first {
		e.resume(l, prev, old, keep)
	} else {
		e.allocate(headSize(&r)+messagesSize(msgs[first:]), 0, nil)
		if err := l.Head(&e); err != nil {
			return wire.Body{}, err
		}
		e.cut(first)
	}
	for i := e.cuts[len(e.cuts)-1].msg; i < len(msgs); {
		end := l.BlockEnd(&e, i)
		l.Block(&e, i, end)
		e.cut(end)
		i = end
	}
	e.Raw(l.Tail)
	// The slice is copied: its owner may reuse it, the messages are immutable.
	r.Messages, r.Scratch = nil, nil
	k := &kept{name: l.Name, req: r, msgs: slices.Clone(msgs), clean: clean, cuts: e.cuts, losses: e.Losses, own: e.Own}
	return wire.Body{
		JSON:        e.JSON,
		Marks:       e.Marks,
		Breakpoints: e.Breakpoints,
		Losses:      slices.Concat(repairs, e.Losses),
		Retained:    k,
	}, nil
}

// plan lets the dialect look at the whole request first.
func (l *Layout) plan(e *Encoder, old *kept, losses []wire.Loss) ([]wire.Loss, int) {
	var own any
	if old != nil {
		own = old.own
	}
	own, keep, more := l.Plan(e, own)
	e.Own = own
	return slices.Concat(losses, more), keep
}

func (e *Encoder) cut(msg int) {
	e.cuts = append(e.cuts, cut{msg, len(e.JSON), len(e.Marks), len(e.Losses)})
}

// resume begins with what the body before has in common with this one: the
// head and all blocks that hold the same messages. The bytes are copied, since
// both bodies stay valid.
func (e *Encoder) resume(l *Layout, prev *wire.Body, old *kept, keep int) {
	same := min(keep, wire.CommonMessages(old.msgs, e.Msgs))
	n := len(old.cuts) - 1
	for n > 0 && old.cuts[n].msg > same {
		n--
	}
	// The last block may reach further now that other messages follow it.
	for n > 0 && l.BlockEnd(e, old.cuts[n-1].msg) != old.cuts[n].msg {
		n--
	}
	c := old.cuts[n]
	size := c.json + messagesSize(e.Msgs[c.msg:])
	e.allocate(size+size/8, c.marks+marksFor(e.Msgs[c.msg:]), prev)
	e.JSON = append(e.JSON, prev.JSON[:c.json]...)
	e.Marks = append(e.Marks, prev.Marks[:c.marks]...)
	e.cuts = append(make([]cut, 0, n+2+len(e.Msgs)-c.msg), old.cuts[:n+1]...)
	e.Losses = old.losses[:c.losses:c.losses]
	for n := range prev.Breakpoints {
		if prev.Breakpoints[n].Hi <= c.json {
			e.Breakpoints = prev.Breakpoints[: n+1 : n+1]
		}
	}
}

// allocate takes the memory of the scratch body if it is large enough and not
// that of the body before.
func (e *Encoder) allocate(size, marks int, prev *wire.Body) {
	s := e.Req.Scratch
	if s == nil || prev != nil && shares(s.JSON, prev.JSON) {
		s = &wire.Body{}
	}
	if e.JSON = s.JSON[:0]; cap(e.JSON) < size {
		e.JSON = make([]byte, 0, size)
	}
	if e.Marks = s.Marks[:0]; cap(e.Marks) < marks {
		e.Marks = make([]wire.Mark, 0, marks+marks/8)
	}
}

func shares(a, b []byte) bool { return cap(a) > 0 && cap(b) > 0 && &a[:1][0] == &b[:1][0] }

// Next writes the comma before every message or item but the first of a list.
func (e *Encoder) Next() {
	if e.JSON[len(e.JSON)-1] != '[' {
		e.Raw(",")
	}
}
