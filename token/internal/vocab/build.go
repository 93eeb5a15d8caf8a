package vocab

import (
	"encoding/binary"
	"fmt"
	"slices"
)

const (
	perBucket = 4  // tokens in a bucket, on average
	spare     = 64 // one slot in so many is left over
	maxPilot  = 1 << (8 * pilotSize)
	maxBytes  = 1 << atBits
)

// Build lays out the vocabulary in which the token with id i has the bytes
// tokens[i]. It fails when a token is empty, too long or there twice, or when all
// of them are too many. The result depends on the tokens only.
func Build(tokens []string) ([]byte, error) {
	if len(tokens) > MaxID+1 {
		return nil, fmt.Errorf("vocab: %d tokens are more than %d", len(tokens), MaxID+1)
	}
	b := builder{tokens: tokens, at: make([]int, len(tokens))}
	total, longest := 0, 0
	seen := make(map[string]int, len(tokens))
	for id, t := range tokens {
		if len(t) == 0 || len(t) > MaxLen {
			return nil, fmt.Errorf("vocab: token %d has %d bytes", id, len(t))
		}
		if other, ok := seen[t]; ok {
			return nil, fmt.Errorf("vocab: tokens %d and %d are the same", other, id)
		}
		seen[t] = id
		b.at[id] = total
		total += len(t)
		longest = max(longest, len(t))
	}
	if total > maxBytes {
		return nil, fmt.Errorf("vocab: the tokens have %d bytes, more than %d", total, maxBytes)
	}
	b.pilots = make([]uint16, len(tokens)/perBucket+1)
	b.slots = make([]uint64, len(tokens)+len(tokens)/spare+1)
	if err := b.lay(); err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	var out []byte
	for _, n := range []int{len(tokens), len(b.pilots), len(b.slots), longest} {
		out = le.AppendUint32(out, uint32(n))
	}
	for _, p := range b.pilots {
		out = le.AppendUint16(out, p)
	}
	for _, s := range b.slots {
		out = le.AppendUint64(out, s)
	}
	for _, t := range tokens {
		out = append(out, t...)
	}
	return out, nil
}

type builder struct {
	tokens []string
	at     []int // where the bytes of a token begin
	pilots []uint16
	slots  []uint64 // 0: free
}

// lay finds a pilot for each bucket, the fullest first, when most slots are free.
func (b *builder) lay() error {
	buckets := make([][]int, len(b.pilots))
	for id, t := range b.tokens {
		i := bucket(hash(t), uint64(len(buckets)))
		buckets[i] = append(buckets[i], id)
	}
	order := make([]int, len(buckets))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(buckets[j]) - len(buckets[i]) })
	for _, i := range order {
		pilot := 0
		for ; !b.put(buckets[i], uint64(pilot)); pilot++ {
			if pilot == maxPilot-1 {
				return fmt.Errorf("vocab: no pilot for %d tokens", len(buckets[i]))
			}
		}
		b.pilots[i] = uint16(pilot)
	}
	return nil
}

// put places the tokens of a bucket, or none of them when a slot is taken.
func (b *builder) put(ids []int, pilot uint64) bool {
	for i, id := range ids {
		h := hash(b.tokens[id])
		p := place(h, pilot, uint64(len(b.slots)))
		if b.slots[p] != 0 {
			for _, id := range ids[:i] {
				b.slots[place(hash(b.tokens[id]), pilot, uint64(len(b.slots)))] = 0
			}
			return false
		}
		b.slots[p] = uint64(id)<<idShift | uint64(b.at[id])<<atShift |
			uint64(len(b.tokens[id]))<<lenShift | h&(1<<checkBits-1)
	}
	return true
}
