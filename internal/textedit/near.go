package textedit

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/internal/near"
)

// The bounds of the search for what somebody may have meant.
const (
	maxNearWork = 32 << 20 // bytes compared
	maxNearLine = 200      // bytes of a line that count
)

// Near says, for an old that is not in the text, where something like it stands
// and how it differs. It is empty if nothing is like it.
func (d *Doc) Near(old string) string {
	old = Shown(old)
	if i := strings.Index(strings.ToLower(d.view.Text), strings.ToLower(old)); i >= 0 && len(strings.ToLower(d.view.Text)) == len(d.view.Text) {
		return fmt.Sprintf("line %d has it in other case: %s", d.Line(i), quoteLine(d.view.Text[i:]))
	}
	want := strings.Split(strings.Trim(old, "\n"), "\n")
	lines := strings.Split(d.view.Text, "\n")
	if i := sameButSpace(lines, want); i >= 0 {
		for k, w := range want {
			if have := lines[i+k]; have != w {
				return fmt.Sprintf("line %d differs in white space only: the file has %s, old has %s", i+k+1, quoteLine(have), quoteLine(w))
			}
		}
		return fmt.Sprintf("it is at line %d but for the line ends at its beginning or end", i+1)
	}
	return likest(lines, want)
}

// sameButSpace returns the first line from which on all lines are those wanted
// but for white space, or -1.
func sameButSpace(lines, want []string) int {
	fold := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	folded := make([]string, len(want))
	for i, w := range want {
		folded[i] = fold(w)
	}
	if strings.Join(folded, "") == "" {
		return -1
	}
next:
	for i := 0; i+len(want) <= len(lines); i++ {
		for k, w := range folded {
			if fold(lines[i+k]) != w {
				continue next
			}
		}
		return i
	}
	return -1
}

// likest describes the line that is most like the first line of old that says
// something, and for a longer old the line in which they begin to differ.
func likest(lines, want []string) string {
	first := 0
	for first < len(want)-1 && len(strings.TrimSpace(want[first])) < 3 {
		first++
	}
	w := clip(strings.TrimSpace(want[first]))
	best, least, work := -1, (len(w)+1)/2, 0
	for i, l := range lines {
		l = clip(strings.TrimSpace(l))
		if d := len(l) - len(w); d >= least || -d >= least {
			continue
		}
		if work += len(w) * len(l); work > maxNearWork {
			break
		}
		if d := near.Distance(w, l); d < least {
			best, least = i, d
			if d == 0 {
				break
			}
		}
	}
	if best < 0 {
		return ""
	}
	for k := first; k < len(want) && best+k-first < len(lines); k++ {
		if have := lines[best+k-first]; have != want[k] {
			return fmt.Sprintf("the most similar place is line %d: the file has %s, old has %s", best+k-first+1, quoteLine(have), quoteLine(want[k]))
		}
	}
	return fmt.Sprintf("the most similar place is line %d", best+1)
}

func clip(s string) string {
	if len(s) > maxNearLine {
		return s[:maxNearLine]
	}
	return s
}

// quoteLine quotes the first line of s, cut where it is long.
func quoteLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if r := []rune(s); len(r) > maxNearLine {
		return fmt.Sprintf("%q…", string(r[:maxNearLine]))
	}
	return fmt.Sprintf("%q", s)
}
