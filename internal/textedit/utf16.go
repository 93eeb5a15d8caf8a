package textedit

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

var (
	utf8Mark   = []byte("\xef\xbb\xbf")
	littleMark = []byte("\xff\xfe")
	bigMark    = []byte("\xfe\xff")
)

// order is a byte order of UTF-16.
type order interface {
	decode(b []byte) (utf8 []byte, ok bool)
	encode(utf8 []byte) []byte
}

type units struct{ binary.AppendByteOrder }

func orderOf(b []byte) order {
	if b[0] == 0xff {
		return units{binary.LittleEndian}
	}
	return units{binary.BigEndian}
}

// decode is strict, so that encode gives back the same bytes.
func (u units) decode(b []byte) ([]byte, bool) {
	if len(b)%2 != 0 {
		return nil, false
	}
	get := u.AppendByteOrder.(binary.ByteOrder).Uint16
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i += 2 {
		r := rune(get(b[i:]))
		if utf16.IsSurrogate(r) {
			if i+4 > len(b) {
				return nil, false
			}
			i += 2
			if r = utf16.DecodeRune(r, rune(get(b[i:]))); r == utf8.RuneError {
				return nil, false
			}
		}
		out = utf8.AppendRune(out, r)
	}
	return out, true
}

func (u units) encode(b []byte) []byte {
	out := make([]byte, 0, 2*len(b))
	for _, r := range string(b) {
		if r1, r2 := utf16.EncodeRune(r); r1 != utf8.RuneError {
			out = u.AppendUint16(out, uint16(r1))
			r = r2
		}
		out = u.AppendUint16(out, uint16(r))
	}
	return out
}
