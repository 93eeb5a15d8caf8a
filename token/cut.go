package token

import (
	"strings"
	"unicode/utf8"
)

// lineAhead is how far beyond the longest prefix found a line may end that is
// tried as well.
const lineAhead = 256

// Cut returns the beginning of the text that has at most limit tokens: all of it
// if that fits, else as many whole lines as fit, and if the first line does not
// fit, as many characters. The result always fits.
//
// Counts grow with the text but for a token or two where a word is completed. Cut
// relies on that: one character or line more than it returns would not fit, but a
// prefix some bytes longer still may. Text far beyond the limit is not counted.
func Cut(c Counter, text string, limit int) string {
	if limit <= 0 {
		return ""
	}
	end := longest(c, text, limit, 0)
	for end < len(text) {
		next := nextLine(text, end)
		if next-end > lineAhead || c.Count(text[:next]) > limit {
			break
		}
		end = longest(c, text, limit, next)
	}
	if end == len(text) {
		return text
	}
	for line := end; line > 0; line-- {
		line = strings.LastIndexByte(text[:line], '\n') + 1
		if line > 0 && c.Count(text[:line]) <= limit {
			return text[:line]
		}
		if line == 0 {
			break
		}
	}
	return text[:end]
}

// nextLine returns the end of the line that goes on at i.
func nextLine(text string, i int) int {
	if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n + 1
	}
	return len(text)
}

// longest returns the length of a prefix that fits and with one more character
// does not. The prefix of length low fits. Lengths are guessed by the density of
// tokens, so that a few counts suffice, and every third is half way, so that many
// are never needed.
func longest(c Counter, text string, limit, low int) int {
	high := len(text) + 1 // does not fit
	lowCount, highCount := 0, -1
	if low > 0 {
		lowCount = c.Count(text[:low])
	}
	for step := 1; low+1 < high; step++ {
		var guess int
		switch {
		case highCount < 0:
			guess = low + max(64, low/4, min(limit-lowCount, len(text))*4)
		case step%3 == 0:
			guess = low + (high-low)/2
		default:
			guess = low + int(float64(high-low)*float64(limit-lowCount)/float64(highCount-lowCount))
		}
		guess = runeStart(text, min(max(guess, low+1), high-1), low)
		if guess >= high {
			return low
		}
		if n := c.Count(text[:guess]); n <= limit {
			low, lowCount = guess, n
		} else {
			high, highCount = guess, n
		}
	}
	return low
}

// runeStart returns where the character at i begins if that is after low, and else
// where it ends.
func runeStart(text string, i, low int) int {
	inside := func(i int) bool { return i < len(text) && !utf8.RuneStart(text[i]) }
	start := i
	for start > low && i-start < utf8.UTFMax && inside(start) {
		start--
	}
	if start > low && !inside(start) {
		return start
	}
	for inside(i) {
		i++
	}
	return i
}
