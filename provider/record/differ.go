package record

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// A DifferenceError says that a request is not the one that was recorded.
type DifferenceError struct {
	Number int // of the recorded send, from 1
	Offset int // of the first byte that differs
	// Mark is the piece of text that the byte belongs to, in the new request; its
	// origin is nil for a byte that is no text.
	Mark wire.Mark
	// Want is what was recorded from the offset on, and Got what was sent, both
	// shortened.
	Want, Got string
}

// Error names the place, its origin, and what stands there.
func (e *DifferenceError) Error() string {
	where := "outside of any text"
	if o := e.Mark.From; o != nil {
		where = "in " + origin(o)
	}
	return fmt.Sprintf("record: request %d differs from the recorded one at byte %d, %s: got %q, want %q", e.Number, e.Offset, where, e.Got, e.Want)
}

func origin(o *span.Origin) string {
	var parts []string
	for _, p := range []struct{ name, value string }{{"section ", o.Section}, {"source ", o.Source}, {"", o.Path}, {"stage ", o.Stage}} {
		if p.value != "" {
			parts = append(parts, p.name+p.value)
		}
	}
	if len(parts) == 0 {
		return "text of no known origin"
	}
	return strings.Join(parts, ", ")
}

// shown is how much of a difference is told.
const shown = 40

func difference(s *send, b wire.Body) error {
	at := 0
	for at < len(s.body) && at < len(b.JSON) && s.body[at] == b.JSON[at] {
		at++
	}
	e := &DifferenceError{Number: s.Number, Offset: at, Want: clip(s.body[at:]), Got: clip(b.JSON[at:])}
	for _, m := range b.Marks {
		if m.Lo <= at && at < m.Hi {
			e.Mark = m
		}
	}
	return e
}

func clip(b []byte) string {
	if len(b) > shown {
		b = b[:shown]
	}
	return strings.ToValidUTF8(string(b), "\ufffd")
}
