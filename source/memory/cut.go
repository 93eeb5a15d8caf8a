package memory

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/span"
)

// meter counts tokens.
type meter func(string) int

// atMost counts s if it has at most limit tokens; otherwise it returns more than
// limit, without counting all of a long text.
func (m meter) atMost(s string, limit int) int {
	limit = max(limit, 0)
	for size := 16 * (limit + 1); size < len(s); size *= 2 {
		if n := m(s[:runeBefore(s, size)]); n > limit {
			return n
		}
	}
	return m(s)
}

// head returns how many bytes of the beginning of s have at most limit tokens,
// up to the end of a line if one ends not far before.
func (m meter) head(s string, limit int) int {
	if limit <= 0 {
		return 0
	}
	k := runeBefore(s, m.search(len(s), limit, func(n int) string { return s[:runeBefore(s, n)] }))
	if i := strings.LastIndexByte(s[:k], '\n') + 1; k < len(s) && i > k/2 {
		k = i
	}
	return k
}

// tail returns where the longest end of s begins that has at most limit tokens:
// at an entry if one begins not far behind, else at a line.
func (m meter) tail(s string, limit int) int {
	if limit <= 0 {
		return len(s)
	}
	n := m.search(len(s), limit, func(n int) string { return s[runeAfter(s, len(s)-n):] })
	at := runeAfter(s, len(s)-n)
	if at == 0 {
		return 0
	}
	line := at
	if s[at-1] != '\n' {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 || i+1 > (len(s)-at)/2 {
			return at
		}
		line += i + 1
	}
	for next := line; next-at <= (len(s)-at)/4; {
		if beginsEntry(s[next:]) {
			return next
		}
		i := strings.IndexByte(s[next:], '\n')
		if i < 0 {
			break
		}
		next += i + 1
	}
	return line
}

// beginsEntry reports whether a line could be the first of an entry.
func beginsEntry(s string) bool {
	return strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "* ") || strings.HasPrefix(s, "#")
}

// search returns the largest number of bytes, up to size, for which part has at
// most limit tokens. It looks at small parts first.
func (m meter) search(size, limit int, part func(int) string) int {
	low, high := 0, min(size, 4*limit)
	for m(part(high)) <= limit {
		low = high
		if high == size {
			return size
		}
		high = min(size, 2*high)
	}
	for high-low > 1 {
		mid := (low + high) / 2
		if m(part(mid)) <= limit {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// runeBefore moves i down to the start of a character.
func runeBefore(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	for i > 0 && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// runeAfter moves i up to the start of a character.
func runeAfter(s string, i int) int {
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return i
}

// headMark stands behind the beginning of a file.
func headMark(kept int, size int64) string {
	return fmt.Sprintf("\n[cut here: the first %d of %d bytes of this file are shown]\n", kept, size)
}

// tailMark stands before the end of a file.
func tailMark(kept int, size int64) string {
	return fmt.Sprintf("[older entries are cut: the last %d of %d bytes of this file are shown]\n\n", kept, size)
}

var markOrigin = span.Generated("truncated")

func mark(s string) span.Text { return span.OfGenerated(s, markOrigin) }

// cutHead keeps the beginning of a text in at most limit tokens, with a mark. It
// is nil if nothing worth showing remains.
func (m meter) cutHead(t span.Text, size int64, limit int) (span.Text, int) {
	s, room := t.String(), limit
	limit -= m(headMark(len(s), size))
	for kept := m.head(s, limit); strings.TrimSpace(s[:kept]) != ""; kept = m.head(s[:kept], limit) {
		text := headMark(kept, size)
		if strings.HasSuffix(s[:kept], "\n") {
			text = text[1:]
		}
		out := span.Concat(t.Slice(0, kept), mark(text))
		over := m(out.String()) - room
		if over <= 0 {
			return out, kept
		}
		limit -= over // counts of parts do not add up exactly
	}
	return nil, 0
}

// cutTail keeps the end of a text in at most limit tokens, with a mark.
func (m meter) cutTail(t span.Text, size int64, limit int) (span.Text, int) {
	s, room := t.String(), limit
	limit -= m(tailMark(len(s), size))
	for at := m.tail(s, limit); strings.TrimSpace(s[at:]) != ""; at += m.tail(s[at:], limit) {
		out := span.Concat(mark(tailMark(len(s)-at, size)), t.Slice(at, len(s)))
		over := m(out.String()) - room
		if over <= 0 {
			return out, len(s) - at
		}
		limit -= over
	}
	return nil, 0
}
