package span

import (
	"cmp"
	"slices"
	"strings"
)

// Reanchor returns a Text that reads s and keeps, line by line, the origin of
// what s has in common with t; everything else comes from by, without an
// offset. Where a run of lines was replaced by as many others, they are taken for
// edits of each other, and an edited line keeps the origin of the part before the
// first and after the last changed rune.
//
// Lines are matched first at both ends, then by lines that occur exactly once
// on either side, in order (patience), and so on between those, a bounded number
// of times. The cost is n log n in the number of lines, whatever they say; the
// result is deterministic.
func (t Text) Reanchor(s string, by Origin) Text {
	old := t.String()
	if old == s {
		return t
	}
	r := reanchor{from: t, old: old, new: s, by: &by}
	r.match(splitLines(old), splitLines(s), maxNesting)
	r.flush(len(old), len(s))
	return r.out
}

// maxNesting is how often lines are matched between matched lines. Text of
// people and programs needs three or four levels; without a bound, text made for
// the purpose would need one for every few lines.
const maxNesting = 16

// line is a line of a text with its line end, as a range of bytes.
type line struct{ lo, hi int }

func splitLines(s string) []line {
	out := make([]line, 0, strings.Count(s, "\n")+1)
	for at := 0; at < len(s); {
		n := strings.IndexByte(s[at:], '\n') + 1
		if n == 0 {
			n = len(s) - at
		}
		out = append(out, line{at, at + n})
		at += n
	}
	return out
}

// reanchor builds the output in order. The ranges up to doneOld and doneNew
// have been written.
type reanchor struct {
	from             Text
	old, new         string
	by               *Origin
	out              Text
	doneOld, doneNew int
	cursor           int // span of from that holds cursorAt
	cursorAt         int // offset in old at which that span starts
}

func (r *reanchor) same(a, b line) bool { return r.old[a.lo:a.hi] == r.new[b.lo:b.hi] }

