package dialect

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

// maxObject bounds a response that is not a stream.
const maxObject = sse.MaxEvent

// A Reading makes sense of one response.
type Reading interface {
	// Event takes an event of a stream that has data. Done: nothing is read on.
	Event(ev sse.Event) (done bool, err error)
	// End is called when a stream ends although Event never said so.
	End() error
	// Object takes a response that is not a stream.
	Object(raw []byte) error
}

// Sink hands events to a consumer until it wants no more.
type Sink struct {
	yield   func(wire.Event, error) bool
	stopped bool
	emitted bool
}

// Emit hands out an event.
func (s *Sink) Emit(ev wire.Event) {
	if s.stopped {
		return
	}
	s.emitted = true
	s.stopped = !s.yield(ev, nil)
}

// Emitted reports whether an event was handed out.
func (s *Sink) Emitted() bool { return s.emitted }

// Decode returns the events of a response. It is what [wire.Dialect] demands;
// start returns a new reading that hands its events to the sink.
func Decode(r io.Reader, start func(*Sink) Reading) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		s := Sink{yield: yield}
		if err := read(r, &s, start(&s)); err != nil && !s.stopped {
			yield(wire.Event{}, err)
		}
	}
}

func read(r io.Reader, s *Sink, to Reading) error {
	head, err := firstByte(r)
	if err != nil {
		return readError(err)
	}
	if last := len(head) - 1; head[last] == '{' {
		return object(io.MultiReader(bytes.NewReader(head[last:]), r), to)
	}
	events := sse.NewReader(io.MultiReader(bytes.NewReader(head), r))
	for !s.stopped {
		ev, err := events.Next()
		if err == io.EOF {
			return to.End()
		}
		if err != nil {
			return readError(err)
		}
		if len(bytes.TrimSpace(ev.Data)) == 0 {
			continue
		}
		if done, err := to.Event(ev); err != nil || done {
			return err
		}
	}
	return nil
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

func object(r io.Reader, to Reading) error {
	raw, err := io.ReadAll(io.LimitReader(r, maxObject+1))
	if err != nil {
		return readError(err)
	}
	if len(raw) > maxObject {
		return wire.StreamError(fmt.Sprintf("stream.malformed: the response is longer than %d bytes", maxObject))
	}
	return to.Object(raw)
}

// ParseObject reads a response that is not a stream into v.
func ParseObject(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	if err == nil {
		return nil
	}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && int(syntax.Offset) >= len(raw) {
		return wire.ErrTruncated
	}
	return wire.StreamError(fmt.Sprintf("stream.malformed: %v", err))
}

// ParseEvent reads the data of an event into v. An event that is named error is
// one, whatever its data.
func ParseEvent(ev sse.Event, v any) error {
	err := json.Unmarshal(ev.Data, v)
	switch {
	case err == nil:
		return nil
	case ev.Partial:
		return wire.ErrTruncated
	case ev.Name == "error":
		return wire.ParseError(0, ev.Data)
	}
	return wire.StreamError(fmt.Sprintf("stream.malformed: %v", err))
}

// IsDone reports whether an event is the mark that some hosts put at the end of
// a stream.
func IsDone(ev sse.Event) bool { return bytes.Equal(bytes.TrimSpace(ev.Data), []byte("[DONE]")) }

// Present reports whether a member was sent with a value.
func Present(raw json.RawMessage) bool {
	return len(raw) > 0 && !bytes.Equal(raw, []byte("null"))
}
