package token

import "math/bits"

// An entry is a pair of neighbors that are a token together: from the highest bits
// its id, its length, and where it begins, so that the order of the numbers is the
// order of the merges.
type entry uint64

const (
	entryAtBits  = 38
	entryLenBits = 8
)

func (e entry) at() int  { return int(e & (1<<entryAtBits - 1)) }
func (e entry) len() int { return int(e >> entryAtBits & (1<<entryLenBits - 1)) }

// long merges a piece of any length and returns the number of parts, which begin
// at the bits set in m.starts. Its time is n log n for n bytes, whatever they are:
// there are at most three entries for each byte.
func (m *merger) long(piece string) int {
	m.starts.fill(len(piece))
	m.heap = m.heap[:0]
	for i := range len(piece) - 1 {
		if id, ok := m.find(piece[i : i+2]); ok {
			m.heap = append(m.heap, newEntry(id, i, i+2))
		}
	}
	for i := len(m.heap)/fan + 1; i >= 0; i-- {
		m.down(i)
	}
	n := len(piece)
	for len(m.heap) > 0 {
		e := m.pop()
		at := e.at()
		if !m.starts.has(at) {
			continue // merged with what was before it
		}
		mid := m.starts.next(at)
		if mid == len(piece) {
			continue
		}
		end := m.starts.next(mid)
		if end-at != e.len() {
			continue // one of the two has grown
		}
		m.starts.clear(mid)
		n--
		if end < len(piece) {
			m.push(piece, at, m.starts.next(end))
		}
		if at > 0 {
			m.push(piece, m.starts.prev(at), end)
		}
	}
	return n
}

func newEntry(id, at, end int) entry {
	return entry(id)<<(entryAtBits+entryLenBits) | entry(end-at)<<entryAtBits | entry(at)
}

// fan is the number of children in the heap. Four are next to each other in memory
// and make the heap half as deep as two.
const fan = 4

// push adds an entry for the bytes from at to end if they are a token.
func (m *merger) push(piece string, at, end int) {
	id, ok := m.find(piece[at:end])
	if !ok {
		return
	}
	e := newEntry(id, at, end)
	m.heap = append(m.heap, e)
	i := len(m.heap) - 1
	for i > 0 {
		m.steps++
		up := (i - 1) / fan
		if m.heap[up] <= e {
			break
		}
		m.heap[i] = m.heap[up]
		i = up
	}
	m.heap[i] = e
}

func (m *merger) pop() entry {
	top := m.heap[0]
	last := len(m.heap) - 1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	m.down(0)
	return top
}

// down moves the entry at i to its place below, if there is one.
func (m *merger) down(i int) {
	h := m.heap
	if i >= len(h) {
		return
	}
	e := h[i]
	for {
		m.steps++
		first := i*fan + 1
		if first >= len(h) {
			break
		}
		low := first
		for k := first + 1; k < min(first+fan, len(h)); k++ {
			if h[k] < h[low] {
				low = k
			}
		}
		if h[low] >= e {
			break
		}
		h[i] = h[low]
		i = low
	}
	h[i] = e
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
