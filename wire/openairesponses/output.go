package openairesponses

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// item is an item of the output in the making.
type item struct {
	index   int // the host's
	kind    string
	written int  // bytes of text or reasoning that were handed out
	part    int  // the part of the reasoning that came last
	phased  bool // its phase was handed out
	done    bool
	call    *call
}

// call is a tool call in the making.
type call struct {
	number  int // in the order of arrival
	id      string
	name    string
	args    []byte
	started bool
}

// item returns the item with an index, a new one if there is none.
func (d *decoder) item(index int, kind string) int {
	for n := len(d.items) - 1; n >= 0; n-- {
		if d.items[n].index == index {
			return n
		}
	}
	it := item{index: index, kind: kind}
	if kind == "function_call" {
		it.call = &call{number: len(d.calls)}
		d.calls = append(d.calls, len(d.items))
	}
	d.items = append(d.items, it)
	return len(d.items) - 1
}

// text hands out more text of an item. Texts of two items are parted by a blank
// line.
func (d *decoder) text(n int, s string) {
	if s == "" {
		return
	}
	if d.last >= 0 && d.last != n {
		s = "\n\n" + s
		d.items[n].written -= 2
	}
	d.last = n
	d.items[n].written += len(s)
	d.Emit(wire.Event{Kind: wire.TextDelta, Text: s})
}

// reasoning hands out more reasoning. Its parts are parted by a blank line.
func (d *decoder) reasoning(n, part int, s string) {
	it := &d.items[n]
	if s == "" {
		return
	}
	it.written += len(s)
	if part != it.part {
		it.part = part
		s = "\n\n" + s
	}
	d.Emit(wire.Event{Kind: wire.ReasoningDelta, Text: s})
}

// added takes the beginning of an item.
func (d *decoder) added(index int, raw json.RawMessage) {
	var in outputItem
	if json.Unmarshal(raw, &in) != nil {
		return
	}
	n := d.item(index, in.Type)
	d.phase(&d.items[n], in.Phase)
	if c := d.items[n].call; c != nil {
		d.start(c, &in)
		d.more(c, in.Arguments)
	}
}

// start announces a call as soon as its name is known.
func (d *decoder) start(c *call, in *outputItem) {
	if c.id == "" {
		c.id = in.CallID
	}
	if c.name == "" {
		c.name = in.Name
	}
	if c.started || c.name == "" {
		return
	}
	if c.id == "" {
		c.id = "call_" + strconv.Itoa(c.number)
	}
	c.started = true
	d.Emit(wire.Event{Kind: wire.CallStart, Index: c.number, ID: c.id, Name: c.name})
	if len(c.args) > 0 {
		d.Emit(wire.Event{Kind: wire.CallDelta, Index: c.number, Text: string(c.args)})
	}
}

// more adds to the arguments of a call.
func (d *decoder) more(c *call, s string) {
	if s == "" {
		return
	}
	c.args = append(c.args, s...)
	if c.started {
		d.Emit(wire.Event{Kind: wire.CallDelta, Index: c.number, Text: s})
	}
}

func (d *decoder) arguments(index int, s string) {
	if c := d.items[d.item(index, "function_call")].call; c != nil {
		d.more(c, s)
	}
}

// argumentsDone takes the whole arguments of a call. They decide; what was
// missing from the deltas is handed out.
func (d *decoder) argumentsDone(index int, whole string) {
	c := d.items[d.item(index, "function_call")].call
	if c == nil || whole == "" {
		return
	}
	if rest, ok := strings.CutPrefix(whole, string(c.args)); ok {
		d.more(c, rest)
		return
	}
	c.args = []byte(whole)
}

// done takes a finished item. It is called again for the items of the finished
// response.
func (d *decoder) done(index int, raw json.RawMessage) {
	var in outputItem
	if json.Unmarshal(raw, &in) != nil {
		return
	}
	n := d.item(index, in.Type)
	it := &d.items[n]
	if it.done {
		return
	}
	it.done = true
	switch {
	case it.call != nil:
		d.start(it.call, &in)
		d.argumentsDone(index, in.Arguments)
	case it.kind == "message":
		d.phase(it, in.Phase)
		d.rest(n, in.Content)
	default:
		if it.kind == typeReasoning && it.written == 0 {
			for i, p := range append(in.Summary, in.Content...) {
				d.reasoning(n, i, p.Text)
			}
		}
		d.keep(in.Type, raw)
	}
}

// phase hands out the phase of a message once, before its text.
func (d *decoder) phase(it *item, raw json.RawMessage) {
	if it.kind == "message" && !it.phased && dialect.Present(raw) {
		it.phased = true
		d.keep(typePhase, raw)
	}
}

// rest hands out the text of a message as far as no delta brought it.
func (d *decoder) rest(n int, content []contentPart) {
	var text strings.Builder
	for _, p := range content {
		text.WriteString(p.Text + p.Refusal)
		d.refused = d.refused || p.Type == "refusal"
	}
	if whole, have := text.String(), d.items[n].written; have < len(whole) {
		d.text(n, whole[have:])
	}
}

// keep hands out what only the provider understands.
func (d *decoder) keep(kind string, raw json.RawMessage) {
	d.Emit(wire.Event{Kind: wire.OpaqueItem, Opaque: &chat.Opaque{
		Provider: Name, Type: kind, JSON: append(json.RawMessage(nil), raw...),
	}})
}

// endCalls delivers the complete calls in the order in which they began.
func (d *decoder) endCalls() {
	for _, n := range d.calls {
		c := d.items[n].call
		if !c.started {
			d.start(c, &outputItem{Name: c.name})
		}
		if !c.started { // it never had a name
			c.started, c.id = true, "call_"+strconv.Itoa(c.number)
			d.Emit(wire.Event{Kind: wire.CallStart, Index: c.number, ID: c.id})
		}
		d.Emit(wire.Event{Kind: wire.CallEnd, Index: c.number, Call: &chat.ToolCall{
			ID: c.id, Name: c.name, Args: json.RawMessage(c.args),
		}})
	}
}
