package prompt

import (
	"errors"
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
	// Rule is why the source took the document, as a sentence for people without its
	// full stop; empty: not said.
	Rule string
}

// Facts is an immutable set of facts. The same pointer means the same facts: a
// gatherer that found nothing changed returns the previous value, and whoever
// composes can then reuse its previous result.
type Facts struct {
	names []string // ascending
	facts []fact   // beside names
}

// A fact is a Fact in little room, because there is a set of them for every
// session: most have a text and nothing else.
type fact struct {
	text, ref string
	full      *Fact // nil: there is no more to it
	none      bool
	class     Class
	trust     span.Trust
}

func pack(f Fact) fact {
	out := fact{text: f.Text, ref: f.Ref, none: f.None, class: f.Class, trust: f.Trust}
	if f.Err != nil || f.Spans != nil || f.Tools != nil || f.Known != nil || f.Docs != nil || f.Notes != nil || f.Diagnostics != nil {
		out.full = &f
	}
	return out
}

func (f *fact) unpack() Fact {
	if f.full != nil {
		return *f.full
	}
	return Fact{Text: f.text, Ref: f.ref, None: f.none, Class: f.class, Trust: f.trust}
}

// err returns why there is no fact; f may be nil.
func (f *fact) err() error {
	switch {
	case f == nil:
		return errNotGathered
	case f.full != nil:
		return f.full.Err
	}
	return nil
}

var errNotGathered = errors.New("the fact was not gathered")

// same reports whether both say the same. Parts of the same memory are not
// looked at.
func (f *fact) same(g *fact) bool {
	return f.text == g.text && f.ref == g.ref && f.none == g.none && f.class == g.class && f.trust == g.trust &&
		(f.full == g.full || f.full != nil && g.full != nil && f.full.Equal(*g.full))
}

// NewFacts returns the given facts. The map is not kept; texts are shared. A nil
// *Facts is the empty set.
func NewFacts(m map[string]Fact) *Facts {
	f := &Facts{names: slices.Sorted(maps.Keys(m)), facts: make([]fact, 0, len(m))}
	for _, n := range f.names {
		f.facts = append(f.facts, pack(m[n]))
	}
	return f
}

// Next returns the facts that were read under the given names, which are those
// of [Plan.Needs]: ascending and without duplicates. A fact that says what it
// said in f keeps its old value, and if all do and the names are the same, Next
// returns f itself. The names are kept and not to be changed; f may be nil.
func (f *Facts) Next(names []string, read []Fact) *Facts {
	next := &Facts{names: names, facts: make([]fact, len(names))}
	same := f != nil && slices.Equal(f.names, names)
	for i, n := range names {
		now := pack(read[i])
		if old := f.find(i, n); old != nil && old.same(&now) {
			next.facts[i] = *old
			continue
		}
		same = false
		next.facts[i] = now
	}
	if same {
		return f
	}
	return next
}

// Get returns the fact of that name.
func (f *Facts) Get(name string) (Fact, bool) {
	if v := f.find(0, name); v != nil {
		return v.unpack(), true
	}
	return Fact{}, false
}

// find returns the fact of a name, or nil. It looks at the given place first.
func (f *Facts) find(place int, name string) *fact {
	if f == nil {
		return nil
	}
	if place < len(f.names) && f.names[place] == name {
		return &f.facts[place]
	}
	if i, ok := slices.BinarySearch(f.names, name); ok {
		return &f.facts[i]
	}
	return nil
}

// Names returns the names in ascending order. The slice is not to be changed.
func (f *Facts) Names() []string {
	if f == nil {
		return nil
	}
	return f.names
}

// Len returns the number of facts.
func (f *Facts) Len() int {
	if f == nil {
		return 0
	}
	return len(f.names)
}
