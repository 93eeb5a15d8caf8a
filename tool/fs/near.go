package fs

import (
	"strconv"
	"strings"

	"github.com/proemhq/proem/internal/textnorm"
)

// maxNear is the longest name that slips are looked for in.
const maxNear = 64

// nearest returns the candidate that differs from name least: in case only, else
// by at most two edits, and by fewer than half of its letters. It is empty if
// there is none.
func nearest(name string, candidates []string) string {
	best, least := "", 3
	for _, c := range candidates {
		if strings.EqualFold(c, name) {
			return c
		}
		if len(name) > maxNear || len(c) > maxNear || 2*least <= len(c)-len(name) {
			continue
		}
		if d := distance(name, c); d < least && 2*d < len(c) {
			best, least = c, d
		}
	}
	return best
}

// distance is the number of bytes to insert, delete or replace.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// show returns a name as it can stand in a line of text: one with characters
// that break lines or cannot be seen is quoted.
func show(name string) string {
	if textnorm.String(name) == name && !strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return name
	}
	return strconv.QuoteToASCII(name)
}
