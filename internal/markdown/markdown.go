// Package markdown tells prose from code and comments in a Markdown text.
//
//	m := markdown.Scan("Run `make`.\n<!-- why -->\n")
//	m.Code     // the range of `make` with its backticks
//	m.Comments // the range of the comment
//
// The package is pure and uses the standard library only.
package markdown

import "strings"

// A Range is a range of bytes of a text.
type Range struct{ Lo, Hi int }

// A Text is what of a Markdown text is not prose.
type Text struct {
	Code     []Range // fenced blocks and code spans, ascending
	Comments []Range // HTML comments outside code, ascending
	// Open is where a fence begins that nothing closes; -1: there is none.
	Open int
}

// Scan finds code and comments in one pass: whichever begins first hides the
// other. Fences are also found in quotes and lists; one without an end lasts to
// the end of the text, a code span without one is text, and so is a comment.
func Scan(s string) Text {
	m := Text{Open: -1}
	if !strings.ContainsAny(s, "`~<") {
		return m
	}
	sp := spans{s: s}
	for at, atLine := 0, true; at < len(s); {
		if atLine {
			if fence := opening(lineAt(s, at)); fence != "" {
				end, closed := closing(s, at, fence)
				if !closed {
					m.Open = at
				}
				m.Code = append(m.Code, Range{at, end})
				at = end
				continue
			}
		}
		atLine = s[at] == '\n'
		end := at + 1
		switch s[at] {
		case '\\':
			if end < len(s) && s[end] == '`' {
				end++
			}
		case '`':
			if hi := sp.end(at); hi > 0 {
				end = hi
				m.Code = append(m.Code, Range{at, end})
			} else {
				end = at + run(s, at)
			}
		case '<':
			if n := strings.Index(s[at:], "-->"); n > 0 && strings.HasPrefix(s[at:], "<!--") {
				end = at + n + len("-->")
				m.Comments = append(m.Comments, Range{at, end})
			}
		}
		at = end
	}
	return m
}

// lineAt returns the line that begins at byte at, with its end.
func lineAt(s string, at int) string {
	if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
		return s[at : at+n+1]
	}
	return s[at:]
}

// opening returns the fence that a line opens a block with, or "".
func opening(line string) string {
	line = strings.TrimLeft(line, "-*+>0123456789.) \t")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, "`")) {
			return line[:n]
		}
	}
	return ""
}

// closing returns where the block ends that the line at at opens with fence, and
// whether a line closes it.
func closing(s string, at int, fence string) (end int, closed bool) {
	for at += len(lineAt(s, at)); at < len(s); {
		line := lineAt(s, at)
		at += len(line)
		if line = strings.Trim(line, " \t>\n"); strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "" {
			return at, true
		}
	}
	return len(s), false
}

// IsFence reports whether a range of code is a fenced block of s, and not a span
// within a line.
func (r Range) IsFence(s string) bool {
	return (r.Lo == 0 || s[r.Lo-1] == '\n') && opening(lineAt(s, r.Lo)) != ""
}

// spans finds the ends of code spans. A span is closed by as many backticks as
// opened it, in the same paragraph.
type spans struct {
	s    string
	stop int          // end of the paragraph at hand
	dead map[int]bool // lengths that nothing closes any more in it
}

// end returns where the span ends that opens at at, or 0 if it is none.
func (p *spans) end(at int) int {
	if at >= p.stop {
		p.stop, p.dead = paragraph(p.s, at), make(map[int]bool)
	}
	n := run(p.s, at)
	for i := at + n; i < p.stop && !p.dead[n]; {
		next := strings.IndexByte(p.s[i:p.stop], '`')
		if next < 0 {
			break
		}
		k := run(p.s, i+next)
		if i += next + k; k == n {
			return i
		}
	}
	p.dead[n] = true
	return 0
}

// paragraph returns where the paragraph of byte at ends: before a blank line or
// a fence.
func paragraph(s string, at int) int {
	for at += len(lineAt(s, at)); at < len(s); {
		line := lineAt(s, at)
		if strings.TrimSpace(line) == "" || opening(line) != "" {
			break
		}
		at += len(line)
	}
	return at
}

// run returns how many backticks stand at i.
func run(s string, i int) int {
	return len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
}
