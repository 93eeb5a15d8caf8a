package lint

import (
	"hash/fnv"
	"strings"
	"unicode"

	"github.com/proemhq/proem/internal/markdown"
)

// A word is a word of a text in lower case, by its hash. Where a script has no
// spaces, each character is one.
type word struct {
	hash   uint64
	lo, hi int
}

// words returns the words of s from lo to hi.
func words(s string, lo, hi int) []word {
	var out []word
	start := -1
	end := func(at int) {
		if start >= 0 {
			out = append(out, word{hashOf(strings.ToLower(s[start:at])), start, at})
			start = -1
		}
	}
	for i, r := range s[lo:hi] {
		i += lo
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end(i)
			out = append(out, word{hashOf(string(r)), i, i + len(string(r))})
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
	}
	end(hi)
	return out
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // it never fails
	return h.Sum64()
}

// shingles returns the hashes of all runs of n words.
func shingles(ws []word, n int) []uint64 {
	if len(ws) < n {
		return nil
	}
	out := make([]uint64, 0, len(ws)-n+1)
	for i := range len(ws) - n + 1 {
		h := uint64(14695981039346656037)
		for _, w := range ws[i : i+n] {
			h = (h ^ w.hash) * 1099511628211
			h ^= h >> 29
		}
		out = append(out, h)
	}
	return out
}

// paragraphs returns the blocks of a text that blank lines part. A fenced block is
// one, whatever it holds.
func paragraphs(s string, code []markdown.Range) []markdown.Range {
	var out []markdown.Range
	start := -1
	for at := 0; at < len(s); {
		end := at + len(firstLine(s[at:]))
		if len(code) > 0 && code[0].Lo <= at && code[0].Hi > end {
			end = code[0].Hi - 1
		}
		for len(code) > 0 && code[0].Hi <= end+1 {
			code = code[1:]
		}
		switch blank := strings.TrimSpace(s[at:min(end, len(s))]) == ""; {
		case blank && start >= 0:
			out = append(out, markdown.Range{Lo: start, Hi: at})
			start = -1
		case !blank && start < 0:
			start = at
		}
		at = end + 1
	}
	if start >= 0 {
		out = append(out, markdown.Range{Lo: start, Hi: len(s)})
	}
	return out
}
