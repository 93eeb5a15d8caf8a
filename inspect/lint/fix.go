package lint

import (
	"cmp"
	"slices"

	"github.com/proemhq/proem/internal/textnorm"
)

// Fixes returns the edits of the findings by file, ascending by path. Of edits that
// overlap the first counts: the others are found again in what it leaves.
func (r Report) Fixes() []Fix {
	var out []Fix
	for _, f := range r.Findings { // ascending by path
		if len(f.Edits) == 0 {
			continue
		}
		if n := len(out); n == 0 || out[n-1].Path != f.Path {
			out = append(out, Fix{Path: f.Path, Before: r.texts[f.Path]})
		}
		fix := &out[len(out)-1]
		if overlaps(fix.Edits, f.Edits) {
			continue
		}
		fix.Edits = append(fix.Edits, f.Edits...)
		fix.Findings = append(fix.Findings, f)
	}
	for i := range out {
		slices.SortFunc(out[i].Edits, byStart)
	}
	return slices.DeleteFunc(out, func(f Fix) bool { return !f.keeps() })
}

// keeps reports whether the model is sent the same text after the repair. It is not
// where a character that was inside a text becomes its first one, and so a mark.
func (f Fix) keeps() bool {
	return textnorm.Bytes([]byte(f.Before), false).Text == textnorm.Bytes([]byte(f.After()), false).Text
}

// A Fix is what repairs a file.
type Fix struct {
	Path     string
	Before   string // the file as it was looked at
	Edits    []Edit // ascending and apart from each other
	Findings []Finding
}

// After returns the file with the edits made.
func (f Fix) After() string { return Apply(f.Before, f.Edits) }

func byStart(a, b Edit) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End)) }

func overlaps(a, b []Edit) bool {
	all := slices.Concat(a, b)
	slices.SortFunc(all, byStart)
	for i := 1; i < len(all); i++ {
		if all[i].Start < all[i-1].End {
			return true
		}
	}
	return false
}

// Apply makes edits in a text. They are ascending, apart from each other and within
// the text; one that is not is left out.
func Apply(text string, edits []Edit) string {
	out := make([]byte, 0, len(text))
	at := 0
	for _, e := range edits {
		if e.Start < at || e.End < e.Start || e.End > len(text) {
			continue
		}
		out = append(out, text[at:e.Start]...)
		out = append(out, e.Text...)
		at = e.End
	}
	return string(append(out, text[at:]...))
}
