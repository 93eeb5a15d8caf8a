package main

import (
	"unicode"

	"github.com/proemhq/proem/token/internal/vocab"
)

// class returns the class of a rune in Unicode 16, which the reference encoder
// uses: the tables of package unicode, and what they may lack.
func class(r rune) vocab.Class {
	const letter = vocab.Upper | vocab.Lower
	switch {
	case r == '\n' || r == '\r':
		return vocab.Space | vocab.Break
	case unicode.Is(unicode.White_Space, r):
		return vocab.Space
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return vocab.Upper
	case unicode.Is(unicode.Ll, r):
		return vocab.Lower
	case unicode.In(r, unicode.Lm, unicode.Lo):
		return letter
	case unicode.Is(unicode.M, r):
		return letter | vocab.Mark
	case unicode.Is(unicode.N, r):
		return vocab.Number
	}
	for _, a := range added {
		if a.lo <= r && r <= a.hi {
			return a.class
		}
	}
	return 0
}

// added holds what Unicode 15.1 and 16 assigned: the tables of package unicode are
// those of version 15 in Go 1.26. In a later Go, they say the same of these runes.
var added = []struct {
	lo, hi rune
	class  vocab.Class
}{
	{0x897, 0x897, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x1c89, 0x1c89, vocab.Upper},
	{0x1c8a, 0x1c8a, vocab.Lower},
	{0xa7cb, 0xa7cc, vocab.Upper},
	{0xa7cd, 0xa7cd, vocab.Lower},
	{0xa7da, 0xa7da, vocab.Upper},
	{0xa7db, 0xa7db, vocab.Lower},
	{0xa7dc, 0xa7dc, vocab.Upper},
	{0x105c0, 0x105f3, vocab.Upper | vocab.Lower},
	{0x10d40, 0x10d49, vocab.Number},
	{0x10d4a, 0x10d4f, vocab.Upper | vocab.Lower},
	{0x10d50, 0x10d65, vocab.Upper},
	{0x10d69, 0x10d6d, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x10d6f, 0x10d6f, vocab.Upper | vocab.Lower},
	{0x10d70, 0x10d85, vocab.Lower},
	{0x10ec2, 0x10ec4, vocab.Upper | vocab.Lower},
	{0x10efc, 0x10efc, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x11380, 0x11389, vocab.Upper | vocab.Lower},
	{0x1138b, 0x1138b, vocab.Upper | vocab.Lower},
	{0x1138e, 0x1138e, vocab.Upper | vocab.Lower},
	{0x11390, 0x113b5, vocab.Upper | vocab.Lower},
	{0x113b7, 0x113b7, vocab.Upper | vocab.Lower},
	{0x113b8, 0x113c0, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x113c2, 0x113c2, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x113c5, 0x113c5, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x113c7, 0x113ca, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x113cc, 0x113d0, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x113d1, 0x113d1, vocab.Upper | vocab.Lower},
	{0x113d2, 0x113d2, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x113d3, 0x113d3, vocab.Upper | vocab.Lower},
	{0x113e1, 0x113e2, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x116d0, 0x116e3, vocab.Number},
	{0x11bc0, 0x11be0, vocab.Upper | vocab.Lower},
	{0x11bf0, 0x11bf9, vocab.Number},
	{0x11f5a, 0x11f5a, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x13460, 0x143fa, vocab.Upper | vocab.Lower},
	{0x16100, 0x1611d, vocab.Upper | vocab.Lower},
	{0x1611e, 0x1612f, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x16130, 0x16139, vocab.Number},
	{0x16d40, 0x16d6c, vocab.Upper | vocab.Lower},
	{0x16d70, 0x16d79, vocab.Number},
	{0x18cff, 0x18cff, vocab.Upper | vocab.Lower},
	{0x1ccf0, 0x1ccf9, vocab.Number},
	{0x1e5d0, 0x1e5ed, vocab.Upper | vocab.Lower},
	{0x1e5ee, 0x1e5ef, vocab.Upper | vocab.Lower | vocab.Mark},
	{0x1e5f0, 0x1e5f0, vocab.Upper | vocab.Lower},
	{0x1e5f1, 0x1e5fa, vocab.Number},
	{0x2ebf0, 0x2ee5d, vocab.Upper | vocab.Lower},
}
