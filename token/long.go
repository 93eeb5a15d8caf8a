package token

import "math/bits"

// maxPiece is the length of the longest piece that is merged as one. Places in it,
// and three entries for each byte, are numbers of 32 bits.
const maxPiece = 1 << 30

// A longMerger is what a merger needs for long pieces.
type longMerger struct {
	starts bitmap // where the parts begin, and the end of the last
	queue  queue
}

// long merges a piece of at most maxPiece bytes and returns the number of parts,
// which begin at the bits set in m.far.starts. Its time is n log n for n bytes,
// whatever they are: there are at most three entries for each byte.
func (m *merger) long(piece string) int {
	if m.far == nil {
		m.far = new(longMerger)
	}
	starts, queue := &m.far.starts, &m.far.queue
	starts.fill(len(piece))
	queue.reset(len(piece))
	for i := range len(piece) - 1 {
		m.push(piece, i, i+2)
	}
	n := len(piece)
	for len(queue.heap) > 0 {
		e := queue.pop()
		at := e.at()
		if !starts.has(at) {
			continue // merged with what was before it
		}
		mid := starts.next(at)
		if mid == len(piece) {
			continue
		}
		end := starts.next(mid)
		if end-at != e.len() {
			continue // one of the two has grown
		}
		starts.clear(mid)
		n--
		if end < len(piece) {
			m.push(piece, at, starts.next(end))
		}
		if at > 0 {
			m.push(piece, starts.prev(at), end)
		}
	}
	m.steps += queue.steps
	queue.steps = 0
	return n
}

// push adds an entry for the bytes from at to end if they are a token.
func (m *merger) push(piece string, at, end int) {
	if id, ok := m.find(piece[at:end]); ok {
		m.far.queue.push(newEntry(id, at, end))
	}
}

// A bitmap holds a bit for each place of a piece, and one for its end.
type bitmap []uint64

// fill sets the bits from 0 to n, and no others.
func (b *bitmap) fill(n int) {
	words := n/64 + 1
	if cap(*b) < words {
		*b = make(bitmap, words)
	}
	*b = (*b)[:words]
	for i := range *b {
		(*b)[i] = ^uint64(0)
	}
	(*b)[words-1] >>= 63 - n%64
}

func (b bitmap) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitmap) clear(i int)    { b[i/64] &^= 1 << (i % 64) }

// next returns the place of the first bit after i; there is one.
func (b bitmap) next(i int) int {
	i++
	w, word := i/64, b[i/64]>>(i%64)
	if word != 0 {
		return i + bits.TrailingZeros64(word)
	}
	for w++; b[w] == 0; w++ {
	}
	return w*64 + bits.TrailingZeros64(b[w])
}

// prev returns the place of the last bit before i; there is one.
func (b bitmap) prev(i int) int {
	i--
	w, word := i/64, b[i/64]<<(63-i%64)
	if word != 0 {
		return i - bits.LeadingZeros64(word)
	}
	for w--; b[w] == 0; w-- {
	}
	return w*64 + 63 - bits.LeadingZeros64(b[w])
}
