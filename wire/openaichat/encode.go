package openaichat

import (
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/wire"
)

// kept is what a body retains for its successor.
type kept struct {
	req    wire.Request   // without messages and scratch
	msgs   []chat.Message // as they were sent, after the repair
	clean  bool           // the repair had nothing to do
	cuts   []cut          // where the blocks begin, and the end of the last one
	losses []wire.Loss    // without those of the repair
}

// A cut is a place between two blocks: what stands before it in the body
// depends on nothing behind it.
type cut struct{ msg, json, marks, losses int }

// encoder writes one request.
type encoder struct {
	wire.Writer
	req  *wire.Request
	cap  *wire.Capability
	msgs []chat.Message
	cuts []cut
}

const tail = "]}"

func encode(prev *wire.Body, r wire.Request) (wire.Body, error) {
	var old *kept
	if prev != nil {
		if k, ok := prev.Retained.(*kept); ok && wire.SameHead(&k.req, &r) {
			old = k
		}
	}
	clean := 0
	if old != nil && old.clean && wire.CommonMessages(old.msgs, r.Messages) == len(old.msgs) {
		clean = len(old.msgs)
	}
	msgs, repairs := wire.Repair(r.Messages, clean)
	e := encoder{req: &r, cap: &r.Capability, msgs: msgs}
	if old != nil {
		e.resume(prev, old)
	} else {
		e.allocate(headSize(&r)+messagesSize(msgs), 0, nil)
		if err := e.head(); err != nil {
			return wire.Body{}, err
		}
		e.cut(0)
	}
	for i := e.cuts[len(e.cuts)-1].msg; i < len(msgs); {
		end := e.blockEnd(i)
		e.block(i, end)
		e.cut(end)
		i = end
	}
	e.Raw(tail)
	// The slice is copied: its owner may reuse it, the messages are immutable.
	r.Messages, r.Scratch = nil, nil
	k := &kept{req: r, msgs: slices.Clone(msgs), clean: len(repairs) == 0, cuts: e.cuts, losses: e.Losses}
	return wire.Body{
		JSON:     e.JSON,
		Marks:    e.Marks,
		Losses:   slices.Concat(repairs, e.Losses),
		Retained: k,
	}, nil
}

func (e *encoder) cut(msg int) {
	e.cuts = append(e.cuts, cut{msg, len(e.JSON), len(e.Marks), len(e.Losses)})
}

// resume begins with what the body before has in common with this one: the
// head and all blocks that hold the same messages. The bytes are copied, since
// both bodies stay valid.
func (e *encoder) resume(prev *wire.Body, old *kept) {
	same := wire.CommonMessages(old.msgs, e.msgs)
	n := len(old.cuts) - 1
	for n > 0 && old.cuts[n].msg > same {
		n--
	}
	// The last block may reach further now that other messages follow it.
	for n > 0 && e.blockEnd(old.cuts[n-1].msg) != old.cuts[n].msg {
		n--
	}
	c := old.cuts[n]
	size := c.json + messagesSize(e.msgs[c.msg:])
	e.allocate(size+size/8, c.marks+marksFor(e.msgs[c.msg:]), prev)
	e.JSON = append(e.JSON, prev.JSON[:c.json]...)
	e.Marks = append(e.Marks, prev.Marks[:c.marks]...)
	e.cuts = append(make([]cut, 0, n+2+len(e.msgs)-c.msg), old.cuts[:n+1]...)
	e.Losses = old.losses[:c.losses:c.losses]
}

// allocate takes the memory of the scratch body if it is large enough and not
// that of the body before.
func (e *encoder) allocate(size, marks int, prev *wire.Body) {
	s := e.req.Scratch
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
