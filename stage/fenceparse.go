package stage

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proemhq/proem/span"
)

// A Block is a part of a rendered channel: what stands in a fence, or the text
// between fences.
type Block struct {
	Fenced bool
	Kind   string // the kind of source; empty if not fenced, as are the next three
	Path   string
	Name   string // of the section, instead of a path
	Trust  span.Trust
	Token  string
	Text   string // the content, without the lines of the fence
	Lo, Hi int    // where the content stands in what was parsed
}

// ParseFences reads a rendered channel back into blocks: those that [Fence]
// made, and the text between them where there is any. It knows a block by its
// token, which must fit the block's bytes, so text that only looks like a block
// is text. What stands inside a block is data; it is not parsed.
func ParseFences(text string) []Block {
	var out []Block
	plain := 0 // start of the text that belongs to no block yet
	for at := 0; ; {
		i := strings.Index(text[at:], fenceOpen)
		if i < 0 {
			break
		}
		lo := at + i
		b, end, ok := parseFence(text, lo)
		if !ok {
			at = lo + len(fenceOpen)
			continue
		}
		if plain < lo {
			out = append(out, Block{Text: text[plain:lo], Lo: plain, Hi: lo})
		}
		out = append(out, b)
		plain, at = end, end
	}
	if plain < len(text) {
		out = append(out, Block{Text: text[plain:], Lo: plain, Hi: len(text)})
	}
	return out
}

// parseFence parses the block that begins at lo, if there is one, and returns
// where it ends.
func parseFence(text string, lo int) (b Block, end int, ok bool) {
	if lo > 0 && text[lo-1] != '\n' {
		return b, 0, false
	}
	rest := text[lo+len(fenceOpen):]
	line, rest, _ := strings.Cut(rest, "\n")
	if len(line) < tokenLen || !isToken(line[:tokenLen]) {
		return b, 0, false
	}
	b = Block{Fenced: true, Token: line[:tokenLen], Lo: lo + len(fenceOpen) + len(line) + 1}
	attrs, ok := strings.CutSuffix(line[tokenLen:], ">")
	if !ok {
		return b, 0, false
	}
	if !b.attrs(attrs) {
		return b, 0, false
	}
	last := "\n" + fenceClose + b.Token + ">"
	n := strings.Index(rest, last)
	if n < 0 || fenceToken(attrs, rest[:n]) != b.Token {
		return b, 0, false
	}
	b.Text, b.Hi = rest[:n], b.Lo+n
	return b, b.Hi + len(last), true
}

// attrs reads the attributes of a first line. They stand in one order and form,
// since only Fence writes them.
func (b *Block) attrs(s string) bool {
	var trust string
	ok := attr(&s, "kind", &b.Kind) &&
		(attr(&s, "path", &b.Path) || attr(&s, "name", &b.Name)) &&
		attr(&s, "trust", &trust)
	b.Trust = span.ParseTrust(trust)
	return ok && s == "" && b.Trust.String() == trust
}

// attr takes one attribute from the front of s.
func attr(s *string, name string, value *string) bool {
	rest, ok := strings.CutPrefix(*s, " "+name+`="`)
	if !ok {
		return false
	}
	v, rest, ok := strings.Cut(rest, `"`)
	if !ok {
		return false
	}
	*s, *value = rest, unescapeAttr(v)
	return true
}

func isToken(s string) bool {
	for i := 0; i < len(s); i++ {
		if !('0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'f') {
			return false
		}
	}
	return true
}

// escapeAttr writes a value for double quotes: no quote, angle bracket, line
// end, control or invisible character survives, and [unescapeAttr] inverts it.
// Bytes that are not UTF-8 become U+FFFD.
func escapeAttr(b *strings.Builder, s string) {
	const digits = "0123456789ABCDEF"
	for _, r := range s {
		if r != '"' && r != '\'' && r != '<' && r != '>' && r != '&' && (unicode.IsPrint(r) || r == utf8.RuneError) {
			b.WriteRune(r)
			continue
		}
		b.WriteString("&#x")
		started := false
		for shift := 20; shift >= 0; shift -= 4 {
			d := r >> shift & 15
			if started = started || d != 0 || shift == 0; started {
				b.WriteByte(digits[d])
			}
		}
		b.WriteByte(';')
	}
}

func unescapeAttr(s string) string {
	if !strings.Contains(s, "&#x") {
		return s
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "&#x")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		hex, after, _ := strings.Cut(rest, ";")
		var r rune
		for _, c := range hex {
			r = r<<4 | rune(strings.IndexRune("0123456789ABCDEF", c))
		}
		b.WriteRune(r)
		s = after
	}
}
