package openaichat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/proemhq/proem/internal/sse"
	"github.com/proemhq/proem/wire"
)

// decode reads a stream of chunks, or one JSON object. The response is complete
// when a finish reason came; some hosts send no [DONE]. Usage and the stop
// reason are reported at the very end, the calls when the finish reason is
// known, so that a cut stream never yields a complete call.
func decode(r io.Reader) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		d := decoder{yield: yield}
		if err := d.run(r); err != nil && !d.stopped {
			yield(wire.Event{}, err)
		}
	}
}

type decoder struct {
	yield   func(wire.Event, error) bool
	stopped bool // the consumer wants no more
	calls   []*call
	ended   bool // the calls were delivered
	finish  string
	refused bool
	usage   *usage
}

func (d *decoder) emit(ev wire.Event) {
	if !d.stopped && !d.yield(ev, nil) {
		d.stopped = true
	}
}

// maxObject bounds a response that is not a stream.
const maxObject = sse.MaxEvent

func (d *decoder) run(r io.Reader) error {
	head, err := firstByte(r)
	if err != nil {
		return readError(err)
	}
	if last := len(head) - 1; head[last] == '{' {
		return d.object(io.MultiReader(bytes.NewReader(head[last:]), r))
	}
	return d.stream(sse.NewReader(io.MultiReader(bytes.NewReader(head), r)))
}

// firstByte reads up to and including the first byte that is no white space.
func firstByte(r io.Reader) ([]byte, error) {
	var head []byte
	var one [1]byte
	for len(head) < 4096 {
		if _, err := io.ReadFull(r, one[:]); err != nil {
			return nil, err
		}
		head = append(head, one[0])
		if !bytes.ContainsRune([]byte(" \t\r\n\ufeff"), rune(one[0])) && one[0] < 0x80 {
			break
		}
	}
	return head, nil
}

// readError tells an end that came too early from a failure of the connection.
func readError(err error) error {
	switch {
	case err == io.EOF:
		return wire.ErrTruncated
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", wire.ErrTruncated, err)
	}
	return fmt.Errorf("read response: %w", err)
}

func (d *decoder) stream(events *sse.Reader) error {
	for !d.stopped {
		ev, err := events.Next()
		if err == io.EOF && d.finish != "" {
			break
		}
		if err != nil {
			return readError(err)
		}
		if bytes.Equal(bytes.TrimSpace(ev.Data), []byte("[DONE]")) {
			if d.finish == "" {
				return wire.ErrTruncated
			}
			break
		}
		if err := d.event(ev); err != nil {
			return err
		}
	}
	d.end()
	return nil
}

func (d *decoder) event(ev sse.Event) error {
	if len(bytes.TrimSpace(ev.Data)) == 0 {
		return nil
	}
	var c chunk
	if err := json.Unmarshal(ev.Data, &c); err != nil {
		if ev.Partial {
			return wire.ErrTruncated
		}
		if ev.Name == "error" {
			return wire.ParseError(0, ev.Data)
		}
		return wire.StreamError(fmt.Sprintf("stream.malformed: %v", err))
	}
	if ev.Name == "error" || present(c.Error) {
		return wire.ParseError(0, ev.Data)
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
	return nil
}

// object reads a response that was not streamed.
func (d *decoder) object(r io.Reader) error {
	raw, err := io.ReadAll(io.LimitReader(r, maxObject+1))
	if err != nil {
		return readError(err)
	}
	if len(raw) > maxObject {
		return wire.StreamError(fmt.Sprintf("stream.malformed: the response is longer than %d bytes", maxObject))
	}
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && int(syntax.Offset) >= len(raw) {
			return wire.ErrTruncated
		}
		return wire.StreamError(fmt.Sprintf("stream.malformed: %v", err))
	}
	if present(c.Error) {
		return wire.ParseError(0, raw)
	}
	d.usage = c.Usage
	for i := range c.Choices {
		if ch := &c.Choices[i]; ch.Index == 0 {
			d.delta(&ch.Message)
			d.finished(ch.FinishReason)
		}
	}
	if d.finish == "" {
		return wire.ErrTruncated
	}
	d.end()
	return nil
}

func (d *decoder) delta(m *message) {
	if s := m.reasoning(); s != "" {
		d.emit(wire.Event{Kind: wire.ReasoningDelta, Text: s})
	}
	if m.Content != "" {
		d.emit(wire.Event{Kind: wire.TextDelta, Text: string(m.Content)})
	}
	if m.Refusal != "" {
		d.refused = true
		d.emit(wire.Event{Kind: wire.TextDelta, Text: m.Refusal})
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

// end reports what is known only at the end.
func (d *decoder) end() {
	d.endCalls()
	if d.usage != nil {
		d.emit(wire.Event{Kind: wire.UsageReport, Usage: d.usage.neutral()})
	}
	d.emit(wire.Event{Kind: wire.Stop, Stop: d.reason(), Text: d.finish})
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
