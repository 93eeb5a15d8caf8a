package token

import (
	"strings"

	"github.com/proemhq/proem/token/internal/vocab"
)

func isLetter(c vocab.Class) bool { return c&letter != 0 && c&vocab.Mark == 0 }
func isSymbol(c vocab.Class) bool { return c&stop == 0 || c&vocab.Mark != 0 }

// word returns the end of a word of o200k_base that begins at i: capitals, then
// small letters. Letters without case and marks are both. If there is a small one,
// the word ends behind the last that can be one; else small is false, and the word
// is of capitals or, where no letter is at i, empty.
func word(s string, i int) (end, seen int, small bool) {
	both := -1 // behind the last that is both
	for {
		c, n := classAt(s, i)
		if c&vocab.Upper == 0 {
			if c&vocab.Lower == 0 {
				break
			}
			for c&vocab.Lower != 0 {
				i += n
				c, n = classAt(s, i)
			}
			return i, i, true
		}
		i += n
		if c&vocab.Lower != 0 {
			both = i
		}
	}
	if both >= 0 {
		return both, i, true
	}
	return i, i, false
}

// contraction returns the length of the English ending with which s begins, such
// as 's or 'LL, or 0. To a pattern that ignores case, the long s is an s.
func contraction(s string) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	switch s[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if len(s) > 2 && s[2]|0x20 == 'e' {
			return 3
		}
	case 'l':
		if len(s) > 2 && s[2]|0x20 == 'l' {
			return 3
		}
	}
	if strings.HasPrefix(s[1:], "ſ") {
		return 1 + len("ſ")
	}
	return 0
}

// letters returns the end of the letters at i.
func letters(s string, i int) int {
	for {
		c, n := classAt(s, i)
		if !isLetter(c) {
			return i
		}
		i += n
	}
}

// numbers returns the end of a group of at most three, of which the first ends
// at i.
func numbers(s string, i int) int {
	for range 2 {
		c, n := classAt(s, i)
		if c&vocab.Number == 0 {
			break
		}
		i += n
	}
	return i
}

// symbols returns the end of the symbols and marks with which s begins, after a
// space or not, or 0.
func symbols(s string) int {
	start := 0
	if s[0] == ' ' {
		start = 1
	}
	i := start
	for i < len(s) {
		c, n := classAt(s, i)
		if !isSymbol(c) {
			break
		}
		i += n
	}
	if i == start {
		return 0
	}
	return i
}

// spaces returns the end of the white space with which s begins, less its last
// character if that is followed by something and is not the only one; where it
// ends with all; and the end of its last line break, or 0.
func spaces(s string) (end, seen, breaks int) {
	last := 0
	for seen < len(s) {
		c, n := classAt(s, seen)
		if c&vocab.Space == 0 {
			break
		}
		last = seen
		seen += n
		if c&vocab.Break != 0 {
			breaks = seen
		}
	}
	if seen == len(s) || last == 0 {
		return seen, seen, breaks
	}
	return last, seen, breaks
}
