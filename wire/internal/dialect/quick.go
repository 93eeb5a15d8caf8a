package dialect

import (
	"encoding/json"
	"unicode/utf8"
)

// Inside returns the string whose JSON form, without its quotes, is in. It is not
// ok if in is not the whole inside of one string, or holds anything that
// encoding/json would replace.
func Inside(in []byte) (s string, ok bool) {
	escaped := false
	for i := 0; i < len(in); i++ {
		switch c := in[i]; {
		case c < ' ' || c == '"':
			return "", false
		case c == '\\':
			escaped = true
			if i++; i == len(in) {
				return "", false
			}
		}
	}
	if !escaped {
		return string(in), utf8.Valid(in)
	}
	quoted := make([]byte, 0, len(in)+2)
	quoted = append(append(append(quoted, '"'), in...), '"')
	err := json.Unmarshal(quoted, &s)
	return s, err == nil
}
