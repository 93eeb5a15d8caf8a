package cache

import (
	"bytes"
	"html"
	"regexp"
	"slices"
	"strings"
)

// An area is the part of a body that a section of the prompt is written in.
type area struct {
	name   string
	lo, hi int
}

// areas returns the sections of a body that are known: those of its marks, or
// those whose fence names them.
func (p *prompt) areas() []area {
	if len(p.Marks) > 0 {
		return p.marked()
	}
	return fenced(p.Body)
}

// marked returns the areas of marks. What was generated around a section, such as
// its fence, is of the section that follows in the same text, or else of the one
// before.
func (p *prompt) marked() []area {
	var out []area
	lead := -1 // where generated text began that no section has taken
	end := -1  // of the mark before
	for _, m := range p.Marks {
		if m.Lo != end { // another text
			lead = -1
		}
		end = m.Hi
		name := ""
		if m.From != nil {
			name = m.From.Section
		}
		last := len(out) - 1
		switch {
		case name == "" && last >= 0 && out[last].hi == m.Lo && bytes.HasPrefix(p.Body[m.Lo:m.Hi], []byte(`\n`+closing)):
			out[last].hi = m.Hi
		case name == "" && lead < 0:
			lead = m.Lo
		case name == "":
		case last >= 0 && out[last].name == name && out[last].hi == m.Lo:
			out[last].hi = m.Hi
		case lead >= 0:
			out = append(out, area{name, lead, m.Hi})
			lead = -1
		default:
			out = append(out, area{name, m.Lo, m.Hi})
		}
	}
	return out
}

var (
	openPattern = regexp.MustCompile(`<block ([0-9a-f]{16}) kind=\\"([^"\\]*)\\" (?:path|name)=\\"([^"\\]*)\\" trust=\\"([a-z]+)\\"(?:>|\\u003e)`)
)

// closing begins the last line of a fence.
const closing = "</block "

// fenced returns the areas between fences, as stage.Fence writes them. The fence
// of a file shows trust and path, of which the section's name consists.
func fenced(body []byte) []area {
	var out []area
	if !bytes.Contains(body, []byte("<block ")) {
		return nil
	}
	for _, m := range openPattern.FindAllSubmatchIndex(body, -1) {
		text := func(i int) string { return html.UnescapeString(string(body[m[2*i]:m[2*i+1]])) }
		name := text(3)
		if text(2) == "file" && !strings.Contains(name, ":") {
			name = text(4) + ":" + name
		}
		a := area{name, m[0], len(body)}
		if end := bytes.Index(body[m[1]:], []byte(closing+text(1))); end >= 0 {
			a.hi = m[1] + end + len(closing) + 16 + len(">")
		}
		out = append(out, a)
	}
	return out
}

// sectionAt returns the section that holds a byte of the body, or "".
func (p *prompt) sectionAt(offset int) string {
	for _, a := range p.areas() {
		if a.lo <= offset && offset < a.hi {
			return a.name
		}
	}
	return ""
}

// sections returns the names of all sections that are known.
func (p *prompt) sections() []string {
	var out []string
	for _, a := range p.areas() {
		if !slices.Contains(out, a.name) {
			out = append(out, a.name)
		}
	}
	return out
}

// wordAt returns what stands around an offset without white space or quotes.
func wordAt(b []byte, at int) []byte {
	in := func(i int) bool {
		c := b[i]
		return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == ':' || c == '.' || c == '-' || c == '+'
	}
	if at >= len(b) || !in(at) {
		return nil
	}
	lo, hi := at, at
	for lo > 0 && at-lo < 64 && in(lo-1) {
		lo--
	}
	for hi < len(b) && hi-at < 64 && in(hi) {
		hi++
	}
	return b[lo:hi]
}

var (
	timePattern   = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}([T.:].*)?$|^\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?Z?$|^\d{10}(\.?\d{3,6})?$`)
	idPattern     = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$|^[0-9a-f]{24,64}$`)
	numberPattern = regexp.MustCompile(`^\d{1,9}$`)
)

// looksLike says of what is known to move in prompts what it looks like.
func looksLike(word []byte) string {
	word = bytes.TrimRight(word, ".:-")
	switch {
	case timePattern.Match(word):
		return ": it looks like a time or a date"
	case idPattern.Match(word):
		return ": it looks like an id"
	case numberPattern.Match(word):
		return ": it looks like a counter"
	}
	return ""
}
