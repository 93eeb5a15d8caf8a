package tool

import (
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
)

// A Passage is a text of a tool in the prompt: how it is to be used, or a reminder
// of what it keeps.
type Passage struct {
	// Section says where the text stands. In the system channel an order of 0 is the
	// place for such texts.
	Section prompt.SectionDef
	// Source is what the text is read from; nil: the section's Body is the text.
	Source source.Source
	// Needs are tools that the text speaks of. It is left out of a request that does
	// not show them all.
	Needs []string
}

// A Speaker is a [Tool] that brings texts of its own. They are there as long as the
// agent has the tool.
type Speaker interface {
	Tool
	// Passages returns the texts, the same at every call.
	Passages() []Passage
}
