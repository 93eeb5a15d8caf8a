// Package files finds the instruction files of a project, such as AGENTS.md, and
// reads them as one fact of several documents.
//
// The project's root is the nearest directory at or above the working directory
// that holds a marker. In every directory from there down to the working
// directory the first file counts that is not blank, of a list of names. The
// user's own file stands first, the nearest file last; where two files
// contradict each other, the later one wins.
//
//	src := files.New(files.Config{
//		Cwd:      "/w/svc/api",
//		UserFile: "/home/u/.config/proem/AGENTS.md",
//	})
//	fact, err := src.Read(ctx, source.Query{})
//	for _, d := range fact.Docs {
//		d.Name // "user:AGENTS.md", "project:AGENTS.md", "project:svc/api/AGENTS.md"
//	}
//
// An @path in a file imports another file of the project: one that stands alone
// on its line is replaced by that file's text, one inside a sentence stays, and
// the text follows as a document of its own. Code is left alone.
//
// Nothing above the root is read. Files are read by package load, which confines
// and normalises them. A byte budget keeps the nearest files whole and cuts the
// farthest, visibly.
package files

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/load"
)

// Stage is the Stage of the notes of this source.
const Stage = "source files"

// DefaultMaxBytes is the budget over all instruction files.
const DefaultMaxBytes = 32 << 10

// DefaultMarkers returns the names that mark a project's root.
func DefaultMarkers() []string { return []string{".git"} }

// DefaultNames returns the names of instruction files in order of preference.
func DefaultNames() []string { return []string{"AGENTS.override.md", "AGENTS.md"} }

// A Config says what to look for. The zero value finds nothing.
type Config struct {
	Env *env.Env // nil: the operating system's
	// Loader reads the files; nil: one of its own. Whoever shares one reads a file
	// once.
	Loader    *load.Loader
	Cwd       string   // absolute; empty: no project
	Root      string   // absolute, Cwd or above it; empty: found by Markers, once
	Markers   []string // nil: DefaultMarkers; an empty list marks nothing
	Names     []string // nil: DefaultNames; slash-separated, relative to each directory
	Fallbacks []string // further names, tried after Names
	LoadAll   bool     // every name in each directory instead of the first
	MaxBytes  int      // budget over all files, in bytes; 0: DefaultMaxBytes; less than 0: there is none
	// ImportDepth is how deep @path imports may lie within each other; 0:
	// DefaultImportDepth; less than 0: none is followed.
	ImportDepth int
	// StripComments drops HTML comments outside code.
	StripComments bool
	UserFile      string // the user's own file, absolute; empty: none
	// UserDir is the directory that the links of UserFile may not leave; empty: the
	// directory of UserFile.
	UserDir string
}

// A Source reads instruction files. It may be used concurrently.
type Source struct {
	cfg    Config
	loader *load.Loader

	mu   sync.Mutex
	root string // found once
	last *walk
	fact prompt.Fact
}

var _ source.Source = (*Source)(nil)

// New returns a source for the files that c describes. Nothing is read before
// the first Read, which also reports what is wrong with c.
func New(c Config) *Source {
	if c.Names == nil {
		c.Names = DefaultNames()
	}
	switch {
	case c.MaxBytes == 0:
		c.MaxBytes = DefaultMaxBytes
	case c.MaxBytes < 0:
		c.MaxBytes = 0
	}
	if c.ImportDepth == 0 {
		c.ImportDepth = DefaultImportDepth
	}
	s := &Source{cfg: c, loader: c.Loader, root: c.Root}
	if s.loader == nil {
		s.loader = load.New(c.Env)
	}
	return s
}

// Read returns the fact: a document for each file, or None if there is none.
// As long as no file changed it is the same down to its slices.
//
// Files that cannot be read are diagnostics. An error is a configuration that
// cannot work, or a root that cannot be opened.
func (s *Source) Read(ctx context.Context, _ source.Query) (prompt.Fact, error) {
	w := &walk{loader: s.loader, cfg: &s.cfg}
	defer w.close()
	if err := s.walk(ctx, w); err != nil {
		return prompt.Fact{}, fmt.Errorf("source files: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil && s.last.equal(w) && w.holds(s.last.looks) {
		return s.fact, nil
	}
	s.last, s.fact = w, w.fact(s.cfg.MaxBytes)
	return s.fact, nil
}

// walk looks at every place where a file may be.
func (s *Source) walk(ctx context.Context, w *walk) error {
	if err := s.cfg.check(); err != nil {
		return err
	}
	if s.cfg.UserFile != "" {
		if err := w.user(); err != nil {
			return err
		}
	}
	if s.cfg.Cwd == "" {
		return nil
	}
	root, err := s.findRoot()
	if err != nil {
		return err
	}
	if err := w.project(ctx, root, w.directory); err != nil {
		return err
	}
	w.reportForeign()
	return nil
}

// findRoot returns the root and remembers it: a source serves one project.
func (s *Source) findRoot() (string, error) {
	s.mu.Lock()
	root := s.root
	s.mu.Unlock()
	if root != "" {
		return root, nil
	}
	root, err := FindRoot(s.cfg.Env, s.cfg.Cwd, s.cfg.Markers)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	s.root = root
	s.mu.Unlock()
	return root, nil
}

// check reports what is wrong with a configuration.
func (c *Config) check() error {
	for _, p := range []string{c.Cwd, c.Root, c.UserFile, c.UserDir} {
		if p != "" && !filepath.IsAbs(p) {
			return fmt.Errorf("%q is not an absolute path", p)
		}
	}
	for _, n := range c.names() {
		if !filepath.IsLocal(filepath.FromSlash(n)) {
			return fmt.Errorf("%q is not a name below a directory", n)
		}
	}
	return nil
}

// names returns the names to look for in a directory, each once.
func (c *Config) names() []string {
	var out []string
	for _, n := range slices.Concat(c.Names, c.Fallbacks) {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}
