package explain

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// A Text is a text that reaches the model, with ranges that tile it.
type Text struct {
	Name   string  `json:"name"` // a channel, "tools", "message 1 (user)" or "body"
	Text   string  `json:"text"`
	Ranges []Range `json:"ranges"`
}

// A Range is a range of a text with its origin.
type Range struct {
	Start   int    `json:"start"`
	End     int    `json:"end"`
	Section string `json:"section"` // the section, tool or message it belongs to; empty: none
	// Origin is the path of the file it was read from, else "generated:<name>".
	Origin string `json:"origin"`
	Path   string `json:"path"`
	// SrcStart and SrcEnd are bytes of the source as it was read; -1: it has no place
	// in one. What a value of the configuration says counts from the value's begin.
	SrcStart int `json:"srcStart"`
	SrcEnd   int `json:"srcEnd"`
	// Exact says that the bytes of the file stand here unchanged; in a body, written
	// as JSON writes them.
	Exact  bool       `json:"exact"`
	Source string     `json:"source"`
	Scope  string     `json:"scope"`
	Stage  string     `json:"stage"` // that wrote it; empty: it stands as it was read
	Trust  span.Trust `json:"trust"`
}

// Punctuation is the origin of what a protocol writes around texts.
const Punctuation = "generated:protocol"

// rangeOf returns the range of a piece of text of n bytes.
func rangeOf(from *span.Origin, at, n, off int) Range {
	r := Range{Start: at, End: at + n, SrcStart: -1, SrcEnd: -1}
	if from == nil {
		r.Origin, r.Trust = "generated:unknown", span.Tool
		return r
	}
	r.Section, r.Path, r.Source, r.Scope, r.Stage, r.Trust = from.Section, from.Path, from.Source, from.Scope, from.Stage, from.Trust
	generated := strings.HasPrefix(from.Source, "generated:")
	switch {
	case generated:
		r.Origin = from.Source
		return r
	case r.Path != "":
		r.Origin = r.Path
	case from.Section != "":
		r.Origin = "generated:" + from.Section
	default:
		r.Origin = "generated:" + from.Source
	}
	if off < 0 {
		return r
	}
	r.SrcStart, r.SrcEnd = off, off+n
	// A value of the configuration is not a range of its file; what a stage rewrote is
	// not what the file says.
	r.Exact = r.Path != "" && r.Source != "config" && from.Stage == ""
	return r
}

// pieces returns the ranges of a text that begins at a place.
func pieces(t span.Text, at int) []Range {
	out := make([]Range, 0, len(t))
	for i, s := range t {
		r := rangeOf(s.From, at, len(s.Text), int(s.Off))
		if r.SrcStart >= 0 && s.From.Stage != "" {
			r.SrcEnd = rewrittenEnd(t[i:])
		}
		if s.Text != "" {
			out = append(out, r)
		}
		at += len(s.Text)
	}
	return out
}

// rewrittenEnd returns where the source of the first span ends, which was
// rewritten and need not be as long: where the next span of the same file begins.
func rewrittenEnd(t span.Text) int {
	first := t[0]
	for _, s := range t[1:] {
		if s.From != nil && s.From.Path == first.From.Path && s.Off > first.Off {
			return int(s.Off)
		}
	}
	return int(first.Off)
}

// toolsText returns the canonical list of tools and where each stands in it.
func toolsText(tools []chat.ToolSpec) (Text, [][2]int) {
	t := Text{Name: "tools"}
	var b strings.Builder
	places := make([][2]int, len(tools))
	mark := func(s string) {
		t.Ranges = append(t.Ranges, Range{Start: b.Len(), End: b.Len() + len(s), Origin: Punctuation, Source: Punctuation, SrcStart: -1, SrcEnd: -1})
		b.WriteString(s)
	}
	mark("[")
	for i := range tools {
		if i > 0 {
			mark(",")
		}
		prefix, n := wire.Prefix(nil, nil, tools[i:i+1])
		one := strings.TrimSuffix(strings.TrimPrefix(string(prefix[:n]), "["), "]")
		places[i] = [2]int{b.Len(), b.Len() + len(one)}
		if one != "" {
			from := tools[i].From
			if from == nil {
				from = &span.Origin{Section: tools[i].Name, Source: "tool"}
			}
			r := rangeOf(from, b.Len(), len(one), span.NoOffset)
			r.Section = tools[i].Name
			t.Ranges = append(t.Ranges, r)
		}
		b.WriteString(one)
	}
	mark("]")
	t.Text = b.String()
	return t, places
}

