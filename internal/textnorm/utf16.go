package textnorm

import "unicode/utf16"

// decodeUTF16 returns a decoder for the byte order in which lo and hi are the
// places of the low and the high byte.
func decodeUTF16(lo, hi int) func(b []byte) (rune, int) {
	unit := func(b []byte) rune { return rune(b[lo]) | rune(b[hi])<<8 }
	return func(b []byte) (rune, int) {
		switch {
		case len(b) == 0:
			return bad, 0
		case len(b) < 2:
			return bad, 1
		}
		r := unit(b)
		if !utf16.IsSurrogate(r) {
			return r, 2
		}
		if len(b) >= 4 {
			if full := utf16.DecodeRune(r, unit(b[2:])); full != '\uFFFD' {
				return full, 4
			}
		}
		return bad, 2
	}
}
