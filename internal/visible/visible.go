// Package visible shows a text for what it says: characters that would move a
// terminal's cursor, hide text or turn its direction are written as escapes.
//
//	visible.Line("a\u202eb\n") // `a\u{202e}b\u{a}`
package visible

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text escapes what cannot be seen. Line ends and tabs stay.
func Text(s string) string { return escaped(s, "\t\n") }

// Line is Text for what is to stay in one line, such as the name of a file: a line
// end in it would begin a line that looks like one of ours.
func Line(s string) string { return escaped(s, "\t") }

// Is reports whether a character can be seen, or is a blank, a tab or a line end.
// The joiners and marks that scripts need count as seen.
func Is(r rune) bool {
	switch {
	case r < 0x20:
		return r == '\t' || r == '\n'
	case r >= 0x7f && r < 0xa0, r == 0x200b, r == 0x2028, r == 0x2029, r == 0x2060, r == 0xfeff, r >= 0x202a && r <= 0x202e,
		r >= 0x2066 && r <= 0x2069, r >= 0xe0000 && r <= 0xe007f:
		return false
	}
	return true
}

// Escape returns how a character is written that cannot be seen.
func Escape(r rune) string { return fmt.Sprintf("\\u{%x}", r) }

func escaped(s, keep string) string {
	clean := func(r rune) bool {
		if r < 0x20 {
			return strings.ContainsRune(keep, r)
		}
		return Is(r)
	}
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !clean(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, "\\x%02x", s[0])
		case clean(r):
			b.WriteRune(r)
		default:
			b.WriteString(Escape(r))
		}
		s = s[n:]
	}
	return b.String()
}
