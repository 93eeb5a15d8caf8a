package lint

import (
	"strings"

	"github.com/proemhq/proem/internal/markdown"
)

const (
	minWords     = 14   // a shorter paragraph may well be there twice
	shingleWords = 5    // words that are compared at a time
	likeness     = 0.85 // of the shingles that must be the same
	maxShared    = 8    // paragraphs that are remembered for one shingle
)

// A block is a paragraph that is compared with others.
type block struct {
	text   *text
	n      int // its number within the text
	lo, hi int
	size   int // in shingles
}

// duplicates looks for paragraphs that say what an earlier one says. Paragraphs
// that follow each other in both places are one finding.
func (l *linter) duplicates(texts []*text) {
	var blocks []block
	seen := map[uint64][]int{} // by shingle: blocks, ascending
	var last *pair
	flush := func() {
		if last != nil {
			l.duplicate(last)
		}
		last = nil
	}
	for _, t := range texts {
		if t.runtime {
			continue // protocol compares with it
		}
		for n, p := range paragraphs(t.body, t.md.Code) {
			p, ws := t.said(p)
			if len(ws) < minWords {
				continue
			}
			b := block{t, n, p.Lo, ws[len(ws)-1].hi, len(ws) - shingleWords + 1}
			same := -1
			hits := map[int]int{}
			for _, s := range unique(shingles(ws, shingleWords)) {
				for _, i := range seen[s] {
					hits[i]++
				}
			}
			for i, h := range hits { // whatever the order: the first place counts
				if (same < 0 || i < same) && alike(h, b.size, blocks[i].size) && !(t.skill && blocks[i].text.skill) {
					same = i
				}
			}
			if same >= 0 {
				if o := blocks[same]; last != nil && last.again.text == t && last.of.text == o.text && n == last.n+1 && o.n == last.lastOf+1 {
					last.again.hi, last.n, last.lastOf, last.count = b.hi, n, o.n, last.count+1
				} else {
					flush()
					last = &pair{of: o, again: b, n: n, lastOf: o.n, count: 1}
				}
				continue
			}
			for _, s := range unique(shingles(ws, shingleWords)) {
				if len(seen[s]) < maxShared {
					seen[s] = append(seen[s], len(blocks))
				}
			}
			blocks = append(blocks, b)
		}
	}
	flush()
}

// said returns the words of a paragraph without its comments, and the paragraph
// without those that it begins with.
func (t *text) said(p markdown.Range) (markdown.Range, []word) {
	var ws []word
	at, begun := p.Lo, false
	for _, c := range t.md.Comments {
		if c.Hi <= p.Lo || c.Lo >= p.Hi {
			continue
		}
		if c.Lo > at && strings.TrimSpace(t.body[at:c.Lo]) != "" {
			begun = true
			ws = append(ws, words(t.body, at, c.Lo)...)
		}
		at = min(c.Hi, p.Hi)
		if !begun {
			p.Lo = p.Hi - len(strings.TrimLeft(t.body[at:p.Hi], " \t\n"))
		}
	}
	return p, append(ws, words(t.body, at, p.Hi)...)
}

// alike reports whether so many common shingles mean that one of two paragraphs says
// all that the other one says.
func alike(hits, a, b int) bool {
	return float64(hits) >= likeness*float64(min(a, b))
}

// unique drops repeated values; the order of the first ones stays.
func unique(hs []uint64) []uint64 {
	seen := make(map[uint64]bool, len(hs))
	out := hs[:0:0]
	for _, h := range hs {
		if !seen[h] {
			out = append(out, h)
		}
		seen[h] = true
	}
	return out
}

// A pair is text that is there twice: count paragraphs, the last of which have the
// numbers n and lastOf.
type pair struct {
	of, again block
	n, lastOf int
	count     int
}

func (l *linter) duplicate(p *pair) {
	what, says := "this paragraph", "says"
	if p.count > 1 {
		what, says = "these "+count(p.count, "paragraph"), "say"
	}
	a, b := p.of, p.again
	l.report(ruleDuplicate, b.text, b.lo, b.hi, "%s %s what %s says", what, says, l.where(a.text, a.lo))
}
