package anthropic

import (
	"fmt"

	"github.com/proemhq/proem/internal/sse"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// reading makes sense of one response. Calls, usage and the stop reason are
// reported when the response is complete, so that a cut stream never yields a
// complete call. Payloads are reported where they stand among the texts; the
// place of a call is that of its start.
type reading struct {
	sink   *dialect.Sink
	blocks []*received
	calls  int
	usage  usage
	stop   string
}

// Event implements [dialect.Reading].
func (d *reading) Event(ev sse.Event) (done bool, err error) {
	var e event
	if index, x, ok := quick(ev.Data); ok {
		return false, d.delta(index, &x)
	}
	if err := dialect.ParseEvent(ev, &e); err != nil {
		return false, err
	}
	if e.Type == "" {
		e.Type = ev.Name
	}
	if e.Type == "error" || e.Type == "" && dialect.Present(e.Error) {
		return false, wire.ParseError(0, ev.Data)
	}
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			d.usage.merge(e.Message.Usage)
		}
	case "content_block_start":
		return false, d.begin(e.Index, e.ContentBlock)
	case "content_block_delta":
		return false, d.delta(e.Index, &e.Delta)
	case "content_block_stop":
		if b := d.find(e.Index); b != nil {
			d.close(b)
		}
	case "message_delta":
		d.usage.merge(e.Usage)
		if e.Delta.StopReason != "" {
			d.stop = e.Delta.StopReason
		}
	case "message_stop":
		d.end()
		return true, nil
	}
	return false, nil
}

// End implements [dialect.Reading]: the stream ended without message_stop.
func (d *reading) End() error { return wire.ErrTruncated }

// Object implements [dialect.Reading].
func (d *reading) Object(raw []byte) error {
	var m message
	if err := dialect.ParseObject(raw, &m); err != nil {
		return err
	}
	if m.Type == "error" || dialect.Present(m.Error) {
		return wire.ParseError(0, raw)
	}
	for i, c := range m.Content {
		if err := d.begin(i, c); err != nil {
			return err
		}
		d.close(d.blocks[i])
	}
	if m.StopReason == "" {
		return wire.ErrTruncated
	}
	d.usage.merge(m.Usage)
	d.stop = m.StopReason
	d.end()
	return nil
}

// end reports what is known only at the end.
func (d *reading) end() {
	for _, b := range d.blocks {
		d.close(b)
	}
	if n := len(d.blocks); n > 0 && reason(d.stop) == wire.StopLength {
		d.blocks[n-1].cutShort()
	}
	for _, b := range d.blocks {
		if b.kind == "tool_use" {
			d.sink.Emit(wire.Event{Kind: wire.CallEnd, Index: b.call, Call: b.toolCall()})
		}
	}
	if u := d.usage.neutral(); u != nil {
		d.sink.Emit(wire.Event{Kind: wire.UsageReport, Usage: u})
	}
	d.sink.Emit(wire.Event{Kind: wire.Stop, Stop: reason(d.stop), Text: d.stop})
}

// find returns the block that is being received under an index, or nil.
func (d *reading) find(index int) *received {
	for i := len(d.blocks) - 1; i >= 0; i-- {
		if d.blocks[i].index == index {
			return d.blocks[i]
		}
	}
	return nil
}

func (d *reading) begin(index int, raw []byte) error {
	b, err := newBlock(index, raw)
	if err != nil {
		return wire.StreamError(fmt.Sprintf("stream.malformed: content block %d: %v", index, err))
	}
	d.blocks = append(d.blocks, b)
	switch b.kind {
	case "text":
		d.text(b.start.Text)
	case "thinking":
		d.reasoning(b.start.Thinking)
	case "tool_use":
		b.call = d.calls
		d.calls++
		d.sink.Emit(wire.Event{Kind: wire.CallStart, Index: b.call, ID: b.start.ID, Name: b.start.Name})
	}
	return nil
}

func (d *reading) text(s string) {
	if s != "" {
		d.sink.Emit(wire.Event{Kind: wire.TextDelta, Text: s})
	}
}

func (d *reading) reasoning(s string) {
	if s != "" {
		d.sink.Emit(wire.Event{Kind: wire.ReasoningDelta, Text: s})
	}
}

func (d *reading) delta(index int, x *delta) error {
	b := d.find(index)
	if b == nil || b.closed {
		return wire.StreamError(fmt.Sprintf("stream.malformed: a delta of content block %d, which is not open", index))
	}
	switch x.Type {
	case "text_delta":
		d.text(x.Text)
	case "thinking_delta":
		b.thinking = append(b.thinking, x.Thinking...)
		d.reasoning(x.Thinking)
	case "signature_delta":
		b.signature = append(b.signature, x.Signature...)
	case "input_json_delta":
		b.input = append(b.input, x.PartialJSON...)
		if b.kind == "tool_use" && x.PartialJSON != "" {
			d.sink.Emit(wire.Event{Kind: wire.CallDelta, Index: b.call, Text: x.PartialJSON})
		}
	}
	return nil
}

// close reports what a block is, once it is complete.
func (d *reading) close(b *received) {
	if b.closed {
		return
	}
	b.closed = true
	switch b.kind {
	case "text":
	case "tool_use":
		if len(b.input) == 0 && b.fill() {
			d.sink.Emit(wire.Event{Kind: wire.CallDelta, Index: b.call, Text: string(b.input)})
		}
	default:
		d.sink.Emit(wire.Event{Kind: wire.OpaqueItem, Opaque: b.opaque()})
	}
}
