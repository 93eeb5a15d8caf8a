// Package memory reads the agent's home, the workspace: who the agent is, what
// it remembers, and what it can look up.
//
//	AGENTS.md                persona and rules of the agent
//	MEMORY.md                what it remembers; the newest entries stand at the end
//	memory/*.md              further notes, listed by name
//	knowledge/KNOWLEDGE.md   an introduction to the reference documents
//	knowledge/…              reference documents, listed by name
//	<user id>/…              the same for one user
//
// They become one fact of several documents, under one budget of tokens:
//
//	src := memory.New(memory.Config{Root: "/w", Dir: ".proem", Count: counter.Count})
//	fact, err := src.Read(ctx, source.Query{Who: prompt.Who{User: "u1"}})
//	for _, d := range fact.Docs {
//		d.Name // "workspace:AGENTS.md", "workspace:MEMORY.md", "workspace:knowledge"
//	}
//	at, err := src.Resolve(ctx, who, "knowledge/api.md") // what is listed can be opened
//
// A user's own file stands in for the shared one of the same name; another
// user's is never read. A blank file counts as absent.
//
// The budget counts all that is injected and is never exceeded. What does not fit
// is cut, visibly: the persona is kept longest, then the extra files, the
// knowledge, and the memory, of which the newest entries stay.
package memory

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/memory/home"
)

// Stage is the Stage of the notes of this source.
const Stage = "source memory"

// Defaults of a Config.
const (
	DefaultMaxTokens = 8000
	DefaultOverhead  = 48
	DefaultMaxListed = 200
)

// The files and folders of a workspace.
const (
	Persona   = "AGENTS.md"
	Memory    = "MEMORY.md"
	Notes     = "memory" // a folder
	Knowledge = "knowledge"
	Intro     = "knowledge/KNOWLEDGE.md"
)

// A Config says where the workspace lies. The zero value finds nothing.
type Config struct {
	Env    *env.Env     // nil: the operating system's
	Loader *load.Loader // nil: one of its own
	Root   string       // absolute: no link leads out of it, such as the project's root
	Dir    string       // the workspace, slash-separated, below Root; "." is Root itself
	Tenant string       // the tenant whose users have folders here; others are refused
	// ExtraFiles are further files to inject, slash-separated, relative to the
	// workspace.
	ExtraFiles []string
	MaxTokens  int              // budget of all that is injected; 0: DefaultMaxTokens; less than 0: there is none
	Count      func(string) int // counts tokens; nil: a cautious guess
	// Overhead is how many tokens a preset spends around each document, such as on
	// a fence; 0: DefaultOverhead; less than 0: none.
	Overhead  int
	MaxListed int // how many files a list names; 0: DefaultMaxListed
	// Shown stands before the names in lists, such as ".proem/": the name by which
	// the model's tools open the file.
	Shown string
}

// A Source reads a workspace. It may be used concurrently.
type Source struct {
	cfg    Config
	loader *load.Loader

	mu   sync.Mutex
	dirs map[string]*folder // by name below the root
	last map[string]*made   // by user
}

var _ source.Source = (*Source)(nil)

// made is the fact of one user with the look that led to it.
type made struct {
	walk *walk
	fact prompt.Fact
}

// remembered bounds how many users' facts and how many folders are kept.
const remembered = 1 << 12

// New returns a source for the workspace that c describes. Nothing is read
// before the first Read, which also reports what is wrong with c.
func New(c Config) *Source {
	switch {
	case c.MaxTokens == 0:
		c.MaxTokens = DefaultMaxTokens
	case c.MaxTokens < 0:
		c.MaxTokens = 0
	}
	switch {
	case c.Overhead == 0:
		c.Overhead = DefaultOverhead
	case c.Overhead < 0:
		c.Overhead = 0
	}
	if c.MaxListed == 0 {
		c.MaxListed = DefaultMaxListed
	}
	if c.Count == nil {
		c.Count = guess
	}
	s := &Source{cfg: c, loader: c.Loader, dirs: make(map[string]*folder), last: make(map[string]*made)}
	if s.loader == nil {
		s.loader = load.New(c.Env)
	}
	return s
}

// guess counts a token for every three bytes, which few texts exceed.
func guess(s string) int { return (len(s) + 2) / 3 }

// Read returns the fact: a document for each file, or None if there is none. As
// long as nothing changed it is the same down to its slices, and costs the stats
// of the files and folders.
//
// Files that cannot be read are diagnostics. An error is a configuration that
// cannot work, or somebody who may not use the workspace.
func (s *Source) Read(ctx context.Context, q source.Query) (prompt.Fact, error) {
	w, err := s.walk(ctx, q.Who)
	if err != nil {
		return prompt.Fact{}, fmt.Errorf("source memory: %w", err)
	}
	s.mu.Lock()
	old := s.last[q.Who.User]
	s.mu.Unlock()
	if old != nil && old.walk.equal(w) {
		return old.fact, nil
	}
	m := &made{w, w.fact()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) >= remembered {
		clear(s.last)
	}
	s.last[q.Who.User] = m
	return m.fact, nil
}

func (s *Source) home() home.Home {
	return home.Home{Root: s.cfg.Root, Dir: s.cfg.Dir, Tenant: s.cfg.Tenant}
}

// check reports what is wrong with the configuration, or with who asks.
func (s *Source) check(who prompt.Who) error {
	if err := s.home().Check(); err != nil {
		return err
	}
	if s.cfg.MaxListed < 0 {
		return fmt.Errorf("a list of %d names", s.cfg.MaxListed)
	}
	return s.home().Admit(who)
}

// extras returns the names of the extra files, each once and in their shortest
// form. Those that lead out of the workspace are returned apart.
func (c *Config) extras() (names, bad []string) {
	for _, n := range c.ExtraFiles {
		clean, ok := local(n)
		switch {
		case !ok:
			bad = append(bad, n)
		case !slices.Contains(names, clean) && clean != Persona && clean != Memory && clean != Intro:
			names = append(names, clean)
		}
	}
	return names, bad
}

// local returns a name in its shortest form if it stays below the workspace.
func local(name string) (string, bool) {
	clean := path.Clean(filepath.ToSlash(name))
	if name == "" || clean == "." || !filepath.IsLocal(filepath.FromSlash(clean)) || load.InGit(clean) {
		return "", false
	}
	return clean, true
}
