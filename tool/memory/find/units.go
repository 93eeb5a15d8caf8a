package find

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A Unit is a piece of a text that stands for itself: an entry with the lines
// below it that belong to it, a paragraph or a heading.
type Unit struct {
	Lo, Hi      int // bytes of the text, with the line end
	First, Last int // lines, from 1
	Item        bool
	Heading     bool
}

// Units splits a text in LF lines. Blank lines belong to no unit.
func Units(text string) []Unit {
	var out []Unit
	open := false // the last unit may go on
	for at, line := 0, 1; at < len(text); line++ {
		end := lineEnd(text, at)
		l := text[at:end]
		switch item, heading := isItem(l), strings.HasPrefix(l, "#"); {
		case strings.TrimSpace(l) == "":
			open = false
		case open && !item && !heading:
			u := &out[len(out)-1]
			u.Hi, u.Last = end, line
		default:
			out = append(out, Unit{at, end, line, line, item, heading})
			open = !heading
		}
		at = end
	}
	return out
}

// lineEnd returns where the line at a place ends, behind its line end.
func lineEnd(text string, at int) int {
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

func isItem(line string) bool {
	return strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "* ") || strings.HasPrefix(line, "+ ")
}

// lines returns the unit, or its lines if it has more than limit.
func (u Unit) lines(text string, limit int) []Unit {
	if u.Last-u.First < limit {
		return []Unit{u}
	}
	var out []Unit
	for at, line := u.Lo, u.First; line <= u.Last; line++ {
		end := lineEnd(text[:u.Hi], at)
		out = append(out, Unit{Lo: at, Hi: end, First: line, Last: line})
		at = end
	}
	return out
}

// Fold returns a text in which compatible characters and cases are the same, and
// white space is single.
func Fold(s string) string {
	return strings.Join(strings.Fields(cases.Fold().String(norm.NFKC.String(s))), " ")
}

// Bare returns a folded entry without its bullet and date, and the date.
func Bare(folded string) (text, day string) {
	text = strings.TrimLeft(folded, "-*+ ")
	if d, rest, ok := strings.Cut(text, ": "); ok && IsDay(d) {
		return rest, d
	}
	return text, ""
}

// IsDay reports whether s looks like "2026-01-02".
func IsDay(s string) bool {
	if len(s) != 10 {
		return false
	}
	for i := range len(s) {
		if dash := i == 4 || i == 7; dash != (s[i] == '-') || !dash && (s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return true
}
