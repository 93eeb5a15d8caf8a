package shell

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/span"
)

// text appends what a command printed as valid UTF-8 without what only a
// terminal understands. Where the bytes were cut, a half character is left out.
func text(t span.Text, b []byte, cutBefore, cutAfter bool, from *span.Origin) span.Text {
	if cutBefore {
		for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
			b = b[1:]
		}
	}
	r := textnorm.Rest(readable(b), cutAfter)
	if r.Text != "" {
		t = append(t, span.Span{Text: r.Text, From: from, Off: span.NoOffset})
	}
	for _, f := range r.Findings {
		if f.Kind != textnorm.Secret {
			t = notice(t, "[of the output: "+strings.TrimSpace(f.Message)+"]")
		}
	}
	return t
}

// readable removes the control sequences of terminals and control characters, and
// shows NUL bytes as ␀, with their number if there are several.
func readable(b []byte) []byte {
	if bytes.IndexFunc(b, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }) < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == 0:
			n := len(b[i:]) - len(bytes.TrimLeft(b[i:], "\x00"))
			out = append(out, "␀"...)
			if n > 1 {
				out = fmt.Appendf(out, "×%d", n)
			}
			i += n
		case c == 0x1b:
			i += sequence(b[i:])
		case c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f:
			i++
		default:
			out = append(out, c)
			i++
		}
	}
	return out
}

// sequence returns the length of the control sequence that b begins with.
func sequence(b []byte) int {
	if len(b) < 2 {
		return len(b)
	}
	switch b[1] {
	case '[': // parameters, then one letter
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
			if b[i] < 0x20 || b[i] > 0x7e {
				return i
			}
		}
		return len(b)
	case ']', 'P', '_', '^', 'X': // a string up to BEL or ESC \
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] == 0x07:
				return i + 1
			case b[i] == 0x1b && i+1 < len(b) && b[i+1] == '\\':
				return i + 2
			case b[i] == '\n': // never closed
				return i
			}
		}
		return len(b)
	}
	if b[1] >= 0x20 && b[1] <= 0x2f && len(b) > 2 && b[2] < utf8.RuneSelf && b[2] >= ' ' { // ESC ( B
		return 3
	}
	if b[1] < ' ' || b[1] >= utf8.RuneSelf {
		return 1
	}
	return 2
}
