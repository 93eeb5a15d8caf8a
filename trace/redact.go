package trace

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/internal/redact"
)

// A Redactor takes credentials out of spans before they are written down. Make one
// with NewRedactor; the zero value knows no values and goes by names and forms
// alone. It may be used concurrently.
type Redactor struct {
	set *redact.Set
}

// NewRedactor returns a redactor that knows the values that must not occur, in
// whatever encoding. Values of less than 6 bytes are too short to be told from
// other texts, and are not looked for.
func NewRedactor(secrets ...string) Redactor { return Redactor{redact.New(secrets...)} }

// Span returns a span without credentials: known values, tokens of known forms,
// what stands behind a name that says so, and the whole text of an attribute whose
// name does, such as http.request.header.authorization. Numbers stay.
func (r Redactor) Span(s Span) Span {
	s.Name, s.Message = r.set.Text(s.Name), r.set.Text(s.Message)
	s.Attrs = r.Attrs(s.Attrs)
	return s
}

// Attrs is Span for attributes alone.
func (r Redactor) Attrs(attrs []Attr) []Attr {
	attrs = slices.Clone(attrs)
	for i := range attrs {
		clean := r.set.Text
		if redact.Name(attrs[i].Key) {
			clean = func(string) string { return redact.Mark }
		}
		attrs[i].Key = r.set.Values(attrs[i].Key)
		attrs[i].Value = attrs[i].Value.Each(clean)
	}
	return attrs
}

// Cut returns a span whose texts have at most so many bytes each. What is left out
// is said where it is.
func (s Span) Cut(most int) Span {
	s.Name, s.Message = cut(s.Name, most), cut(s.Message, most)
	s.Attrs = slices.Clone(s.Attrs)
	for i := range s.Attrs {
		s.Attrs[i].Value = s.Attrs[i].Value.Each(func(t string) string { return cut(t, most) })
	}
	return s
}

func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= most {
		return text
	}
	n := most
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + fmt.Sprintf("…[%d bytes cut]", len(text)-n)
}
