package textnorm

// inner is U+FEFF where it is not the first character: an old zero-width space.
// It is kept, because it joins words in some texts, and reported.
const inner = '\uFEFF'

// A flag of a region such as Scotland is a black flag, the region's code in tag
// characters and an end mark.
const (
	flagBase   = '\U0001F3F4'
	flagEnd    = '\U000E007F'
	tagFirst   = '\U000E0000'
	tagLast    = '\U000E007F'
	maxFlagTag = 6
)

// isHidden reports whether r is removed: tag characters, zero-width space, word
// joiner, and the controls that re-order or isolate text. The joiners and the
// direction marks that scripts and emoji need are not among them.
func isHidden(r rune) bool {
	switch {
	case r < 0x200B:
		return false
	case r == 0x200B, r == 0x2060,
		r >= 0x202A && r <= 0x202E,
		r >= 0x2066 && r <= 0x2069,
		r >= tagFirst && r <= tagLast:
		return true
	}
	return false
}

// flag returns how many bytes the flag at n.at takes: only the base if no
// well-formed sequence follows.
func (n *normalizer) flag(base int) int {
	size := base
	for tags := 0; ; tags++ {
		r, k := n.decode(n.src[n.at+size:])
		size += k
		switch {
		case r == flagEnd && tags >= 3:
			return size
		case tags < maxFlagTag && isFlagTag(r):
		default:
			return base
		}
	}
}

// isFlagTag reports whether r is the tag form of a digit or a lower-case letter.
func isFlagTag(r rune) bool {
	c := r - tagFirst
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z'
}
