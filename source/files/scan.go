package files

import (
	"path"
	"strings"
)

// token is an @path in a text: its bytes, and the line it stands on.
type token struct {
	lo, hi         int
	path           string // without the @
	alone          bool   // nothing else stands on the line
	lineLo, lineHi int    // with the line end
}

// tokens returns what may be an import: an @ at the start of a line or after a
// blank, outside code, and the longest run without blanks after it, less
// trailing punctuation.
func tokens(s string) []token {
	if !strings.Contains(s, "@") {
		return nil
	}
	var out []token
	code := codeRanges(s)
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '@')
		if i < 0 {
			return out
		}
		lo := at + i
		at = lo + 1
		for len(code) > 0 && code[0].hi <= lo {
			code = code[1:]
		}
		if lo > 0 && !isBlank(s[lo-1]) || len(code) > 0 && code[0].lo <= lo {
			continue
		}
		hi := at
		for hi < len(s) && !isBlank(s[hi]) {
			hi++
		}
		at = hi
		p := strings.TrimRight(s[lo+1:hi], ".,;:!?)")
		if p == "" {
			continue
		}
		t := token{lo: lo, hi: lo + 1 + len(p), path: p}
		t.lineLo = strings.LastIndexByte(s[:lo], '\n') + 1
		t.lineHi = len(s)
		if n := strings.IndexByte(s[lo:], '\n'); n >= 0 {
			t.lineHi = lo + n + 1
		}
		t.alone = strings.TrimSpace(s[t.lineLo:t.lineHi]) == s[t.lo:t.hi]
		out = append(out, t)
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// looksLikeFile reports whether a path is one by its looks: it has a slash or
// ends in a file extension.
func looksLikeFile(p string) bool {
	if strings.Contains(p, "/") {
		return true
	}
	ext := path.Ext(p)
	if len(ext) < 2 || len(ext) > 11 {
		return false
	}
	for i, c := range ext[1:] {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// byteRange is a range of bytes of a text.
type byteRange struct{ lo, hi int }

// codeRanges returns the fenced code blocks and code spans of a Markdown text,
// ascending. Fences are also found in quotes and lists; one without an end lasts
// to the end of the text.
func codeRanges(s string) []byteRange {
	if !strings.ContainsAny(s, "`~") {
		return nil
	}
	var out []byteRange
	fence := ""         // what opened the block at hand
	start, from := 0, 0 // of that block; of the paragraph at hand
	for at := 0; at < len(s); {
		end := len(s)
		if n := strings.IndexByte(s[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := strings.Trim(s[at:end], " \t>\n")
		switch {
		case fence != "":
			if strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == "" {
				out = append(out, byteRange{start, end})
				fence, from = "", end
			}
		case line == "":
			out = codeSpans(out, s, from, at)
			from = end
		default:
			if fence = opening(line); fence != "" {
				out = codeSpans(out, s, from, at)
				start = at
			}
		}
		at = end
	}
	if fence != "" {
		return append(out, byteRange{start, len(s)})
	}
	return codeSpans(out, s, from, len(s))
}

// opening returns the fence that a line opens a block with, or "".
func opening(line string) string {
	line = strings.TrimLeft(line, "-*+0123456789.) \t")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, c)
		if n := len(line) - len(rest); n >= 3 && (c == "~" || !strings.Contains(rest, "`")) {
			return line[:n]
		}
	}
	return ""
}

// codeSpans appends the code spans of the paragraph from lo to hi. A span is
// closed by as many backticks as opened it.
func codeSpans(out []byteRange, s string, lo, hi int) []byteRange {
	dead := make(map[int]bool) // lengths that nothing closes any more
	for at := lo; at < hi; {
		switch s[at] {
		case '\\':
			at += 2
			continue
		case '`':
		default:
			at++
			continue
		}
		n := run(s, at, hi)
		end := 0
		for i := at + n; !dead[n] && i < hi; {
			k := run(s, i, hi)
			if i += k; k == n {
				end = i
				break
			}
			if k == 0 {
				i++
			}
		}
		if end == 0 {
			dead[n] = true
			at += n
			continue
		}
		out = append(out, byteRange{at, end})
		at = end
	}
	return out
}

// run returns how many backticks stand at i.
func run(s string, i, hi int) int {
	n := 0
	for i+n < hi && s[i+n] == '`' {
		n++
	}
	return n
}
