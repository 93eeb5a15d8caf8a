package agent

import (
	"slices"
	"unicode/utf8"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// validAssembly returns the assembly with texts that a log can keep. A log has no
// bytes that are not UTF-8: a prefix that is read from it again must be the one
// that was sent.
func validAssembly(a prompt.Assembly) prompt.Assembly {
	broken := func(s span.Span) bool { return !utf8.ValidString(s.Text) }
	cloned := false
	for i := range a.Sections {
		if !slices.ContainsFunc(a.Sections[i].Text, broken) {
			continue
		}
		if !cloned {
			a.Sections, cloned = slices.Clone(a.Sections), true
		}
		t := slices.Clone(a.Sections[i].Text)
		for k := range t {
			t[k].Text = validUTF8(t[k].Text)
		}
		a.Sections[i].Text = t
	}
	return a
}
