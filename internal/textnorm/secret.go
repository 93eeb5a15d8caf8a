package textnorm

import (
	"fmt"
	"slices"
	"strings"
)

// A Range is a range of bytes.
type Range struct{ Lo, Hi int }

// rule describes one family of credentials: a prefix that does not stand inside
// a word, and at least min characters of a token after it.
type rule struct {
	prefix string
	min    int
	digit  bool // the token must hold a digit, so that hyphenated words do not match
}

var rules = []rule{
	{"sk-", 20, true},
	{"sk_live_", 16, false}, {"rk_live_", 16, false}, {"sk_test_", 16, false},
	{"ghp_", 30, false}, {"gho_", 30, false}, {"ghu_", 30, false}, {"ghs_", 30, false}, {"ghr_", 30, false},
	{"github_pat_", 22, false},
	{"glpat-", 20, false},
	{"AKIA", 16, false}, {"ASIA", 16, false},
	{"AIza", 30, false},
	{"xoxb-", 16, true}, {"xoxp-", 16, true}, {"xoxa-", 16, true}, {"xoxr-", 16, true}, {"xoxs-", 16, true},
	{"hf_", 30, false}, {"npm_", 30, false}, {"pypi-", 50, false},
	{"eyJ", 40, true},
}

const (
	keyBegin = "-----BEGIN "
	keyLabel = "PRIVATE KEY-----"
	keyEnd   = "-----END "
)

// Secrets returns the ranges of s that look like credentials, ascending and
// apart from each other. It knows the common token formats and private keys; it
// misses what has no known form.
func Secrets(s string) []Range {
	var out []Range
	for _, r := range rules {
		out = r.find(out, s)
	}
	out = findKeys(out, s)
	slices.SortFunc(out, func(a, b Range) int { return a.Lo - b.Lo })
	return join(out)
}

func (r rule) find(out []Range, s string) []Range {
	hi := 0     // end of the token at hand, in which the prefix may occur often
	digit := -1 // the last digit seen
	for at := 0; ; {
		i := strings.Index(s[at:], r.prefix)
		if i < 0 {
			return out
		}
		lo := at + i
		at = lo + len(r.prefix)
		for hi = max(hi, at); hi < len(s) && isToken(s[hi], r.prefix); hi++ {
			if s[hi] >= '0' && s[hi] <= '9' {
				digit = hi
			}
		}
		if (digit >= at || !r.digit) && hi-at >= r.min && (lo == 0 || !isWord(s[lo-1])) {
			out = append(out, Range{lo, hi})
			at = hi
		}
	}
}

func findKeys(out []Range, s string) []Range {
	end, label := 0, -1 // of the line at hand: its end, and where its last label begins
	for at := 0; ; {
		i := strings.Index(s[at:], keyBegin)
		if i < 0 {
			return out
		}
		lo := at + i
		at = lo + len(keyBegin)
		if lo >= end {
			line, _, _ := strings.Cut(s[lo:], "\n")
			end = lo + len(line)
			label = lo + strings.LastIndex(line, keyLabel)
		}
		if label < at {
			continue
		}
		hi := len(s)
		if end := strings.Index(s[at:], keyEnd); end >= 0 {
			tail, _, _ := strings.Cut(s[at+end:], "\n")
			hi = at + end + len(tail)
		}
		out = append(out, Range{lo, hi})
		at = hi
	}
}

// join merges ranges that overlap; they are ascending.
func join(rs []Range) []Range {
	var out []Range
	for _, r := range rs {
		if n := len(out); n > 0 && r.Lo < out[n-1].Hi {
			out[n-1].Hi = max(out[n-1].Hi, r.Hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

// isToken reports whether c may stand in a token with that prefix. Only signed
// tokens hold dots.
func isToken(c byte, prefix string) bool {
	return isWord(c) || c == '-' || c == '_' || c == '.' && prefix == "eyJ"
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Redact returns s with everything that looks like a credential replaced by a
// label and its length, such as "sk-…[redacted 48]".
func Redact(s string) string {
	rs := Secrets(s)
	if rs == nil {
		return s
	}
	var b strings.Builder
	at := 0
	for _, r := range rs {
		b.WriteString(s[at:r.Lo])
		b.WriteString(label(s[r.Lo:r.Hi]))
		at = r.Hi
	}
	b.WriteString(s[at:])
	return b.String()
}

// label names a secret without showing it.
func label(secret string) string {
	for _, r := range rules {
		if strings.HasPrefix(secret, r.prefix) {
			return fmt.Sprintf("%s…[redacted %d]", r.prefix, len(secret))
		}
	}
	return fmt.Sprintf("private key…[redacted %d]", len(secret))
}

func secretFinding(r Result) (Finding, bool) {
	found := Secrets(r.Text)
	if len(found) == 0 {
		return Finding{}, false
	}
	var names []string
	for _, s := range found[:min(len(found), listed)] {
		names = append(names, label(r.Text[s.Lo:s.Hi]))
	}
	if rest := len(found) - len(names); rest > 0 {
		names = append(names, fmt.Sprintf("%d more", rest))
	}
	lo := found[0].Lo
	before := r.Text[:lo]
	return Finding{
		Kind:    Secret,
		Off:     r.Offset(lo),
		Line:    1 + strings.Count(before, "\n"),
		Column:  lo - strings.LastIndexByte(before, '\n'),
		Count:   len(found),
		Message: "looks like a secret: " + strings.Join(names, ", "),
	}, true
}

// Offset returns the place in the input of byte i of the text: exact inside a
// kept piece, else where the piece begins.
func (r Result) Offset(i int) int {
	k, _ := slices.BinarySearchFunc(r.Pieces, i, func(p Piece, i int) int {
		if p.Hi <= i {
			return -1
		}
		return 1
	})
	if k == len(r.Pieces) {
		return 0
	}
	p := r.Pieces[k]
	if p.Rewritten {
		return p.Off
	}
	return p.Off + i - p.Lo
}
