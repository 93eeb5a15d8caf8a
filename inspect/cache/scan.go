package cache

import "bytes"

// The functions here find their way in JSON that is known to be valid. A value is
// given by the offset of its first byte; its end is exclusive.

// space returns the offset of the first byte from i on that is no white space.
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the end of the string that begins at i.
func stringEnd(b []byte, i int) int {
	for at := i + 1; ; {
		n := bytes.IndexByte(b[at:], '"')
		if n < 0 {
			return len(b)
		}
		end := at + n
		slashes := 0
		for end-1-slashes > i && b[end-1-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return end + 1
		}
		at = end + 1
	}
}

// valueEnd returns the end of the value that begins at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth <= 0 {
				return i + 1
			}
		case ',', ':', ' ', '\n', '\t', '\r':
		default: // a number or a word
			for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
				i++
			}
			if depth == 0 {
				return i
			}
			continue
		}
		i++
	}
	return i
}

// A member is a member of an object. Lo and hi are its value; from is where its
// name begins.
type member struct {
	name         string
	from, lo, hi int
}

// members calls f for each member of the object at i, in order.
func members(b []byte, i int, f func(member)) {
	if i >= len(b) || b[i] != '{' {
		return
	}
	for i = space(b, i+1); i < len(b) && b[i] == '"'; {
		m := member{from: i}
		end := stringEnd(b, i)
		m.name = unquote(b[i:end])
		m.lo = space(b, space(b, end)+1)
		m.hi = valueEnd(b, m.lo)
		f(m)
		if i = space(b, m.hi); i >= len(b) || b[i] != ',' {
			return
		}
		i = space(b, i+1)
	}
}

// elements calls f for each element of the array at i, in order.
func elements(b []byte, i int, f func(lo, hi int)) {
	if i >= len(b) || b[i] != '[' {
		return
	}
	for i = space(b, i+1); i < len(b) && b[i] != ']'; {
		hi := valueEnd(b, i)
		f(i, hi)
		if i = space(b, hi); i >= len(b) || b[i] != ',' {
			return
		}
		i = space(b, i+1)
	}
}
