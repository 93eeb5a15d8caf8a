package wire

import "unicode/utf8"

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
		if i+8 <= len(s) && plain8(s[i:i+8]) {
			i += 8
			continue
		}
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(dst, s[done:i]...)
				dst = append(dst, `\ufffd`...)
				done = i + 1
			}
			i += n
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

// plain8 reports whether none of eight bytes needs a closer look.
func plain8(s string) bool {
	_ = s[7]
	v := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	quote := v ^ (ones * '"')
	slash := v ^ (ones * '\\')
	return (v|(v-ones*' ')|(quote-ones)|(slash-ones))&highs == 0
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
