// Package textnorm makes the text of a prompt from bytes that a stranger wrote.
//
// Only what cannot be sent or seen changes: a byte order mark at the start goes,
// UTF-16 becomes UTF-8, line ends become LF, bytes that are no UTF-8 become
// U+FFFD, characters that people cannot see and models can read go, and the text
// ends before the first NUL. What a person should know is a [Finding], and the text comes in
// pieces that still know where they stood:
//
//	r := textnorm.Bytes([]byte("one\r\ntwo\r\n"), false)
//	r.Text             // "one\ntwo\n"
//	r.Pieces[1].Off    // 4: "\ntwo" stands there in the input, unchanged
//	len(r.Findings)    // 0: line ends are not worth a word
//
// The package is pure and uses the standard library only.
package textnorm

import (
	"bytes"
	"unicode/utf8"
)

// A Result is a normalised text.
type Result struct {
	Text   string // valid UTF-8 without CR and NUL
	Pieces []Piece
	// Findings holds at most one of each kind, in the order of their offsets.
	Findings []Finding
}

// A Piece is a range of the text with its place in the input. Pieces tile the
// text, ascend, and are never empty.
type Piece struct {
	Lo, Hi int // bytes of the text
	Off    int // where it begins in the input, in bytes
	// Rewritten says that the text differs from the input: the piece stands for the
	// bytes from Off up to what the next piece begins with. Otherwise the piece and
	// the input are equal byte for byte.
	Rewritten bool
}

// Bytes normalises b. With partial set, b is the beginning of something longer:
// a character that is cut off at its end is left out instead of being reported.
func Bytes(b []byte, partial bool) Result {
	n := newNormalizer(b, partial)
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		n.at = 3
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		n.at, n.wide, n.decode = 2, true, decodeUTF16(0, 1)
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		n.at, n.wide, n.decode = 2, true, decodeUTF16(1, 0)
	}
	n.lineAt = n.at
	return n.run()
}

// Rest normalises bytes from the middle of a text in UTF-8: a mark at their
// start is an inner U+FEFF.
func Rest(b []byte, partial bool) Result { return newNormalizer(b, partial).run() }

// String normalises s and returns only the text.
func String(s string) string {
	if clean(s) {
		return s
	}
	return Bytes([]byte(s), false).Text
}

// clean reports whether s is printable ASCII with LF line ends, which no rule
// changes.
func clean(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c == 0 || c == '\r' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// normalizer is one pass over the input.
type normalizer struct {
	src     []byte
	partial bool
	wide    bool // UTF-16: nothing can be kept byte for byte
	decode  func(b []byte) (r rune, size int)

	at     int // next byte of src
	line   int // of at, from 1
	lineAt int // where that line begins in src
	out    []byte
	pieces []Piece

	invalid, nul, hidden, inner places
}

const replacement = "\uFFFD"

// bad is what a decoder returns for bytes that are no character.
const bad = rune(-1)

func decodeUTF8(b []byte) (rune, int) {
	r, size := utf8.DecodeRune(b)
	if r == utf8.RuneError && size <= 1 {
		return bad, size
	}
	return r, size
}

func newNormalizer(b []byte, partial bool) *normalizer {
	return &normalizer{src: b, partial: partial, line: 1, decode: decodeUTF8}
}

func (n *normalizer) run() Result {
	n.scan()
	r := Result{Text: string(n.out), Pieces: n.pieces}
	r.Findings = n.findings(r)
	return r
}

func (n *normalizer) scan() {
	n.out = make([]byte, 0, len(n.src))
	for n.at < len(n.src) {
		if !n.wide && n.plain() {
			continue
		}
		r, size := n.decode(n.src[n.at:])
		if r == bad && n.partial && n.cutOff() {
			return
		}
		switch {
		case r == bad:
			n.invalid.add(n, 0)
			n.put(replacement, true)
		case r == 0:
			n.nul.add(n, 0)
			return
		case r == '\r':
			n.carriageReturn(size)
		case r == flagBase:
			size = n.flag(size)
			n.keep(size)
		case isHidden(r):
			n.hidden.add(n, r)
		case r == inner:
			n.inner.add(n, 0)
			n.keep(size)
		default:
			n.keep(size)
		}
		n.at += size
		if r == '\n' {
			n.line, n.lineAt = n.line+1, n.at
		}
	}
}

// plain keeps a run of ASCII and reports whether there was one.
func (n *normalizer) plain() bool {
	i := n.at
	for ; i < len(n.src); i++ {
		c := n.src[i]
		if c == '\n' {
			n.line, n.lineAt = n.line+1, i+1
		} else if c == 0 || c == '\r' || c >= utf8.RuneSelf {
			break
		}
	}
	if i == n.at {
		return false
	}
	n.keep(i - n.at)
	n.at = i
	return true
}

// cutOff reports whether the input ends inside the character at hand.
func (n *normalizer) cutOff() bool {
	rest := n.src[n.at:]
	if n.wide {
		return len(rest) < 4
	}
	return !utf8.FullRune(rest)
}

// carriageReturn drops a CR before an LF, which then stands for both, and turns
// a lone one into an LF.
func (n *normalizer) carriageReturn(size int) {
	next := n.src[n.at+size:]
	if len(next) == 0 && n.partial {
		return
	}
	if r, _ := n.decode(next); r == '\n' {
		return
	}
	n.put("\n", false)
	n.line, n.lineAt = n.line+1, n.at+size
}

// keep copies the next size bytes of the input.
func (n *normalizer) keep(size int) {
	if n.wide {
		for to := n.at + size; size > 0; {
			r, k := n.decode(n.src[to-size : to])
			n.put(string(r), true)
			size -= k
		}
		return
	}
	lo := len(n.out)
	n.out = append(n.out, n.src[n.at:n.at+size]...)
	if k := len(n.pieces); k > 0 {
		if p := &n.pieces[k-1]; !p.Rewritten && p.Off+p.Hi-p.Lo == n.at {
			p.Hi += size
			return
		}
	}
	n.pieces = append(n.pieces, Piece{Lo: lo, Hi: lo + size, Off: n.at})
}

// put writes s in place of what stands at n.at. With join set it may extend a
// rewritten piece, unless that one ends its line.
func (n *normalizer) put(s string, join bool) {
	lo := len(n.out)
	n.out = append(n.out, s...)
	if k := len(n.pieces); join && k > 0 && n.pieces[k-1].Rewritten && n.joins(lo) {
		n.pieces[k-1].Hi += len(s)
		return
	}
	n.pieces = append(n.pieces, Piece{Lo: lo, Hi: lo + len(s), Off: n.at, Rewritten: true})
}

// joins reports whether text written at lo may continue the piece before it. In
// UTF-16 a piece is a line, so that the offset of every line is exact.
func (n *normalizer) joins(lo int) bool { return n.out[lo-1] != '\n' }
