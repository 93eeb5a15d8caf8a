package prompt

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

// A Body is the text of a section or variable: a literal, or the name of a fact
// that a source provides at each step. A Body is data; it never computes.
type Body struct {
	Literal string
	Fact    string // if not empty, the text is that of this fact
	// Template says that the author wrote {{references}} to be replaced by
	// variables. Without it, braces are ordinary text.
	Template bool
}

// A SectionDef is a named, ordered contribution to one channel. Within a layer
// a name is unique per channel; a nearer layer's section shadows a farther one
// of the same channel and name.
type SectionDef struct {
	Name    string
	Channel Channel
	Order   float64 // finite; lower stands first, ties by name
	Class   Class
	Trust   span.Trust // who wrote the text; a fact may lower the trust, never raise it
	Source  string     // what kind of source, for people; empty: "literal" or the fact's name
	Path    string     // the file a literal was read from, or empty
	Sep     string     // stands before the section if another precedes it; empty: a blank line
	// Sole makes this section the only one of its channel. Two visible sole
	// sections in one channel are a fault.
	Sole     bool
	Required bool // never cut by a budget; its failed source is a fault
	Priority int  // under a budget the lowest goes first
	Min      int  // the least it may be cut to, in tokens; 0: kept whole or dropped
	Body     Body
}

// A VarDef gives a name to a value that template sections may refer to. Names
// match [a-z][a-z0-9_]*. A nearer layer's variable replaces a farther one's
// value.
type VarDef struct {
	Name string
	Body Body
}

// A ToolDef contributes tools. Definitions are anonymous: any number may stand
// in a layer.
type ToolDef struct {
	Specs []chat.ToolSpec
	// Known are the names that exist whether or not they are shown at present;
	// nil: the names of Specs. An empty list that is not nil knows no names.
	Known []string
	Fact  string // if not empty, specs and known names are those of this fact
}

// A Layer holds the registrations of one owner, in the order in which they were
// made. The layer of scope "" is global.
type Layer struct {
	Scope    string
	Sections []SectionDef
	Vars     []VarDef
	Tools    []ToolDef
	Mutes    []Channel // channels switched off for whoever sees this layer
}
