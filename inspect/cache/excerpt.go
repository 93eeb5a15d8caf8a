package cache

import (
	"bytes"
	"strings"
)

// How much of a body is shown around the byte that differs.
const (
	shownBefore = 24
	shownAfter  = 40
	tokenBytes  = 16 // of a fence, which changes with what it encloses
)

// excerpts returns what stood at the place where two prompts differ, and what
// stands there now, as in the bodies.
func (c change) excerpts() (was, is string) {
	if c.at >= len(c.before.pieces) || c.at >= len(c.p.pieces) {
		return "", ""
	}
	o, n := c.before.pieces[c.at], c.p.pieces[c.at]
	old, now := o.bare(c.before.Body), n.bare(c.p.Body)
	at := same(old, now)
	if open := bytes.LastIndex(now[:at], []byte("<block ")); open >= 0 && at-open-len("<block ") < tokenBytes {
		if from := open + len("<block ") + tokenBytes; from < min(len(old), len(now)) {
			if next := from + same(old[from:], now[from:]); next < max(len(old), len(now)) {
				at = next
			}
		}
	}
	return excerpt(old, at), excerpt(now, at)
}

func excerpt(b []byte, at int) string {
	lo, hi := max(0, at-shownBefore), min(len(b), at+shownAfter)
	if lo >= hi {
		return ""
	}
	return strings.ToValidUTF8(string(b[lo:hi]), "")
}