// match walks two runs of lines and keeps those that correspond.
func (r *reanchor) match(a, b []line, nesting int) {
	for len(a) > 0 && len(b) > 0 && r.same(a[0], b[0]) {
		r.keep(a[0].lo, a[0].hi, b[0].lo)
		a, b = a[1:], b[1:]
	}
	tail := 0
	for tail < len(a) && tail < len(b) && r.same(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	ends, bends := a[len(a)-tail:], b[len(b)-tail:]
	a, b = a[:len(a)-tail], b[:len(b)-tail]
	if len(a) > 0 && len(b) > 0 {
		var anchors []pair
		if nesting > 0 {
			anchors = r.anchors(a, b)
		}
		i, j := 0, 0
		for _, p := range anchors {
			r.match(a[i:p.a], b[j:p.b], nesting-1)
			r.keep(a[p.a].lo, a[p.a].hi, b[p.b].lo)
			i, j = p.a+1, p.b+1
		}
		if len(anchors) > 0 {
			r.match(a[i:], b[j:], nesting-1)
		} else if len(a) == len(b) {
			for k := range a {
				r.edit(a[k], b[k])
			}
		}
	}
	for i := range ends {
		r.keep(ends[i].lo, ends[i].hi, bends[i].lo)
	}
}

type pair struct{ a, b int }

// anchors returns the lines that occur once in a and once in b, in an order
// that holds in both.
func (r *reanchor) anchors(a, b []line) []pair {
	type seen struct{ inA, inB, a, b int }
	lines := make(map[string]*seen, len(a))
	for i, l := range a {
		s := lines[r.old[l.lo:l.hi]]
		if s == nil {
			s = &seen{}
			lines[r.old[l.lo:l.hi]] = s
		}
		s.inA++
		s.a = i
	}
	var pairs []pair
	for j, l := range b {
		if s := lines[r.new[l.lo:l.hi]]; s != nil {
			s.inB++
			s.b = j
		}
	}
	for i, l := range a {
		if s := lines[r.old[l.lo:l.hi]]; s.inA == 1 && s.inB == 1 {
			pairs = append(pairs, pair{i, s.b})
		}
	}
	return longestIncreasing(pairs)
}

// longestIncreasing returns the longest run of pairs, already ascending in a,
// that also ascends in b.
func longestIncreasing(pairs []pair) []pair {
	var tops []int // tops[k]: index of the smallest b that ends a run of k+1
	prev := make([]int, len(pairs))
	for i, p := range pairs {
		k, _ := slices.BinarySearchFunc(tops, p.b, func(t, b int) int { return cmp.Compare(pairs[t].b, b) })
		prev[i] = -1
		if k > 0 {
			prev[i] = tops[k-1]
		}
		if k == len(tops) {
			tops = append(tops, i)
		} else {
			tops[k] = i
		}
	}
	if len(tops) == 0 {
		return nil
	}
	out := make([]pair, len(tops))
	for i, k := tops[len(tops)-1], len(out)-1; k >= 0; k-- {
		out[k] = pairs[i]
		i = prev[i]
	}
	return out
}

// keep writes what stands before the kept range, then old[lo:hi] with its
// origins, which reads the same as new from newLo on.
func (r *reanchor) keep(lo, hi, newLo int) {
	r.flush(lo, newLo)
	r.copy(lo, hi)
	r.doneOld, r.doneNew = hi, newLo+hi-lo
}

// edit writes a line that was edited into another.
func (r *reanchor) edit(a, b line) {
	r.flush(a.lo, b.lo)
	r.flush(a.hi, b.hi)
}

// flush writes the text that replaces old[doneOld:lo]: the common ends of both
// keep their origins, the middle is new.
func (r *reanchor) flush(lo, newLo int) {
	a, b := r.old[r.doneOld:lo], r.new[r.doneNew:newLo]
	if b != "" {
		head := commonPrefix(a, b)
		tail := commonSuffix(a[head:], b[head:])
		if a == "" {
			head, tail = 0, 0
		}
		r.copy(r.doneOld, r.doneOld+head)
		if mid := b[head : len(b)-tail]; mid != "" {
			r.out = append(r.out, Span{Text: mid, From: r.by, Off: NoOffset})
		}
		r.copy(lo-tail, lo)
	}
	r.doneOld, r.doneNew = lo, newLo
}

func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	return min(runeStart(a, i), runeStart(b, i))
}

func commonSuffix(a, b string) int {
	n := min(len(a), len(b))
	i := 0
	for i < n && a[len(a)-1-i] == b[len(b)-1-i] {
		i++
	}
	for i > 0 && (runeStart(a, len(a)-i) != len(a)-i || runeStart(b, len(b)-i) != len(b)-i) {
		i--
	}
	return i
}

// copy appends old[lo:hi] with its origins. Ranges are asked for in ascending
// order, so one cursor over the spans serves all of them.
func (r *reanchor) copy(lo, hi int) {
	for lo < hi {
		s := &r.from[r.cursor]
		end := r.cursorAt + len(s.Text)
		if end <= lo {
			r.cursor++
			r.cursorAt = end
			continue
		}
		to := min(hi, end)
		c := s.cut(lo-r.cursorAt, to-r.cursorAt)
		if n := len(r.out); n > 0 && follows(r.old, &r.out[n-1], &c, lo) {
			r.out[n-1].Text = r.old[lo-len(r.out[n-1].Text) : to]
		} else {
			r.out = append(r.out, c)
		}
		lo = to
	}
}

// follows reports whether c continues p in the same source, so that both can be
// one span. Only then does p's text stand right before lo in old.
func follows(old string, p, c *Span, lo int) bool {
	return p.From == c.From && p.Template == c.Template && p.Off >= 0 &&
		p.Off+int32(len(p.Text)) == c.Off &&
		lo >= len(p.Text) && old[lo-len(p.Text):lo] == p.Text
}
