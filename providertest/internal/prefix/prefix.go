// Package prefix counts how much of a prompt a provider would find in its cache.
//
// A prompt is a list of blocks in the order in which the provider reads them:
// tools, system text, conversation. A [Store] sees the prompts that come to one
// model, one after the other, and says of each how many tokens it has, how many
// of them are found and how many are written:
//
//	s := prefix.New(prefix.Steps, 0, token.Estimate.Count)
//	s.Ask(first, now)          // nothing is found
//	hit := s.Ask(second, now)  // hit.Cached: what both begin with, in steps of 128
//
// It is about what published rules say, not about what a host happens to evict.
package prefix

import (
	"strings"
	"time"
)

// A Block is one piece of a prompt: a tool, a section or a message.
type Block struct {
	Text string
	// Salt changes what the block is compared by, and is not counted.
	Salt string
	// Mark is the lifetime of the breakpoint behind the block, "5m" or "1h"; empty:
	// there is none.
	Mark string
}

func (b *Block) key() string { return b.Salt + "\x1f" + b.Text }

// Kind says how a provider compares prompts.
type Kind uint8

// The kinds.
const (
	None        Kind = iota
	Steps            // the longest common prefix, rounded down to a step
	Breakpoints      // prefixes that end at a breakpoint
	Units            // whole prefixes that were seen to end: input, output, or what two prompts share
)

// A Hit is how the tokens of a prompt fall apart.
type Hit struct {
	Input       int // all of them
	Cached      int // found
	Written     int // written, for which some providers charge
	WrittenLong int // of Written, those with the longer lifetime
}

// A Store is the cache of one model. It is not safe for concurrent use.
type Store struct {
	kind    Kind
	least   int
	count   func(string) int
	root    node
	entries map[[32]byte]entry
	ends    map[int]map[[32]byte]bool // of units, by their length in bytes
}

// DefaultLeast is the least tokens of a cached prefix.
const DefaultLeast = 1024

// New returns an empty store. Least is the least tokens of a cached prefix; 0:
// DefaultLeast, except for units, which have no minimum.
func New(k Kind, least int, count func(string) int) *Store {
	if least == 0 && k != Units {
		least = DefaultLeast
	}
	return &Store{kind: k, least: least, count: count, entries: map[[32]byte]entry{}, ends: map[int]map[[32]byte]bool{}}
}

// Ask takes a prompt that came at a time.
func (s *Store) Ask(blocks []Block, now time.Time) Hit {
	sums := make([]int, len(blocks)+1) // tokens before each block
	for i := range blocks {
		sums[i+1] = sums[i] + s.count(blocks[i].Text)
	}
	hit := Hit{Input: sums[len(blocks)]}
	switch s.kind {
	case Steps:
		whole, part := s.root.common(blocks)
		hit.Cached = s.stepped(sums[whole] + s.count(part))
		s.root.add(blocks)
	case Breakpoints:
		s.breakpoints(blocks, sums, now, &hit)
	case Units:
		hit.Cached = s.units(blocks, sums)
		s.root.add(blocks)
	}
	return hit
}

// Answered tells what the model wrote to a prompt, as it would stand in the next.
func (s *Store) Answered(blocks []Block, answer Block) {
	if s.kind == Units {
		s.end(joined(blocks) + joined([]Block{answer}))
	}
}

// step is the unit of the longest common prefix.
const step = 128

func (s *Store) stepped(n int) int {
	if n < s.least {
		return 0
	}
	return s.least + (n-s.least)/step*step
}

// A node is a prompt up to some block, with the blocks that were seen behind it.
type node struct{ next map[string]*node }

func (n *node) add(blocks []Block) {
	for i := range blocks {
		k := blocks[i].key()
		if n.next == nil {
			n.next = map[string]*node{}
		}
		if n.next[k] == nil {
			n.next[k] = &node{}
		}
		n = n.next[k]
	}
}

// common returns how many blocks an earlier prompt has as well, and what of the
// text behind them.
func (n *node) common(blocks []Block) (whole int, part string) {
	for whole < len(blocks) {
		next := n.next[blocks[whole].key()]
		if next == nil {
			break
		}
		n = next
		whole++
	}
	if whole == len(blocks) {
		return whole, ""
	}
	k, longest := blocks[whole].key(), 0
	for other := range n.next {
		longest = max(longest, shared(k, other))
	}
	if head := len(blocks[whole].Salt) + 1; longest > head {
		part = strings.ToValidUTF8(k[head:longest], "")
	}
	return whole, part
}

// shared returns the length of the common prefix.
func shared(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
