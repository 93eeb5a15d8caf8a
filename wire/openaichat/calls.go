package openaichat

import (
	"encoding/json"
	"strconv"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/wire"
)

// call is a tool call in the making.
type call struct {
	index   int // the host's index; calls are numbered in the order of arrival
	id      string
	name    string
	args    []byte
	started bool
}

// callDelta adds a piece to the call that it belongs to. Position is its place
// in the list that it came in, used if the host numbers nothing.
func (d *decoder) callDelta(piece *callDelta, position int) {
	n := d.find(piece, position)
	c := d.calls[n]
	if c.id == "" {
		c.id = piece.ID
	}
	if c.name == "" {
		c.name = piece.Function.Name
	}
	before := len(c.args)
	c.args = append(c.args, piece.Function.Arguments...)
	if !c.started && c.name != "" {
		d.start(n)
		before = 0
	}
	if c.started && len(c.args) > before {
		d.Emit(wire.Event{Kind: wire.CallDelta, Index: n, Text: string(c.args[before:])})
	}
}

// start announces a call as soon as its name is known.
func (d *decoder) start(n int) {
	c := d.calls[n]
	if c.id == "" {
		c.id = "call_" + strconv.Itoa(n)
	}
	c.started = true
	d.Emit(wire.Event{Kind: wire.CallStart, Index: n, ID: c.id, Name: c.name})
}

// find returns the call that a piece belongs to, by the host's index. A new id
// together with a name begins a new call even under an index that is in use:
// some hosts number every call 0.
func (d *decoder) find(piece *callDelta, position int) int {
	index := position
	switch {
	case piece.Index != nil:
		index = *piece.Index
	case piece.ID == "" && len(d.calls) > 0 && piece.Function.Name == "":
		return len(d.calls) - 1
	case piece.ID != "":
		for n, c := range d.calls {
			if c.id == piece.ID {
				return n
			}
		}
		index = -1
	}
	for n := len(d.calls) - 1; n >= 0 && index >= 0; n-- {
		c := d.calls[n]
		if c.index != index {
			continue
		}
		if piece.ID != "" && c.id != "" && piece.ID != c.id && piece.Function.Name != "" {
			break
		}
		return n
	}
	d.calls = append(d.calls, &call{index: index})
	return len(d.calls) - 1
}

// endCalls delivers the complete calls in the order in which they began.
func (d *decoder) endCalls() {
	if d.ended {
		return
	}
	d.ended = true
	for n, c := range d.calls {
		if !c.started {
			d.start(n)
			if len(c.args) > 0 {
				d.Emit(wire.Event{Kind: wire.CallDelta, Index: n, Text: string(c.args)})
			}
		}
		d.Emit(wire.Event{Kind: wire.CallEnd, Index: n, Call: &chat.ToolCall{
			ID: c.id, Name: c.name, Args: json.RawMessage(c.args),
		}})
	}
}