// bodyText returns a request body. What has no mark is the protocol's.
func bodyText(dialect string, body *wire.Body) Text {
	t := Text{Name: strings.TrimSuffix("body "+dialect, " "), Text: string(body.JSON), Ranges: []Range{}}
	at := 0
	fill := func(to int) {
		if to > at {
			t.Ranges = append(t.Ranges, Range{Start: at, End: to, Origin: Punctuation, Source: Punctuation, SrcStart: -1, SrcEnd: -1})
			at = to
		}
	}
	for i, m := range body.Marks {
		if m.Hi <= m.Lo {
			continue
		}
		fill(m.Lo)
		r := rangeOf(m.From, m.Lo, m.Hi-m.Lo, m.Off)
		if r.SrcStart >= 0 {
			r.SrcEnd = markEnd(body, i)
		}
		t.Ranges = append(t.Ranges, r)
		at = m.Hi
	}
	fill(len(body.JSON))
	return t
}

// markEnd returns where the source of a mark ends. JSON writes some bytes as
// several, so the length is that of the decoded text.
func markEnd(body *wire.Body, i int) int {
	m := body.Marks[i]
	if m.From.Stage != "" { // rewritten: as long as nobody knows
		for _, n := range body.Marks[i+1:] {
			if n.From != nil && n.From.Path == m.From.Path && n.Off > m.Off {
				return n.Off
			}
		}
		return m.Off
	}
	return m.Off + decodedLen(body.JSON[m.Lo:m.Hi])
}

// decodedLen returns how many bytes the inside of a JSON string stands for.
func decodedLen(s []byte) int {
	n := 0
	for i := 0; i < len(s); i++ {
		n++
		if s[i] != '\\' {
			continue
		}
		if i++; i < len(s) && s[i] == 'u' && i+4 < len(s) {
			r, _ := strconv.ParseUint(string(s[i+1:i+5]), 16, 32)
			i += 4
			if r >= 0xd800 && r < 0xdc00 && i+6 < len(s) { // the second half follows
				i += 6
				n += 3
				continue
			}
			n += utf8.RuneLen(rune(r)) - 1
		}
	}
	return n
}

// messages adds the messages of the conversation.
func (r *Report) messages(messages []chat.Message) {
	for i, m := range messages {
		var text span.Text
		for _, p := range m.Parts {
			switch {
			case p.Kind == chat.TextPart || p.Kind == chat.ReasoningPart:
				text = append(text, p.Text...)
			case p.Call != nil:
				text = append(text, span.OfGenerated(p.Call.Name+" ", p.Call.From)...)
				text = append(text, span.OfGenerated(string(p.Call.Args), p.Call.From)...)
			case p.Result != nil:
				text = append(text, p.Result.Text...)
			}
		}
		if text.Len() == 0 {
			continue
		}
		who := m.Role.String()
		if m.Name != "" {
			who += ", " + m.Name
		}
		r.Texts = append(r.Texts, Text{Name: fmt.Sprintf("message %d (%s)", i+1, who), Text: text.String(), Ranges: pieces(text, 0)})
	}
}

// At returns the range that holds a byte.
func (t *Text) At(off int) (Range, bool) {
	i, ok := slices.BinarySearchFunc(t.Ranges, off, func(r Range, off int) int {
		switch {
		case r.End <= off:
			return -1
		case r.Start > off:
			return 1
		}
		return 0
	})
	if !ok {
		return Range{}, false
	}
	return t.Ranges[i], true
}

// Between returns the ranges from lo to hi, the outer ones cut to them.
func (t *Text) Between(lo, hi int) []Range {
	var out []Range
	first, _ := slices.BinarySearchFunc(t.Ranges, lo, func(r Range, lo int) int {
		if r.End <= lo {
			return -1
		}
		return 1
	})
	for _, r := range t.Ranges[first:] {
		if r.Start >= hi {
			break
		}
		whole := r.SrcStart >= 0 && r.SrcEnd-r.SrcStart == r.End-r.Start
		if r.Start < lo {
			if whole {
				r.SrcStart += lo - r.Start
			}
			r.Start = lo
		}
		if r.End > hi {
			if whole {
				r.SrcEnd -= r.End - hi
			}
			r.End = hi
		}
		out = append(out, r)
	}
	return out
}
