package stage

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// CutMarker is the last line of a section that a budget cut.
const CutMarker = "[… cut here to fit the token budget]"

var cutOrigin = &span.Origin{Source: "generated:cut", Stage: "budget"}

// cut shortens a section by what is too much, if that leaves it its minimum, and
// reports whether it did.
func (b *budget) cut(i int) bool {
	s, c := &b.a.Sections[i], &b.costs[i]
	if s.Min <= 0 || c.text <= s.Min {
		return false
	}
	total, joints := b.total()
	room := c.text - (total - b.limit)
	// Counting whole channels may find a little more: leave room for that first.
	for _, r := range [...]int{room, room - jointSlack*joints} {
		if r < s.Min || r >= c.text {
			continue
		}
		text, tokens, ok := b.shorten(s, r)
		if !ok {
			continue
		}
		was := *c
		c.was, c.cut, c.text, c.won = was.text, *s, tokens, was.text-tokens
		c.cut.Text = text
		if b.fits() {
			return true
		}
		*c = was
	}
	return false
}

// shorten returns a section's text, cut to at most room tokens with its marker
// and fence, of which at least Min are the section's own words.
func (b *budget) shorten(s *prompt.Section, room int) (out span.Text, tokens int, ok bool) {
	content := Content(*s)
	whole := content.String()
	for _, ends := range [...]func(string) []int{lineEnds, runeEnds} {
		at := ends(whole)
		try := func(n int) (span.Text, int) {
			t := marked(s, content, whole, at[n])
			return t, b.cfg.Count(t.String())
		}
		// Longer texts have more tokens, but for a few at the joints.
		n := sort.Search(len(at), func(n int) bool { _, k := try(n); return k > room })
		for n--; n >= 0; n-- {
			if b.cfg.Count(whole[:at[n]]) < s.Min {
				break
			}
			if out, tokens = try(n); tokens <= room {
				return out, tokens, true
			}
		}
	}
	return nil, 0, false
}

// marked returns the first bytes of a section's content with the marker behind
// them, in the section's fence if it has one.
func marked(s *prompt.Section, content span.Text, whole string, end int) span.Text {
	marker := CutMarker
	if !strings.HasSuffix(whole[:end], "\n") {
		marker = "\n" + marker
	}
	kept := content.Slice(0, end)
	out := append(kept[:len(kept):len(kept)], span.Span{Text: marker, From: cutOrigin, Off: span.NoOffset})
	if fenced(s) {
		return refence(s, out)
	}
	return out
}

// lineEnds returns the places behind each line end but the last byte's.
func lineEnds(s string) (out []int) {
	for i := 0; i < len(s)-1; i++ {
		if s[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// runeEnds returns the places between the runes of s.
func runeEnds(s string) (out []int) {
	for i := 0; i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		if i += n; i < len(s) {
			out = append(out, i)
		}
	}
	return out
}
