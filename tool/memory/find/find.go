// Package find finds in texts what has to do with a query: it splits them into
// entries and paragraphs, and ranks those by the words that they hold.
//
//	hits := find.Rank([]find.Text{{Body: "# Memory\n\n- 2026-01-02: prefers tabs\n"}}, "Tabs?")
//	hits[0].Unit.First // 3
//
// Case and width do not matter. Words are found by their beginning too; of scripts
// that do not separate words, such as Chinese, every two neighbours are looked
// for. The order depends on the arguments alone.
package find

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

// maxLines is how many lines a unit that is one hit has. Of a longer one each line
// is one.
const maxLines = 6

// A Text is one text to look into.
type Text struct {
	Body string // with LF lines
	Day  string // such as "2026-01-02", of the entries that have no date; may be empty
}

// A Hit is a unit that matches.
type Hit struct {
	Text int // which
	Unit Unit

	day    string
	folded string
	words  []string
	score  int
}

// Rank returns the units that hold something of a query, the best first; of equal
// ones the newest, then those of the first text, and those further down. It is nil
// if the query has no words; see [Words].
func Rank(texts []Text, query string) []Hit {
	folded := Fold(query)
	want := terms(folded)
	list := split(texts)
	hits := scored(list, want, folded)
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.day, a.day), cmp.Compare(a.Text, b.Text), cmp.Compare(b.Unit.First, a.Unit.First))
	})
	return hits
}

// Words reports whether a query has words to look for.
func Words(query string) bool { return len(terms(Fold(query))) > 0 }

// split makes a candidate of every unit.
func split(texts []Text) []Hit {
	var out []Hit
	for i, t := range texts {
		for _, whole := range Units(t.Body) {
			for _, u := range whole.lines(t.Body, maxLines) {
				h := Hit{Text: i, Unit: u, day: t.Day, folded: Fold(t.Body[u.Lo:u.Hi])}
				if _, day := Bare(h.folded); day != "" {
					h.day = day
				}
				eachRun(h.folded, func(run string, together bool) {
					if !together {
						h.words = append(h.words, run)
					}
				})
				out = append(out, h)
			}
		}
	}
	return out
}

// scored returns the candidates that match, with their scores: a term counts more
// the fewer units hold it, and the words of the query in a row count again.
func scored(list []Hit, want []term, folded string) []Hit {
	for _, t := range want {
		held := 0
		found := make([]int, len(list))
		for k := range list {
			if found[k] = t.match(list[k].folded, list[k].words); found[k] > 0 {
				held++
			}
		}
		for k := range list {
			if held > 0 {
				list[k].score += found[k] * (bits.Len(uint(len(list)/held)) + 1)
			}
		}
	}
	var out []Hit
	for _, h := range list {
		if h.score == 0 {
			continue
		}
		if len(want) > 1 && strings.Contains(h.folded, folded) {
			h.score += 2 * len(want)
		}
		out = append(out, h)
	}
	return out
}
