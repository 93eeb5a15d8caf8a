package span

import (
	"strings"
	"unicode/utf8"
)

// Trust says who wrote a text. Greater values are trusted less, so the trust of
// a mixture is the greatest of its parts.
type Trust uint8

// The levels of trust, from most to least.
const (
	Builtin   Trust = iota // proem itself or the program that embeds it
	User                   // the person's own configuration and input
	Workspace              // the agent's home: persona, memory, skills
	Project                // the source tree worked on, possibly cloned from a stranger
	Tool                   // what a tool or a server returned
)

var trustNames = [...]string{"builtin", "user", "workspace", "project", "tool"}

// String returns the name used in JSON and in the CLI, such as "project".
func (t Trust) String() string {
	if int(t) < len(trustNames) {
		return trustNames[t]
	}
	return "unknown"
}

// MarshalText implements [encoding.TextMarshaler].
func (t Trust) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. An unknown name is read
// as [Tool], the least trusted level.
func (t *Trust) UnmarshalText(b []byte) error {
	*t = ParseTrust(string(b))
	return nil
}

// ParseTrust returns the level with the given name, or [Tool] for an unknown one.
func ParseTrust(name string) Trust {
	for i, n := range trustNames {
		if n == name {
			return Trust(i)
		}
	}
	return Tool
}

// An Origin says where text came from. It is shared by every span cut from the
// same source and must not be changed after it is first used.
type Origin struct {
	Section string // the section, tool or message the text belongs to
	Source  string // the kind of source: "literal", "file", a fact's name, "generated:<name>"
	Scope   string // the scope whose layer registered it; empty is the global layer
	Path    string // the file it was read from, or empty
	Stage   string // the stage that wrote it, or empty if no stage did
	Trust   Trust
}

// Generated returns the origin of text that proem itself writes between the
// texts of others: separators, fences, headings, markers of a cut.
func Generated(name string) *Origin { return &Origin{Source: "generated:" + name} }

// NoOffset is the Off of a span that has no place in a source: it was generated.
const NoOffset = -1

// A Span is a piece of text with its origin.
type Span struct {
	Text string
	From *Origin // nil: unknown
	// Off is the byte offset of Text in the source as it was read, before any
	// normalisation, or NoOffset. Sources are shorter than 2 GiB.
	Off int32
	// Template marks text whose author wrote it as a template. Only such spans
	// are scanned for {{references}}; values and file contents never are.
	Template bool
}

// A Text is a run of spans; it reads as their concatenation. The nil Text is
// the empty text. Functions never modify the elements of a Text they are given,
// and may return a Text that shares them.
type Text []Span

// Of returns s as one span that starts at offset 0 of from.
func Of(s string, from *Origin) Text {
	if s == "" {
		return nil
	}
	return Text{{Text: s, From: from}}
}

// OfGenerated returns s as one span without a place in a source.
func OfGenerated(s string, from *Origin) Text {
	if s == "" {
		return nil
	}
	return Text{{Text: s, From: from, Off: NoOffset}}
}

// Len returns the length in bytes.
func (t Text) Len() int {
	n := 0
	for i := range t {
		n += len(t[i].Text)
	}
	return n
}

// String returns the concatenation. A Text of a single span is returned
// without copying.
func (t Text) String() string {
	switch len(t) {
	case 0:
		return ""
	case 1:
		return t[0].Text
	}
	var b strings.Builder
	b.Grow(t.Len())
	for i := range t {
		b.WriteString(t[i].Text)
	}
	return b.String()
}

// AppendTo appends the text to dst and returns the extended buffer.
func (t Text) AppendTo(dst []byte) []byte {
	for i := range t {
		dst = append(dst, t[i].Text...)
	}
	return dst
}

// Equal reports whether both texts read the same. Origins are not compared.
func (t Text) Equal(u Text) bool {
	if len(t) == 1 && len(u) == 1 {
		return t[0].Text == u[0].Text
	}
	var a, b string
	i, j := 0, 0
	for {
		for a == "" && i < len(t) {
			a = t[i].Text
			i++
		}
		for b == "" && j < len(u) {
			b = u[j].Text
			j++
		}
		if a == "" || b == "" {
			return a == b
		}
		n := min(len(a), len(b))
		if a[:n] != b[:n] {
			return false
		}
		a, b = a[n:], b[n:]
	}
}

// IsBlank reports whether the text is empty or holds white space only.
func (t Text) IsBlank() bool {
	for i := range t {
		if strings.TrimSpace(t[i].Text) != "" {
			return false
		}
	}
	return true
}

// At returns the span that holds byte off, or the zero Span if off is outside
// the text.
func (t Text) At(off int) Span {
	if off < 0 {
		return Span{}
	}
	for i := range t {
		if off < len(t[i].Text) {
			return t[i]
		}
		off -= len(t[i].Text)
	}
	return Span{}
}

// Slice returns the bytes from lo to hi. Both ends are moved down to the start
// of the rune they fall into, so that t.Slice(0, k) and t.Slice(k, t.Len())
// always concatenate to t. Ends outside the text are clamped.
func (t Text) Slice(lo, hi int) Text {
	if lo < 0 {
		lo = 0
	}
	var out Text
	at := 0
	for i := range t {
		s := t[i]
		n := len(s.Text)
		if at >= hi {
			break
		}
		if at+n > lo {
			from, to := runeStart(s.Text, lo-at), runeStart(s.Text, hi-at)
			if from < to {
				out = append(out, s.cut(from, to))
			}
		}
		at += n
	}
	return out
}

// Cut returns the part of the span from lo to hi with its offset adjusted. Both
// ends are moved down to the start of the rune they fall into.
func (s Span) Cut(lo, hi int) Span {
	return s.cut(runeStart(s.Text, lo), runeStart(s.Text, hi))
}

func (s Span) cut(lo, hi int) Span {
	s.Text = s.Text[lo:hi]
	if s.Off >= 0 {
		s.Off += int32(lo)
	}
	return s
}

// runeStart moves i down to the start of the rune it falls into. Bytes that are
// not valid UTF-8 are runes of one byte.
func runeStart(s string, i int) int {
	if i <= 0 {
		return 0
	}
	if i >= len(s) {
		return len(s)
	}
	if utf8.RuneStart(s[i]) {
		return i
	}
	for j := i - 1; j >= 0 && i-j < utf8.UTFMax; j-- {
		if utf8.RuneStart(s[j]) {
			if _, n := utf8.DecodeRuneInString(s[j:]); j+n > i {
				return j
			}
			return i
		}
	}
	return i
}

// Concat returns the texts one after the other, as a new Text without empty
// spans.
func Concat(texts ...Text) Text {
	n := 0
	for _, t := range texts {
		n += len(t)
	}
	out := make(Text, 0, n)
	for _, t := range texts {
		for i := range t {
			if t[i].Text != "" {
				out = append(out, t[i])
			}
		}
	}
	return out
}

// TrimSpace returns the text without white space at either end.
func (t Text) TrimSpace() Text {
	s := t.String()
	l := strings.TrimLeft(s, " \t\r\n\v\f\u0085\u00a0")
	lo := len(s) - len(l)
	hi := lo + len(strings.TrimRight(l, " \t\r\n\v\f\u0085\u00a0"))
	return t.Slice(lo, hi)
}
