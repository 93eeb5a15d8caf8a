// Package near finds what somebody may have meant by a name that does not exist,
// and shows names so that they cannot break a line.
//
//	near.Best("pth", []string{"path", "limit"}) // "path"
//	near.Show("a\nb")                           // "a\nb", quoted
//
// The package is pure and uses the standard library only.
package near

import (
	"strconv"
	"strings"

	"github.com/proemhq/proem/internal/textnorm"
)

// maxName is the longest name that slips are looked for in.
const maxName = 64

// Best returns the candidate that differs from name least: in case only, else by
// at most two edits, and by fewer than half of its letters. It is empty if there
// is none.
func Best(name string, candidates []string) string {
	best, least := "", 3
	for _, c := range candidates {
		if strings.EqualFold(c, name) {
			return c
		}
		if len(name) > maxName || len(c) > maxName || 2*least <= len(c)-len(name) {
			continue
		}
		if d := Distance(name, c); d < least && 2*d < len(c) {
			best, least = c, d
		}
	}
	return best
}

// Distance returns the number of bytes to insert, delete or replace that make b
// of a. It takes time in proportion to the product of the lengths.
func Distance(a, b string) int {
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

// Show returns a name as it can stand in a line of text: one with characters that
// break lines or cannot be seen is quoted.
func Show(name string) string {
	if textnorm.String(name) == name && !strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return name
	}
	return strconv.QuoteToASCII(name)
}
