package prompt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// Hash returns the SHA-256, in hex, of everything of the assembly that can reach
// a model: sections with their channels and separators in order, heads, and
// tools. Origins, notes and variables are no part of it. Assemblies with equal
// hashes render alike.
func (a Assembly) Hash() string {
	h := sha256.New()
	put(h, "proem.assembly/2")
	for ch := range Channels {
		put(h, ch.String())
		parts := a.Parts(ch)
		size(h, len(parts))
		for _, p := range parts {
			put(h, p.Name)
			put(h, p.Sep)
			size(h, p.Text.Len())
			for i := range p.Text {
				h.Write([]byte(p.Text[i].Text))
			}
		}
	}
	size(h, len(a.Tools))
	for i := range a.Tools {
		t := &a.Tools[i]
		put(h, t.Name)
		put(h, t.Description)
		put(h, string(t.Parameters))
		if t.Strict {
			size(h, 1)
		} else {
			size(h, 0)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// put writes a string in a form that no other strings can imitate.
func put(h hash.Hash, s string) {
	size(h, len(s))
	h.Write([]byte(s))
}

func size(h hash.Hash, n int) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], uint64(n))
	h.Write(b[:])
}
