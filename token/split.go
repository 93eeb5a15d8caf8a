package token

import (
	"unicode/utf8"

	"github.com/proemhq/proem/token/internal/vocab"
)

const (
	letter = vocab.Upper | vocab.Lower // with Mark: a mark
	// stop is set for what is no symbol: [\s\p{L}\p{N}], if it is no mark.
	stop = letter | vocab.Number | vocab.Space
)

// ascii holds the classes of the first 128 runes.
var ascii = [utf8.RuneSelf]vocab.Class{
	'\t': vocab.Space, '\v': vocab.Space, '\f': vocab.Space, ' ': vocab.Space,
	'\n': vocab.Space | vocab.Break, '\r': vocab.Space | vocab.Break,
	'0': vocab.Number, '1': vocab.Number, '2': vocab.Number, '3': vocab.Number, '4': vocab.Number,
	'5': vocab.Number, '6': vocab.Number, '7': vocab.Number, '8': vocab.Number, '9': vocab.Number,
	'A': vocab.Upper, 'B': vocab.Upper, 'C': vocab.Upper, 'D': vocab.Upper, 'E': vocab.Upper,
	'F': vocab.Upper, 'G': vocab.Upper, 'H': vocab.Upper, 'I': vocab.Upper, 'J': vocab.Upper,
	'K': vocab.Upper, 'L': vocab.Upper, 'M': vocab.Upper, 'N': vocab.Upper, 'O': vocab.Upper,
	'P': vocab.Upper, 'Q': vocab.Upper, 'R': vocab.Upper, 'S': vocab.Upper, 'T': vocab.Upper,
	'U': vocab.Upper, 'V': vocab.Upper, 'W': vocab.Upper, 'X': vocab.Upper, 'Y': vocab.Upper,
	'Z': vocab.Upper,
	'a': vocab.Lower, 'b': vocab.Lower, 'c': vocab.Lower, 'd': vocab.Lower, 'e': vocab.Lower,
	'f': vocab.Lower, 'g': vocab.Lower, 'h': vocab.Lower, 'i': vocab.Lower, 'j': vocab.Lower,
	'k': vocab.Lower, 'l': vocab.Lower, 'm': vocab.Lower, 'n': vocab.Lower, 'o': vocab.Lower,
	'p': vocab.Lower, 'q': vocab.Lower, 'r': vocab.Lower, 's': vocab.Lower, 't': vocab.Lower,
	'u': vocab.Lower, 'v': vocab.Lower, 'w': vocab.Lower, 'x': vocab.Lower, 'y': vocab.Lower,
	'z': vocab.Lower,
}

// classAt returns the class and the length of the character of s at i, and 0, 0 at
// the end of s. A byte that is not UTF-8 has no class and is as long as one.
func classAt(s string, i int) (class vocab.Class, size int) {
	if i >= len(s) {
		return 0, 0
	}
	if c := s[i]; c < utf8.RuneSelf {
		return ascii[c], 1
	}
	return classOfRune(s[i:])
}

func classOfRune(s string) (class vocab.Class, size int) {
	r, size := utf8.DecodeRuneInString(s)
	return vocab.ClassOf(classData, r), size
}

// splitO200K is the pattern of o200k_base. Its alternatives, in order:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func splitO200K(s string) (end, seen int) {
	c, n := classAt(s, 0)
	switch {
	case c&vocab.Mark != 0:
		// A mark is a prefix if a word with a small letter follows, and else the
		// beginning of one, as it passes for a small letter itself.
		if end, seen, small := word(s, n); small {
			return end + contraction(s[end:]), seen
		}
		end, seen, _ := word(s, 0)
		return end + contraction(s[end:]), seen
	case c&letter != 0:
		end, seen, _ := word(s, 0)
		return end + contraction(s[end:]), seen
	case c&vocab.Number != 0:
		end := numbers(s, n)
		return end, end
	case c&vocab.Break == 0:
		if end, seen, _ := word(s, n); end > n {
			return end + contraction(s[end:]), seen
		}
	}
	if end := symbols(s); end > 0 {
		for end < len(s) && (s[end] == '\n' || s[end] == '\r' || s[end] == '/') {
			end++
		}
		return end, end
	}
	end, seen, breaks := spaces(s)
	if breaks > 0 {
		return breaks, seen
	}
	return end, seen
}

// splitCL100K is the pattern of cl100k_base. Its alternatives, in order:
//
//	'(?i:[sdmt]|ll|ve|re)
//	[^\r\n\p{L}\p{N}]?+\p{L}++
//	\p{N}{1,3}+
//	 ?[^\s\p{L}\p{N}]++[\r\n]*+
//	\s++$
//	\s*[\r\n]
//	\s+(?!\S)
//	\s
func splitCL100K(s string) (end, seen int) {
	if n := contraction(s); n > 0 {
		return n, n
	}
	c, n := classAt(s, 0)
	switch {
	case isLetter(c):
		end := letters(s, n)
		return end, end
	case c&vocab.Number != 0:
		end := numbers(s, n)
		return end, end
	case c&vocab.Break == 0:
		if end := letters(s, n); end > n {
			return end, end
		}
	}
	if end := symbols(s); end > 0 {
		for end < len(s) && (s[end] == '\n' || s[end] == '\r') {
			end++
		}
		return end, end
	}
	end, seen, breaks := spaces(s)
	if breaks > 0 && seen < len(s) {
		return breaks, seen
	}
	return end, seen
}
