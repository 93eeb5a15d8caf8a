package gitignore

import "strings"

// matchPart matches a pattern without slashes, byte by byte as git does: *
// stands for any number of bytes, ? for one, […] for one of a set.
func matchPart(pattern, name string) bool {
	p, n := 0, 0
	star, again := -1, 0
	for {
		if p < len(pattern) {
			if pattern[p] == '*' {
				star, again = p, n
				p++
				continue
			}
			if n < len(name) {
				if size, ok := one(pattern[p:], name[n]); ok {
					p, n = p+size, n+1
					continue
				}
			}
		} else if n == len(name) {
			return true
		}
		if star < 0 || again >= len(name) {
			return false
		}
		again++
		p, n = star+1, again
	}
}

// one matches one byte with the beginning of a pattern that has size bytes.
func one(pattern string, c byte) (size int, ok bool) {
	switch pattern[0] {
	case '?':
		return 1, true
	case '\\':
		if len(pattern) < 2 {
			return 0, false
		}
		return 2, pattern[1] == c
	case '[':
		return set(pattern, c)
	}
	return 1, pattern[0] == c
}

// set matches a byte with […]. One that is not closed matches nothing.
func set(pattern string, c byte) (size int, ok bool) {
	i, not := 1, false
	if i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^') {
		not = true
		i++
	}
	for first := true; i < len(pattern); first = false {
		if pattern[i] == ']' && !first {
			return i + 1, ok != not
		}
		if strings.HasPrefix(pattern[i:], "[:") {
			if end := strings.Index(pattern[i+2:], ":]"); end >= 0 {
				in, known := class(pattern[i+2:i+2+end], c)
				if !known {
					return 0, false
				}
				ok = ok || in
				i += end + 4
				continue
			}
		}
		lo, n := member(pattern[i:])
		if n == 0 {
			return 0, false
		}
		i += n
		hi := lo
		if i+1 < len(pattern) && pattern[i] == '-' && pattern[i+1] != ']' {
			if hi, n = member(pattern[i+1:]); n == 0 {
				return 0, false
			}
			i += 1 + n
		}
		ok = ok || lo <= c && c <= hi
	}
	return 0, false
}

// member returns the byte that a set's next member stands for.
func member(s string) (c byte, size int) {
	if s[0] != '\\' {
		return s[0], 1
	}
	if len(s) < 2 {
		return 0, 0
	}
	return s[1], 2
}

func class(name string, c byte) (in, known bool) {
	lower, upper, digit := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9'
	switch name {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return c > ' ' && c < 0x7f, true
	case "lower":
		return lower, true
	case "print":
		return c >= ' ' && c < 0x7f, true
	case "punct":
		return c > ' ' && c < 0x7f && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F', true
	}
	return false, false
}
