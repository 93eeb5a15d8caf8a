package memory

import (
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
)

// A Guidance is what a prompt says about the memory. It names the tools that are
// there and promises nothing else; the zero value says nothing.
type Guidance struct {
	Search string // the name of the tool that searches; empty: there is none
	Get    string // that returns lines
	Save   string // that saves
	// Extracts says that what is worth it is written down after each turn.
	Extracts bool
}

// GuidanceFor returns the guidance for the tools among specs that are memory's.
func GuidanceFor(specs []chat.ToolSpec, extracts bool) Guidance {
	has := func(name string) string {
		if slices.ContainsFunc(specs, func(s chat.ToolSpec) bool { return s.Name == name }) {
			return name
		}
		return ""
	}
	return Guidance{Search: has(SearchName), Get: has(GetName), Save: has(SaveName), Extracts: extracts}
}

// Recall says when to look into the memory; empty without a tool that does.
func (g Guidance) Recall() string {
	if g.Search == "" && g.Get == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("Before you answer about past work, decisions, dates, people or preferences, ")
	switch {
	case g.Search != "" && g.Get != "":
		b.WriteString("search MEMORY.md and memory/*.md with " + g.Search + " and read the hits with " + g.Get)
	case g.Search != "":
		b.WriteString("search MEMORY.md and memory/*.md with " + g.Search)
	default:
		b.WriteString("read MEMORY.md and memory/*.md with " + g.Get)
	}
	b.WriteString("; cite path and line where it helps.")
	return b.String()
}

// Persistence says what to save; empty if nothing is ever saved.
func (g Guidance) Persistence() string {
	const worth = "preferences, background, decisions, results, to-dos"
	switch {
	case g.Save != "" && g.Extracts:
		return "Save what will matter later with " + g.Save + ": " + worth + ". Short entries, none twice. What else is worth keeping is written down after your answer."
	case g.Save != "":
		return "Save what will matter later with " + g.Save + ": " + worth + ". Short entries, none twice."
	case g.Extracts:
		return "What is worth keeping (" + worth + ") is written down after your answer; you need not save it."
	}
	return ""
}
