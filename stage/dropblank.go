package stage

import (
	"slices"

	"github.com/proemhq/proem/prompt"
)

// DropBlank returns a stage that removes sections without text and sections of
// white space only. The latter would have been sent, so each leaves a note.
func DropBlank() prompt.Stage {
	return prompt.Stage{
		Name: "drop-blank",
		Doc:  "removes sections that are empty or white space",
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			return dropBlank(a), nil
		},
	}
}

func dropBlank(a prompt.Assembly) prompt.Assembly {
	blank := func(s prompt.Section) bool { return s.Text.IsBlank() }
	first := slices.IndexFunc(a.Sections, blank)
	if first < 0 {
		return a
	}
	kept := append(make([]prompt.Section, 0, len(a.Sections)-1), a.Sections[:first]...)
	a.Notes = slices.Clip(a.Notes)
	for _, s := range a.Sections[first:] {
		if !blank(s) {
			kept = append(kept, s)
			continue
		}
		if hasText(s) {
			a.Notes = append(a.Notes, prompt.Note{Name: s.Name, Path: path(s.From), Stage: "drop-blank", From: s.From,
				Reason: "the section is white space only"})
		}
	}
	a.Sections = kept
	return a
}
