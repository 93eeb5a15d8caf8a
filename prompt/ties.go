package prompt

import (
	"cmp"
	"strings"
)

// Ties holds the rules that decide between registrations of equal standing. It
// is data, so that two inputs can be compared. The zero value is proem's own
// rule: names byte by byte everywhere, and of two tools with one name the
// nearest layer's.
type Ties struct {
	Names NameOrder
	// ByPosition marks channels whose ties are decided by the place of
	// registration instead of the name: the global layer first, then the lineage
	// from its far end, each in its own order. A shadowing section takes the place
	// of the one it shadows.
	ByPosition [Channels]bool
	// KeepTools keeps all tools of one name, in the order of collection, instead
	// of the nearest layer's alone.
	KeepTools bool
}

// A NameOrder is an order of names.
type NameOrder uint8

// The orders of names. They differ only for characters outside the basic
// multilingual plane.
const (
	ByBytes NameOrder = iota // by UTF-8 bytes, which is by code point
	ByUTF16                  // by UTF-16 code units, as in JavaScript
)

// Compare compares two names under the rule: negative if a stands first.
func (o NameOrder) Compare(a, b string) int {
	if o == ByUTF16 {
		return compareUTF16(a, b)
	}
	return strings.Compare(a, b)
}

// compareUTF16 compares by UTF-16 code units. Both orders agree except where a
// supplementary character, whose units are surrogates (U+D800–DFFF), meets one
// from U+E000 to U+FFFF: lead bytes F0–F4 against EE and EF.
func compareUTF16(a, b string) int {
	n := min(len(a), len(b))
	for i := 0; i < n; i++ {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xF0 && (y == 0xEE || y == 0xEF) {
			return -1
		}
		if y >= 0xF0 && (x == 0xEE || x == 0xEF) {
			return 1
		}
		return cmp.Compare(x, y)
	}
	return cmp.Compare(len(a), len(b))
}
