// Package subagents reads the declarations of subagents: Markdown files whose
// front matter names and describes an agent, and whose body is its prompt.
//
//	---
//	name: rev
//	description: reviews a change
//	inherit: [project, user]
//	tools: [read_file, grep]
//	steps: 20
//	---
//	You review.
//
// A [Source] finds them and is the source of their list for the prompt; whoever
// starts a subagent asks it for the declaration:
//
//	src := subagents.New(subagents.Config{
//		Places: []subagents.Place{{Scope: "project", Root: "/w", Dir: ".proem/subagents", Trust: span.Workspace}},
//		Tool:   "agent_spawn",
//	})
//	fact, err := src.Read(ctx, source.Query{}) // "- rev: reviews a change"
//	d, err := src.Find(ctx, "rev")
//	d.Prompt.String()                          // "You review.\n"
//
// A declaration is data: nothing in it is run. One that cannot be read is reported
// with its path and line and hides no other. As long as nothing changed, a step
// costs the stats of the directory and of each file.
package subagents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

// Stage is the Stage of the notes of this source.
const Stage = "source subagents"

// What a subagent may inherit of its parent's prompt.
const (
	Base      = "base"      // the system prompt and the instructions
	Project   = "project"   // the instruction files of the project
	User      = "user"      // the user's own instruction file
	Workspace = "workspace" // persona, memory, knowledge
	Skills    = "skills"    // the list of skills
	Runtime   = "runtime"   // how the loop works, the date, the environment
)

// A Mode says how an agent can be started.
type Mode string

// The modes.
const (
	All      Mode = ""         // by the user and by other agents
	Primary  Mode = "primary"  // by the user only
	Subagent Mode = "subagent" // by other agents only
)

// A Declaration describes a subagent. It is shared and not to be changed.
type Declaration struct {
	Name        string // one line without blanks at its ends
	Description string // as written; shown on one line
	// Inherit is what the subagent sees of its parent's prompt, of the names above.
	// Nil: the file does not say, which is Runtime; empty: nothing but its own prompt.
	Inherit []string
	Model   string   // empty: the parent's
	Tools   []string // nil: the file does not say; empty: none
	Steps   int      // at most so many; 0: the file does not say
	Hidden  bool     // not listed; it can be started by whoever knows its name
	Mode    Mode
	Prompt  span.Text // the body
	Path    string    // of the file, or empty
	Trust   span.Trust
	SHA256  string // of the file, in hex, or empty
}

// Listed reports whether the model is told of it.
func (d *Declaration) Listed() bool { return !d.Hidden && d.Mode != Primary }

// A Place is a directory with declarations.
type Place struct {
	Scope string // what tells its declarations from others of the same name; it holds no @
	Root  string // absolute: no link leads out of it, such as the project's root
	Dir   string // slash-separated, below Root; each *.md in it is a declaration
	Trust span.Trust
}

// A Config says where declarations lie. The zero value finds none.
type Config struct {
	Env     *env.Env      // nil: the operating system's
	Loader  *load.Loader  // nil: one of its own
	Builtin []Declaration // those of the program; any place's go before them
	Places  []Place       // from low to high precedence: the last one with a name has it
	// ListMaxBytes is the budget of the list in the prompt; 0: DefaultListMaxBytes.
	ListMaxBytes int
	Tool         string // the name of the tool that starts a subagent; empty: none is named
	Head, Foot   string // around the lines; both empty: a heading and how to use the list
}

// A Source finds declarations. It may be used concurrently.
type Source struct {
	cfg    Config
	loader *load.Loader

	mu   sync.Mutex
	last *state
}

var _ source.Source = (*Source)(nil)

// New returns a source. Nothing is read yet; what is wrong with c is reported
// when it is used.
func New(c Config) *Source {
	s := &Source{cfg: c, loader: c.Loader}
	if s.loader == nil {
		s.loader = load.New(c.Env)
	}
	return s
}

// state is one look at all places, and what follows from it.
type state struct {
	looks   []look
	catalog *Catalog
	fact    prompt.Fact
}

// A Catalog is all that was found. It is shared and not to be changed.
type Catalog struct {
	Entries     []Entry // by name; of one name the one that has it first
	Notes       []prompt.Note
	Diagnostics []prompt.Diagnostic
	path        string
}

// An Entry is a declaration of a place.
type Entry struct {
	Declaration
	Scope      string // "builtin" for those of the program
	ShadowedBy string // the one that has the name instead, such as "rev@project"; empty: none
}

// Ref returns the name by which this very declaration is found, such as
// "rev@user".
func (e *Entry) Ref() string { return e.Name + "@" + e.Scope }

// builtin is the scope of the program's own declarations.
const builtin = "builtin"

// ErrUnknown says that there is no declaration of a name.
var ErrUnknown = errors.New("there is no such subagent")

// Read returns the list of those that are not hidden, or None if there are none.
func (s *Source) Read(ctx context.Context, _ source.Query) (prompt.Fact, error) {
	st, err := s.look(ctx)
	if err != nil {
		return prompt.Fact{}, err
	}
	return st.fact, nil
}

// Catalog returns all declarations, also those that others shadow.
func (s *Source) Catalog(ctx context.Context) (*Catalog, error) {
	st, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	return st.catalog, nil
}

// Find returns the declaration of a name: the one that has it, or with "@" and a
// scope behind it the one of that place. The error wraps ErrUnknown if there is
// none.
func (s *Source) Find(ctx context.Context, name string) (*Declaration, error) {
	st, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	for _, byRef := range []bool{false, true} {
		for i := range st.catalog.Entries {
			e := &st.catalog.Entries[i]
			if byRef && e.Ref() == name || !byRef && e.ShadowedBy == "" && e.Name == name {
				return &e.Declaration, nil
			}
		}
	}
	return nil, fmt.Errorf("subagent %.80q: %w", name, ErrUnknown)
}

// look looks at every place.
func (s *Source) look(ctx context.Context) (*state, error) {
	if err := s.cfg.check(); err != nil {
		return nil, fmt.Errorf("source subagents: %w", err)
	}
	var looks []look
	for i := range s.cfg.Places {
		found, err := s.place(ctx, i)
		if err != nil {
			return nil, fmt.Errorf("source subagents: %w", err)
		}
		looks = append(looks, found...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && slices.EqualFunc(s.last.looks, looks, look.equal) {
		return s.last, nil
	}
	c := s.catalog(looks)
	s.last = &state{looks: looks, catalog: c, fact: s.fact(c)}
	return s.last, nil
}

// isMarkdown reports whether an entry may be a declaration.
func isMarkdown(e fs.DirEntry) bool {
	return strings.HasSuffix(e.Name(), ".md") && !strings.HasPrefix(e.Name(), ".") && !e.IsDir()
}
