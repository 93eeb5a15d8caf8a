package openairesponses

import (
	"encoding/json"
	"unicode/utf8"
)

// flat reads the members of a flat JSON object. It understands what deltas of
// text consist of and nothing else.
type flat struct {
	in []byte
	ok bool
}

// textDelta reads the event that a stream mostly consists of, a delta of text,
// without a general parser. Whatever looks different in any way is left to that.
func textDelta(data []byte) (index int, text string, ok bool) {
	f := flat{in: data, ok: true}
	kind := false
	for sep := byte('{'); f.ok && sep != '}'; {
		f.take(sep)
		key := string(f.str())
		f.take(':')
		switch key {
		case "type":
			kind = string(f.str()) == "response.output_text.delta"
			f.ok = f.ok && kind
		case "output_index":
			index = f.number()
		case "sequence_number", "content_index":
			f.number()
		case "item_id", "obfuscation":
			f.str()
		case "delta":
			text = f.text()
		case "logprobs":
			f.take('[')
			f.take(']')
		default:
			f.ok = false
		}
		if f.ok = f.ok && len(f.in) > 0; f.ok {
			sep = f.in[0]
			f.ok = sep == ',' || sep == '}'
		}
	}
	return index, text, f.ok && kind && len(f.in) == 1
}

func (f *flat) take(c byte) {
	if f.ok = f.ok && len(f.in) > 0 && f.in[0] == c; f.ok {
		f.in = f.in[1:]
	}
}

// raw returns the inside of a string and whether anything in it is escaped.
func (f *flat) raw() (s []byte, escaped bool) {
	f.take('"')
	for i := 0; f.ok && i < len(f.in); i++ {
		switch c := f.in[i]; {
		case c == '"':
			s, f.in = f.in[:i], f.in[i+1:]
			return s, escaped
		case c == '\\':
			escaped = true
			i++
		case c < ' ':
			f.ok = false
		}
	}
	f.ok = false
	return nil, false
}

// str returns a string without escapes.
func (f *flat) str() []byte {
	s, escaped := f.raw()
	f.ok = f.ok && !escaped
	return s
}

// text returns any string.
func (f *flat) text() string {
	before := f.in
	s, escaped := f.raw()
	if !f.ok {
		return ""
	}
	if !escaped && utf8.Valid(s) {
		return string(s)
	}
	var out string
	f.ok = json.Unmarshal(before[:len(s)+2], &out) == nil
	return out
}

// number returns a whole number that is not negative.
func (f *flat) number() int {
	n, out := 0, 0
	for ; n < len(f.in) && n < 10 && '0' <= f.in[n] && f.in[n] <= '9'; n++ {
		out = 10*out + int(f.in[n]-'0')
	}
	if f.ok = f.ok && 0 < n && n < 10 && (n == 1 || f.in[0] != '0'); f.ok {
		f.in = f.in[n:]
	}
	return out
}
