package prompt

import "strings"

// Ties decides between sections, or tools, of equal order. The zero value
// compares names byte by byte.
type Ties struct {
	// Names compares two names; nil: by bytes. It must be a total order that is
	// consistent with equality.
	Names func(a, b string) int
	// ByPosition lists channels whose ties are decided by the place of
	// registration instead: the global layer first, then the lineage from its far
	// end, each in its own order. A shadowing section takes the place of the one
	// it shadows.
	ByPosition []Channel
}

func (t Ties) names(a, b string) int {
	if t.Names == nil {
		return strings.Compare(a, b)
	}
	return t.Names(a, b)
}
