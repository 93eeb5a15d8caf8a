package wire

import (
	"math/bits"
	"unicode/utf8"
)

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// AppendEscaped appends s as the inside of a JSON string. Only what JSON
// requires is escaped: the quote, the backslash and control characters. Bytes
// that are not valid UTF-8 become \ufffd; everything else stands as it is.
func AppendEscaped(dst []byte, s string) []byte {
	done := 0 // everything before it is written
	for i := 0; i < len(s); {
		if i+8 <= len(s) {
			mask := special(s[i : i+8])
			if mask == 0 {
				i += 8
				continue
			}
			// Borrows only disturb the bytes above the first one that is special.
			i += bits.TrailingZeros64(mask) / 8
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			for i < len(s) && s[i] >= utf8.RuneSelf {
				r, n := utf8.DecodeRuneInString(s[i:])
				if r == utf8.RuneError && n == 1 {
					dst = append(dst, s[done:i]...)
					dst = append(dst, `\ufffd`...)
					done = i + 1
				}
				i += n
			}
			continue
		}
		if c < ' ' || c == '"' || c == '\\' {
			dst = append(dst, s[done:i]...)
			dst = appendEscape(dst, c)
			done = i + 1
		}
		i++
	}
	return append(dst, s[done:]...)
}

// special looks at eight bytes at once: the lowest bit that is set is in the
// first byte that needs a closer look; 0: none does.
func special(s string) uint64 {
	_ = s[7]
	v := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	return (v | (v - ones*' ') | (v ^ ones*'"' - ones) | (v ^ ones*'\\' - ones)) & highs
}

const hex = "0123456789abcdef"

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, `\n`...)
	case '\t':
		return append(dst, `\t`...)
	case '\r':
		return append(dst, `\r`...)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
