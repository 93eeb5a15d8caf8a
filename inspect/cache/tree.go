package cache

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A node is a prompt up to some piece, with the pieces that were seen behind it.
type node struct {
	children []*node // by kind, salt and text, so that the most alike are neighbours
	piece    *content
	written  bool   // a prefix that ends here was written for a breakpoint
	unit     bool   // a unit ends here
	parts    []unit // units that end inside a piece behind this
}

// A unit ends behind the first bytes of a piece's text.
type unit struct {
	piece *content
	bytes int
}

func (c *content) compare(o *content) int {
	if c.kind != o.kind {
		return int(c.kind) - int(o.kind)
	}
	if n := strings.Compare(c.salt, o.salt); n != 0 {
		return n
	}
	return strings.Compare(c.text, o.text)
}

// find returns where a piece stands or would stand among the children.
func (n *node) find(c *content) (int, bool) {
	return slices.BinarySearchFunc(n.children, c, func(child *node, c *content) int {
		if child.piece == c {
			return 0
		}
		return child.piece.compare(c)
	})
}

// add adds a prompt, and returns its nodes, one for each piece.
func (n *node) add(pieces []piece) []*node {
	nodes := make([]*node, len(pieces))
	for i, p := range pieces {
		at, ok := n.find(p.content)
		if !ok {
			n.children = slices.Insert(n.children, at, &node{piece: p.content})
		}
		n = n.children[at]
		nodes[i] = n
	}
	return nodes
}

// A place is inside a prompt: behind whole pieces and the first bytes of the text
// of the next one.
type place struct{ whole, bytes int }

func (p place) less(o place) bool {
	return p.whole < o.whole || p.whole == o.whole && p.bytes < o.bytes
}

// common returns how far a prompt is the beginning of earlier ones.
func (n *node) common(pieces []piece) place {
	for i, p := range pieces {
		at, ok := n.find(p.content)
		if ok {
			n = n.children[at]
			continue
		}
		longest := 0
		for _, near := range []int{at - 1, at} {
			if near >= 0 && near < len(n.children) {
				longest = max(longest, n.children[near].piece.shared(p.content))
			}
		}
		return place{i, longest}
	}
	return place{whole: len(pieces)}
}

// shared returns how many bytes both texts begin with, cut between characters;
// pieces of different kinds share nothing.
func (c *content) shared(o *content) int {
	if c.kind != o.kind || c.salt != o.salt {
		return 0
	}
	n := same(c.text, o.text)
	for n > 0 && n < len(c.text) && !utf8.RuneStart(c.text[n]) {
		n--
	}
	return n
}

// same returns the length of the common prefix of two texts.
func same[T string | []byte](a, b T) int {
	n := min(len(a), len(b))
	const block = 256 // compared at once
	i := 0
	for i+block <= n && string(a[i:i+block]) == string(b[i:i+block]) {
		i += block
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// tokens counts a prompt up to a place.
func tokens(pieces []piece, at place, count func(string) int) int {
	n := 0
	for _, p := range pieces[:at.whole] {
		n += p.tokens
	}
	if at.bytes > 0 && at.whole < len(pieces) {
		n += min(count(pieces[at.whole].text[:at.bytes]), pieces[at.whole].tokens)
	}
	return n
}
