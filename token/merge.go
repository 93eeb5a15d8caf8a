package token

import "github.com/proemhq/proem/token/internal/vocab"

// small is the length of the longest piece in which the next merge is found by
// looking at all pairs; [merger.long] serves longer ones.
const small = 128

// noRank is the rank of a pair that is no token.
const noRank = vocab.MaxID + 1

// A merger turns pieces into tokens. In a piece, each byte is a part at first; as
// long as two neighbors together are a token, those with the lowest id become one
// part, the leftmost of equals.
//
// Its zero value with a Table is ready. It keeps its memory from piece to piece.
type merger struct {
	vocab.Table
	steps int // work done: bytes, pairs and entries looked at

	// Of a small piece: where the parts begin, and the ids of each with the next.
	at   [small + 1]uint8
	rank [small]uint32

	far *longMerger // nil before the first long piece
}

// count returns the number of tokens of a piece.
func (m *merger) count(piece string) int {
	if _, ok := m.find(piece); ok {
		return 1
	}
	if len(piece) <= small {
		return m.short(piece)
	}
	n := 0
	for ; len(piece) > maxPiece; piece = piece[maxPiece:] {
		n += m.long(piece[:maxPiece])
	}
	return n + m.long(piece)
}

// encode appends the ids of the tokens of a piece.
func (m *merger) encode(dst []int, piece string) []int {
	if id, ok := m.find(piece); ok {
		return append(dst, id)
	}
	if len(piece) <= small {
		n := m.short(piece)
		for i := range n {
			dst = append(dst, m.id(piece[m.at[i]:m.at[i+1]]))
		}
		return dst
	}
	for len(piece) > 0 {
		part := piece[:min(len(piece), maxPiece)]
		piece = piece[len(part):]
		m.long(part)
		for i := 0; i < len(part); {
			end := m.far.starts.next(i)
			dst = append(dst, m.id(part[i:end]))
			i = end
		}
	}
	return dst
}

func (m *merger) find(s string) (id int, ok bool) {
	if len(s) > m.Longest {
		return 0, false
	}
	m.steps++
	return m.Find(s)
}

// id returns the id of a part: a single byte or the outcome of a merge, so that it
// is always a token.
func (m *merger) id(part string) int {
	id, _ := m.Find(part)
	return id
}

// short merges a piece of at most small bytes and returns the number of parts. The
// parts begin at the first of m.at; the next of it is the end of the piece.
func (m *merger) short(piece string) int {
	n := len(piece)
	for i := range n {
		m.at[i] = uint8(i)
	}
	m.at[n] = uint8(n)
	for i := range n - 1 {
		m.rank[i] = m.pair(piece[i : i+2])
	}
	for n > 1 {
		low, i := uint32(noRank), 0
		for k, r := range m.rank[:n-1] {
			if r < low {
				low, i = r, k
			}
		}
		m.steps += n
		if low == noRank {
			break
		}
		copy(m.at[i+1:n], m.at[i+2:n+1])
		copy(m.rank[i:n-2], m.rank[i+1:n-1])
		n--
		if i+1 < n {
			m.rank[i] = m.pair(piece[m.at[i]:m.at[i+2]])
		}
		if i > 0 {
			m.rank[i-1] = m.pair(piece[m.at[i-1]:m.at[i+1]])
		}
	}
	return n
}

func (m *merger) pair(s string) uint32 {
	if id, ok := m.find(s); ok {
		return uint32(id)
	}
	return noRank
}
