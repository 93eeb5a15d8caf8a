package prompt

import (
	"maps"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

// A Fact is what a source read: a text, or several documents, or a set of
// tools.
type Fact struct {
	Text string
	// Spans, if not nil, says where the pieces of Text came from and reads as
	// Text. Without it, Text is one span at offset 0 of Ref.
	Spans span.Text
	Ref   string // the file or address it was read from, or empty
	// None says that there is no value: a variable without one, a section that
	// does not exist at present.
	None  bool
	Err   error // its source failed; Text is not used
	Class Class
	Trust span.Trust
	Tools []chat.ToolSpec
	Known []string // as in ToolDef
	// Docs, if not nil, are several documents found by one source, such as the
	// instruction files of a project. Each becomes a section of its own, in this
	// order, at the place of the section that names the fact.
	Docs []Doc
	// Notes says what the source left out on purpose, such as a file that another
	// one shadows.
	Notes []Note
	// Diagnostics is what a person should know about the reading.
	Diagnostics []Diagnostic
}

// A Doc is one document of a fact.
type Doc struct {
	Name    string // of the section, such as "project:AGENTS.md"; unique within the fact
	Text    string
	Spans   span.Text // as in Fact
	Path    string
	Aliases []string // other paths under which the same document was found
	SHA256  string   // of the bytes as read, in hex; empty: not known
	Class   Class
	Trust   span.Trust
}

// Facts is an immutable set of facts. The same pointer means the same facts: a
// gatherer that found nothing changed returns the previous value, and whoever
// composes can then reuse its previous result.
type Facts struct{ m map[string]Fact }

// NewFacts returns the given facts. The map is copied; texts are shared. A nil
// *Facts is the empty set.
func NewFacts(m map[string]Fact) *Facts { return &Facts{m: maps.Clone(m)} }

// Get returns the fact of that name.
func (f *Facts) Get(name string) (Fact, bool) {
	if f == nil {
		return Fact{}, false
	}
	v, ok := f.m[name]
	return v, ok
}

// Names returns the names in ascending order.
func (f *Facts) Names() []string {
	if f == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(f.m))
}

// Len returns the number of facts.
func (f *Facts) Len() int {
	if f == nil {
		return 0
	}
	return len(f.m)
}
