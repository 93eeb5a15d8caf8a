package prompttest

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/prompt"
)

// report says how two golden texts differ, by section and line.
func report(want, got string) string {
	changes := prompt.Diff(parse(want), parse(got))
	if len(changes) == 0 {
		return "the files differ in their form only\n" + lineDiff(want, got)
	}
	var b strings.Builder
	for _, c := range changes {
		what := c.What
		switch {
		case c.What == "section":
			what = c.Channel.String() + " section"
		case strings.HasPrefix(c.Before+c.After, "(mute)"):
			what = "mute"
		}
		fmt.Fprintf(&b, "%s %q was %s", what, c.Name, c.Kind)
		switch c.Kind {
		case prompt.Moved:
			b.WriteString(" among the others\n")
		default:
			b.WriteString(" (- golden, + now):\n")
			b.WriteString(lineDiff(c.Before, c.After))
		}
	}
	return b.String()
}

// around is how many equal lines a difference is shown with.
const around = 2

// lineDiff lists the lines that only one text has, with a few lines around them.
func lineDiff(before, after string) string {
	edits := diffLines(lines(before), lines(after))
	var b strings.Builder
	gap := false
	for i, e := range edits {
		if e.mark == ' ' && !near(edits, i) {
			if !gap {
				b.WriteString("\t  …\n")
			}
			gap = true
			continue
		}
		gap = false
		fmt.Fprintf(&b, "\t%c %s\n", e.mark, e.line)
	}
	return b.String()
}

func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func near(edits []edit, i int) bool {
	for j := max(0, i-around); j <= min(len(edits)-1, i+around); j++ {
		if edits[j].mark != ' ' {
			return true
		}
	}
	return false
}

// An edit is a line of one text or both: '-', '+' or ' '.
type edit struct {
	mark byte
	line string
}

// most bounds the table of diffLines; beyond it, everything between the common
// ends counts as replaced.
const most = 1 << 20

func diffLines(a, b []string) []edit {
	var head, tail []edit
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		head = append(head, edit{' ', a[0]})
		a, b = a[1:], b[1:]
	}
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	for _, l := range a[len(a)-n:] {
		tail = append(tail, edit{' ', l})
	}
	return append(append(head, middle(a[:len(a)-n], b[:len(b)-n])...), tail...)
}

// middle finds the longest common run of lines in order.
func middle(a, b []string) (out []edit) {
	common := make([][]int, len(a)+1) // of a[i:] and b[j:]
	for i := range common {
		if len(a)*len(b) > most {
			break
		}
		common[i] = make([]int, len(b)+1)
	}
	if len(a)*len(b) <= most {
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if a[i] == b[j] {
					common[i][j] = common[i+1][j+1] + 1
				} else {
					common[i][j] = max(common[i+1][j], common[i][j+1])
				}
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		table := common[0] != nil
		switch {
		case table && i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, edit{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (!table || j == len(b) || common[i+1][j] >= common[i][j+1]):
			out = append(out, edit{'-', a[i]})
			i++
		default:
			out = append(out, edit{'+', b[j]})
			j++
		}
	}
	return out
}
