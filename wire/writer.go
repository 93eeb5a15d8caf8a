package wire

import (
	"strconv"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// A Writer builds a body: bytes, and a mark for every text value that is
// written. Dialects write the punctuation themselves, so that their bytes are
// theirs to decide. The zero Writer is an empty body.
//
//	w.Raw(`{"role":"user","content":"`)
//	w.Text(message.Text())
//	w.Raw(`"}`)
type Writer struct {
	JSON   []byte
	Marks  []Mark
	Losses []Loss
}

// Raw appends bytes as they are, without a mark.
func (w *Writer) Raw(s string) { w.JSON = append(w.JSON, s...) }

// Quoted appends a JSON string that is no text, such as an id.
func (w *Writer) Quoted(s string) {
	w.JSON = append(w.JSON, '"')
	w.JSON = AppendEscaped(w.JSON, s)
	w.JSON = append(w.JSON, '"')
}

// Int appends a number.
func (w *Writer) Int(n int) { w.JSON = strconv.AppendInt(w.JSON, int64(n), 10) }

// Bool appends true or false.
func (w *Writer) Bool(b bool) { w.JSON = strconv.AppendBool(w.JSON, b) }

// Text appends t to the inside of a JSON string, with one mark per span.
func (w *Writer) Text(t span.Text) {
	for i := range t {
		w.Inside(t[i].Text, t[i].From, int(t[i].Off))
	}
}

// Inside appends s to the inside of a JSON string with one mark. Off is the
// offset of s in its source, or -1.
func (w *Writer) Inside(s string, from *span.Origin, off int) {
	if s == "" {
		return
	}
	lo := len(w.JSON)
	w.JSON = AppendEscaped(w.JSON, s)
	w.Marks = append(w.Marks, Mark{Lo: lo, Hi: len(w.JSON), Off: off, From: from})
}

// Value appends a JSON value as it is, covered by one mark.
func (w *Writer) Value(json []byte, from *span.Origin) {
	lo := len(w.JSON)
	w.JSON = append(w.JSON, json...)
	w.Marks = append(w.Marks, Mark{Lo: lo, Hi: len(w.JSON), Off: span.NoOffset, From: from})
}

var separator = span.Generated("separator")

// Separator appends what stands between two texts of one string.
func (w *Writer) Separator(s string) { w.Inside(s, separator, span.NoOffset) }

// Parts appends the parts of a channel to the inside of a JSON string, each but
// the first after its separator.
func (w *Writer) Parts(parts []prompt.Part) {
	first := true
	for i := range parts {
		if parts[i].Text.Len() == 0 {
			continue
		}
		if !first {
			w.Separator(parts[i].Sep)
		}
		w.Text(parts[i].Text)
		first = false
	}
}

// Lose records what the protocol could not carry as it was.
func (w *Writer) Lose(sev prompt.Severity, code, message string, from *span.Origin) {
	w.Losses = append(w.Losses, NewLoss(sev, code, message, from))
}

// NewLoss returns a loss; the path of its origin becomes the diagnostic's.
func NewLoss(sev prompt.Severity, code, message string, from *span.Origin) Loss {
	l := Loss{Diagnostic: prompt.Diagnostic{Severity: sev, Code: code, Message: message}, From: from}
	if from != nil {
		l.Path = from.Path
	}
	return l
}

// Blank reports whether a channel holds nothing but white space. Such a channel
// yields no message, field or block.
func Blank(parts []prompt.Part) bool {
	for i := range parts {
		if !parts[i].Text.IsBlank() {
			return false
		}
	}
	return true
}
