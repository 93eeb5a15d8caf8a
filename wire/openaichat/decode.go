package openaichat

import (
	"io"
	"iter"

	"github.com/proemhq/proem/internal/sse"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// decode reads a stream of chunks, or one JSON object. The response is complete
// when a finish reason came; some hosts send no [DONE]. Usage and the stop
// reason are reported at the very end, the calls when the finish reason is
// known, so that a cut stream never yields a complete call.
func decode(r io.Reader) iter.Seq2[wire.Event, error] {
	return dialect.Decode(r, func(s *dialect.Sink) dialect.Reading { return &decoder{Sink: s} })
}

type decoder struct {
	*dialect.Sink
	calls   []*call
	ended   bool // the calls were delivered
	finish  string
	refused bool
	usage   *usage
	form    form // of the last chunk that held nothing but text
}

// Event implements [dialect.Reading].
func (d *decoder) Event(ev sse.Event) (bool, error) {
	if dialect.IsDone(ev) {
		return true, d.End()
	}
	if s, ok := d.form.text(ev.Data); ok && ev.Name == "" {
		if s != "" {
			d.Emit(wire.Event{Kind: wire.TextDelta, Text: s})
		}
		return false, nil
	}
	var c chunk
	if err := dialect.ParseEvent(ev, &c); err != nil {
		return false, err
	}
	if ev.Name == "error" || dialect.Present(c.Error) {
		return false, wire.ParseError(0, ev.Data)
	}
	if ev.Name == "" {
		d.form = learn(ev.Data, &c)
	}
	if c.Usage != nil {
		d.usage = c.Usage
	}
	for i := range c.Choices {
		if ch := &c.Choices[i]; ch.Index == 0 {
			d.delta(&ch.Delta)
			d.finished(ch.FinishReason)
		}
	}
	return false, nil
}

// Object implements [dialect.Reading].
func (d *decoder) Object(raw []byte) error {
	var c chunk
	if err := dialect.ParseObject(raw, &c); err != nil {
		return err
	}
	if dialect.Present(c.Error) {
		return wire.ParseError(0, raw)
	}
	d.usage = c.Usage
	for i := range c.Choices {
		if ch := &c.Choices[i]; ch.Index == 0 {
			d.delta(&ch.Message)
			d.finished(ch.FinishReason)
		}
	}
	return d.End()
}

func (d *decoder) delta(m *message) {
	if s := m.reasoning(); s != "" {
		d.Emit(wire.Event{Kind: wire.ReasoningDelta, Text: s})
	}
	if m.Content != "" {
		d.Emit(wire.Event{Kind: wire.TextDelta, Text: string(m.Content)})
	}
	if m.Refusal != "" {
		d.refused = true
		d.Emit(wire.Event{Kind: wire.TextDelta, Text: m.Refusal})
	}
	for i := range m.ToolCalls {
		d.callDelta(&m.ToolCalls[i], i)
	}
}

func (d *decoder) finished(reason string) {
	if reason == "" || d.finish != "" {
		return
	}
	d.finish = reason
}

// End implements [dialect.Reading]. It reports what is known only at the end.
func (d *decoder) End() error {
	if d.finish == "" {
		return wire.ErrTruncated
	}
	d.endCalls()
	if d.usage != nil {
		d.Emit(wire.Event{Kind: wire.UsageReport, Usage: d.usage.neutral()})
	}
	d.Emit(wire.Event{Kind: wire.Stop, Stop: d.reason(), Text: d.finish})
	return nil
}

// reason translates the host's finish reason. Some hosts say stop although the
// model made calls, or although it refused.
func (d *decoder) reason() wire.StopReason {
	switch d.finish {
	case "stop", "end_turn", "eos":
		switch {
		case d.refused:
			return wire.StopRefusal
		case len(d.calls) > 0:
			return wire.StopTools
		}
		return wire.StopEnd
	case "tool_calls", "function_call":
		return wire.StopTools
	case "length", "max_tokens":
		return wire.StopLength
	case "content_filter":
		return wire.StopFilter
	case "refusal":
		return wire.StopRefusal
	case "error", "insufficient_system_resource":
		return wire.StopFailed
	}
	return wire.StopOtherwise
}
