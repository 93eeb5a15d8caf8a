package prefix

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
)

// joined returns a prompt as one text.
func joined(blocks []Block) string {
	var out strings.Builder
	for i := range blocks {
		out.WriteString(blocks[i].key())
		out.WriteByte('\x1e')
	}
	return out.String()
}

// end notes that a unit ends behind a text.
func (s *Store) end(text string) {
	if s.ends[len(text)] == nil {
		s.ends[len(text)] = map[[32]byte]bool{}
	}
	s.ends[len(text)][sha256.Sum256([]byte(text))] = true
}

// units returns the tokens of the longest unit that a prompt begins with. The
// end of the prompt becomes one, and so does what it shares with an earlier one
// beyond that: the next prompt finds it.
func (s *Store) units(blocks []Block, sums []int) int {
	text := joined(blocks)
	found, at, h := 0, 0, sha256.New()
	for _, n := range slices.Sorted(maps.Keys(s.ends)) {
		if n > len(text) {
			break
		}
		h.Write([]byte(text[at:n]))
		at = n
		if s.ends[n][[32]byte(h.Sum(nil))] {
			found = n
		}
	}
	whole, part := s.root.common(blocks)
	common := len(joined(blocks[:whole]))
	if part != "" {
		common += len(blocks[whole].Salt) + 1 + len(part)
	}
	if common > found {
		s.end(text[:common])
	}
	s.end(text)
	if n := s.tokens(blocks, sums, found); n >= s.least {
		return n
	}
	return 0
}

// tokens returns how many there are in the first n bytes of a joined prompt.
func (s *Store) tokens(blocks []Block, sums []int, n int) int {
	for i := range blocks {
		size := len(blocks[i].key()) + 1
		if n < size {
			return sums[i] + s.count(strings.ToValidUTF8(blocks[i].Text[:max(0, n-len(blocks[i].Salt)-1)], ""))
		}
		n -= size
	}
	return sums[len(blocks)]
}
