package find

import (
	"strings"
	"unicode"
)

// A term is one thing to look for.
type term struct {
	text string
	run  bool // of a script that does not separate words: looked for anywhere
}

// maxTerms bounds a query.
const maxTerms = 32

// joined are scripts whose words do not stand apart.
var joined = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

func isJoined(r rune) bool { return r >= 0xE00 && (r == 'ー' || unicode.In(r, joined...)) }

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// terms returns what a folded query looks for, each once: its words, and of
// scripts that do not separate words every two neighbours.
func terms(folded string) []term {
	var out []term
	seen := map[term]bool{}
	add := func(t term) {
		if t.text != "" && !seen[t] && len(out) < maxTerms {
			seen[t] = true
			out = append(out, t)
		}
	}
	eachRun(folded, func(run string, together bool) {
		if !together {
			add(term{run, false})
			return
		}
		runes := []rune(run)
		if len(runes) == 1 {
			add(term{run, true})
		}
		for i := 1; i < len(runes); i++ {
			add(term{string(runes[i-1 : i+1]), true})
		}
	})
	return out
}

// eachRun calls f with every word of a text, and with every run of characters of
// scripts that do not separate words.
func eachRun(s string, f func(run string, together bool)) {
	from, in, together := 0, false, false
	for i, r := range s {
		j := isJoined(r)
		if w := j || isWord(r); in && (!w || j != together) {
			f(s[from:i], together)
			in = false
		} else if in {
			continue
		}
		if j || isWord(r) {
			from, in, together = i, true, j
		}
	}
	if in {
		f(s[from:], together)
	}
}

// match says how well a unit holds a term: 0 not at all, 3 as a word. Words of one
// or two letters, such as "of", say little, numbers do.
func (t term) match(folded string, words []string) int {
	if t.run {
		if strings.Contains(folded, t.text) {
			return 3
		}
		return 0
	}
	best := 0
	for _, w := range words {
		switch {
		case w == t.text && len(t.text) <= 2 && t.text > "9":
			return 1
		case w == t.text:
			return 3
		case len(t.text) >= 3 && strings.HasPrefix(w, t.text), len(w) >= 4 && len(t.text) <= len(w)+3 && strings.HasPrefix(t.text, w):
			best = max(best, 2)
		case len(t.text) >= 4 && strings.Contains(w, t.text):
			best = max(best, 1)
		}
	}
	return best
}
