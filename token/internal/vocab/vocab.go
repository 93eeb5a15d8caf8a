// Package vocab holds the form in which a vocabulary is embedded: one string in
// which a token is found with two loads and one comparison, and which is used as
// it is, without any work at the start of the program.
//
//	data, err := vocab.Build(tokens) // once, by the generator
//	table := vocab.Open(string(data))
//	id, ok := table.Find("token")
//
// The string holds four parts: a head with the sizes, one pilot for each bucket
// of hashes, the slots, and the bytes of all tokens in the order of their ids. A
// hash selects a bucket; its pilot, chosen by [Build] so that no two tokens share
// a slot, selects the slot. A slot says where the bytes of its token lie, and a
// few more bits of the hash, so that the bytes are seldom compared in vain.
package vocab

import "math/bits"

// Bits of a slot, from the lowest: the check of the hash, the length of the token,
// its place among the bytes, its id.
const (
	checkBits = 17
	lenBits   = 8
	atBits    = 21
	idBits    = 18

	lenShift = checkBits
	atShift  = lenShift + lenBits
	idShift  = atShift + atBits
)

const (
	// MaxID is the largest id that a slot holds.
	MaxID = 1<<idBits - 1
	// MaxLen is the length of the longest token that a slot holds.
	MaxLen = 1<<lenBits - 1
)

const (
	headSize  = 16 // tokens, buckets, slots, longest; four bytes each
	pilotSize = 2
	slotSize  = 8
)

// A Table finds tokens. It is a view of the string given to [Open], and may be
// used concurrently.
type Table struct {
	// Tokens is the number of tokens; the ids are those below it.
	Tokens int
	// Longest is the length of the longest token.
	Longest int

	pilots, slots, bytes string
	buckets, places      uint64
}

// Open returns the table that the string holds. It reads the head only; the
// string must come from [Build].
func Open(data string) Table {
	buckets, places := int(load32(data[4:])), int(load32(data[8:]))
	slots := headSize + buckets*pilotSize
	return Table{
		Tokens:  int(load32(data)),
		Longest: int(load32(data[12:])),
		pilots:  data[headSize:slots],
		slots:   data[slots : slots+places*slotSize],
		bytes:   data[slots+places*slotSize:],
		buckets: uint64(buckets),
		places:  uint64(places),
	}
}

// Find returns the id of the token with these bytes.
func (t *Table) Find(token string) (id int, ok bool) {
	h := hash(token)
	p := bucket(h, t.buckets) * pilotSize
	pilot := uint64(t.pilots[p]) | uint64(t.pilots[p+1])<<8
	slot := load64(t.slots[place(h, pilot, t.places)*slotSize:])
	if slot&(1<<atShift-1) != uint64(len(token))<<lenShift|h&(1<<checkBits-1) {
		return 0, false
	}
	at := slot >> atShift & (1<<atBits - 1)
	if t.bytes[at:at+uint64(len(token))] != token {
		return 0, false
	}
	return int(slot >> idShift), true
}

// All calls f for each token, in no particular order, until it returns false.
func (t *Table) All(f func(id int, token string) bool) {
	for i := 0; i < len(t.slots); i += slotSize {
		slot := load64(t.slots[i:])
		n := slot >> lenShift & (1<<lenBits - 1)
		at := slot >> atShift & (1<<atBits - 1)
		if n > 0 && !f(int(slot>>idShift), t.bytes[at:at+n]) {
			return
		}
	}
}

// Multipliers without structure: fractional digits of pi.
const (
	mulStart = 0x243f6a8885a308d3
	mulWord  = 0x13198a2e03707345
	mulLast  = 0xa4093822299f31d1
	mulPilot = 0x082efa98ec4e6c89
	mulPlace = 0x452821e638d01377
)

// Hash returns a hash of the string that is the same in every process. It is no
// defence against texts made to collide.
func Hash(s string) uint64 { return hash(s) }

func hash(s string) uint64 {
	h := (uint64(len(s)) + 1) * mulStart
	for len(s) > 8 {
		h = fold(h^load64(s), mulWord)
		s = s[8:]
	}
	switch n := len(s); {
	case n == 8:
		h ^= load64(s)
	case n >= 4:
		h ^= uint64(load32(s)) | uint64(load32(s[n-4:]))<<32
	case n > 0:
		h ^= uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	return fold(h, mulLast)
}

func bucket(h, buckets uint64) uint64 { return h >> 32 * buckets >> 32 }

func place(h, pilot, places uint64) uint64 {
	hi, _ := bits.Mul64((h^(pilot+1)*mulPilot)*mulPlace, places)
	return hi
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

func load32(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func load64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
