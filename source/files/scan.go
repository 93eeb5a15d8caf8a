package files

import (
	"path"
	"strings"

	"github.com/proemhq/proem/internal/markdown"
)

// token is an @path in a text: its bytes, and the line it stands on.
type token struct {
	lo, hi         int
	path           string // without the @
	alone          bool   // nothing else stands on the line
	lineLo, lineHi int    // with the line end
}

// tokens returns what may be an import: an @ at the start of a line or after a
// blank, outside the ranges given, and the longest run without blanks after it,
// less trailing punctuation.
func tokens(s string, outside []markdown.Range) []token {
	var out []token
	code := outside
	lineLo, lineHi := 0, 0 // of the last token
	for at := 0; ; {
		i := strings.IndexByte(s[at:], '@')
		if i < 0 {
			return out
		}
		lo := at + i
		at = lo + 1
		for len(code) > 0 && code[0].Hi <= lo {
			code = code[1:]
		}
		if lo > 0 && !isBlank(s[lo-1]) || len(code) > 0 && code[0].Lo <= lo {
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
		if lo >= lineHi {
			lineLo = lineHi + strings.LastIndexByte(s[lineHi:lo], '\n') + 1
			if lineHi = len(s); strings.Contains(s[lo:], "\n") {
				lineHi = lo + strings.IndexByte(s[lo:], '\n') + 1
			}
		}
		t.lineLo, t.lineHi = lineLo, lineHi
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
