package openairesponses

import (
	"encoding/json"
	"io"
	"iter"

	"github.com/proemhq/proem/internal/sse"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// decode reads a stream of typed events, or one response object. Deltas are
// handed out as they come; what a host sends only with the finished item or the
// finished response is handed out then. Calls are delivered when the response is
// complete, so that a cut stream never yields one.
func decode(r io.Reader) iter.Seq2[wire.Event, error] {
	return dialect.Decode(r, func(s *dialect.Sink) dialect.Reading { return &decoder{Sink: s, last: -1} })
}

type decoder struct {
	*dialect.Sink
	id      string
	items   []item // in the order of their appearance
	calls   []int  // the items that are calls
	last    int    // the item whose text came last; -1: none
	refused bool
}

// Event implements [dialect.Reading].
func (d *decoder) Event(ev sse.Event) (bool, error) {
	if dialect.IsDone(ev) {
		return false, wire.ErrTruncated
	}
	if index, text, ok := textDelta(ev.Data); ok {
		d.text(d.item(index, "message"), text)
		return false, nil
	}
	var e event
	if err := dialect.ParseEvent(ev, &e); err != nil {
		return false, err
	}
	if e.Type == "" {
		e.Type = ev.Name
	}
	if e.Response != nil && e.Response.ID != "" {
		d.id = e.Response.ID
	}
	switch e.Type {
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		if e.Response == nil {
			return false, wire.StreamError("stream.malformed: " + e.Type + " without a response")
		}
		if e.Response.Status == "" {
			e.Response.Status = e.Type[len("response."):]
		}
		return true, d.finish(e.Response)
	case "error":
		return false, parseError(ev.Data)
	case "":
		if dialect.Present(e.Error) {
			return false, wire.ParseError(0, ev.Data)
		}
	}
	d.part(&e)
	return false, nil
}

// part takes an event about an item.
func (d *decoder) part(e *event) {
	switch e.Type {
	case "response.output_item.added":
		d.added(e.Index, e.Item)
	case "response.output_item.done":
		d.done(e.Index, e.Item)
	case "response.output_text.delta":
		d.text(d.item(e.Index, "message"), e.Delta)
	case "response.refusal.delta":
		d.refused = true
		d.text(d.item(e.Index, "message"), e.Delta)
	case "response.reasoning_summary_text.delta":
		d.reasoning(d.item(e.Index, typeReasoning), e.SummaryIndex, e.Delta)
	case "response.reasoning_text.delta":
		d.reasoning(d.item(e.Index, typeReasoning), e.ContentIndex, e.Delta)
	case "response.function_call_arguments.delta":
		d.arguments(e.Index, e.Delta)
	case "response.function_call_arguments.done":
		d.argumentsDone(e.Index, e.Arguments)
	}
}

// End implements [dialect.Reading]: no stream ends by itself.
func (d *decoder) End() error { return wire.ErrTruncated }

// Object implements [dialect.Reading].
func (d *decoder) Object(raw []byte) error {
	var r response
	if err := dialect.ParseObject(raw, &r); err != nil {
		return err
	}
	if r.Type == "error" || r.Status == "" && dialect.Present(r.Error) {
		return parseError(raw)
	}
	d.id = r.ID
	if r.Status == "" && r.Output != nil {
		r.Status = "completed"
	}
	return d.finish(&r)
}

// finish takes the whole response and reports what is known only then.
func (d *decoder) finish(r *response) error {
	switch r.Status {
	case "completed", "incomplete":
	case "failed", "cancelled":
		return d.failed(r)
	default:
		return wire.ErrTruncated
	}
	for i := range r.Output {
		d.done(i, r.Output[i])
	}
	d.endCalls()
	if r.Usage != nil {
		d.Emit(wire.Event{Kind: wire.UsageReport, Usage: r.Usage.neutral()})
	}
	stop, word := d.reason(r)
	d.Emit(wire.Event{Kind: wire.Stop, Stop: stop, Text: word, ID: d.id})
	return nil
}

// failed reports a response that failed: as an error, and behind something that
// was handed out already as the reason of its end, too. A response that failed at
// once has only the error, and may be asked for again.
func (d *decoder) failed(r *response) error {
	word := r.Status
	err := &wire.APIError{Kind: wire.ServerError, Code: word, Message: "the response is reported as " + word + " without a reason"}
	if dialect.Present(r.Error) {
		if b, bad := json.Marshal(map[string]json.RawMessage{"error": r.Error}); bad == nil {
			err = wire.ParseError(0, b)
		}
	}
	if d.Emitted() {
		if r.Usage != nil {
			d.Emit(wire.Event{Kind: wire.UsageReport, Usage: r.Usage.neutral()})
		}
		d.Emit(wire.Event{Kind: wire.Stop, Stop: wire.StopFailed, Text: word, ID: d.id})
	}
	return err
}

// reason translates the end of a response.
func (d *decoder) reason(r *response) (wire.StopReason, string) {
	if r.Status == "incomplete" {
		word := r.Status
		if r.Incomplete != nil && r.Incomplete.Reason != "" {
			word = r.Incomplete.Reason
		}
		switch word {
		case "max_output_tokens", "max_tokens":
			return wire.StopLength, word
		case "content_filter":
			return wire.StopFilter, word
		}
		return wire.StopOtherwise, word
	}
	switch {
	case d.refused:
		return wire.StopRefusal, r.Status
	case len(d.calls) > 0:
		return wire.StopTools, r.Status
	}
	return wire.StopEnd, r.Status
}

// parseError reads an error event, whose fields stand at the top or in an object
// of their own.
func parseError(raw []byte) error {
	var e struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(raw, &e) == nil && !dialect.Present(e.Error) {
		if b, err := json.Marshal(map[string]json.RawMessage{"error": raw}); err == nil {
			return wire.ParseError(0, b)
		}
	}
	return wire.ParseError(0, raw)
}
