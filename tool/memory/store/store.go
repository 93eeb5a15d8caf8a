// Package store keeps an agent's memory in the files of its home.
//
//	MEMORY.md                      what is remembered, one entry a line, the newest at the end
//	memory/2026-01-02.md           what was written down on a day, a ledger
//	memory/archive/entries-0001.md entries for which MEMORY.md had no room
//	memory/archive/MEMORY-0001.md  MEMORY.md as it was before it was rewritten
//	<user id>/…                    the same for one user
//
// It is what package memory of source reads for the prompt, found by the same
// rules: what a prompt lists can be read here, and what is saved here stands in
// the next prompt.
//
//	s := store.New(store.Config{Root: "/w", Dir: ".proem", Shared: true})
//	saved, err := s.Save(ctx, who, "prefers tabs")
//	saved.Added[0].String() // "MEMORY.md:3"
//	found, err := s.Search(ctx, who, "tabs or spaces")
//	found.Hits[0].Text      // "- 2026-01-02: prefers tabs"
//
// For whom something is done is part of every call. A user's memory serves nobody
// else, and what is saved for nobody in particular, which everybody's prompt may
// show, is refused unless Config.Shared allows it. As a user's own file stands in
// for the shared one, it begins as a copy of that.
//
// A file is replaced as a whole, under a lock that other processes see, so that
// no entry is lost and nobody reads half of one. A change that an editor makes
// meanwhile is seen by the hash of the file, and stays.
package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	workspace "github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/source/memory/home"
)

// Defaults of a Config.
const (
	DefaultMaxBytes = 32 << 10
	DefaultMaxEntry = 1000
)

// archive is the folder of what was moved out of the way, below a memory.
const archive = workspace.Notes + "/archive"

// A Config says where the agent's home lies, in the words of package memory of
// source.
type Config struct {
	Env    *env.Env     // nil: the operating system's
	Loader *load.Loader // nil: one of its own
	Root   string       // absolute: nothing leads out of it
	Dir    string       // the home, slash-separated, below Root; "." is Root itself
	Tenant string       // the tenant whose users have folders here; others are refused
	// Shown stands before the names in a prompt's lists, such as ".proem/". The
	// tools take names with it and without.
	Shown string
	// Shared lets nobody in particular save, into the memory that everybody without
	// one of their own sees. It is for an agent that works for one person.
	Shared bool
	// Allow, if not nil, is asked with the absolute path, without links, of each file
	// before something of it is shown. Its error refuses.
	Allow func(ctx context.Context, path string) error
	// MaxBytes is the size that MEMORY.md does not exceed. When an entry does not
	// fit, the oldest move to the archive; 0: DefaultMaxBytes.
	MaxBytes int
	MaxEntry int            // bytes of one entry; 0: DefaultMaxEntry
	Zone     *time.Location // of the dates; nil: UTC
}

// A Store is the memory of an agent. It may be used concurrently, also by several
// processes.
type Store struct {
	cfg    Config
	env    *env.Env
	loader *load.Loader
	src    *workspace.Source
	gates  [16]sync.Mutex // by folder, so that a process does not wait for itself
}

// New returns the store that c describes. Nothing is read or made before it is
// used; what is wrong with c is an error then.
func New(c Config) *Store {
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.MaxEntry == 0 {
		c.MaxEntry = DefaultMaxEntry
	}
	if c.Zone == nil {
		c.Zone = time.UTC
	}
	s := &Store{cfg: c, env: env.OrSystem(c.Env), loader: c.Loader}
	if s.loader == nil {
		s.loader = load.New(c.Env)
	}
	s.src = workspace.New(workspace.Config{Env: c.Env, Loader: s.loader, Root: c.Root, Dir: c.Dir, Tenant: c.Tenant})
	return s
}

// ErrNobody says that nothing is saved for nobody in particular: it would stand
// in everybody's prompt.
var ErrNobody = errors.New("it is not known for whom this is remembered; nothing is saved")

// ErrChanged says that somebody else changed a file in a way that could not be
// joined with the change that was to be made. The file is as they left it.
var ErrChanged = errors.New("somebody else changed it meanwhile; it stays as it is")

// A Cite is a place in somebody's memory.
type Cite struct {
	Path string // as memory_get takes it, such as "MEMORY.md"
	Line int    // the first, from 1
	Last int    // the last; that of one line is Line
}

// String returns path and lines, such as "MEMORY.md:3" or "memory/a.md:3-5".
func (c Cite) String() string {
	if c.Last > c.Line {
		return fmt.Sprintf("%s:%d-%d", c.Path, c.Line, c.Last)
	}
	return fmt.Sprintf("%s:%d", c.Path, c.Line)
}

func (s *Store) home() home.Home {
	return home.Home{Root: s.cfg.Root, Dir: s.cfg.Dir, Tenant: s.cfg.Tenant}
}

// admit reports why somebody's memory cannot be written.
func (s *Store) admit(who prompt.Who) error {
	h := s.home()
	if err := h.Check(); err != nil {
		return err
	}
	if err := h.Admit(who); err != nil {
		return err
	}
	if load.InGit(h.Name()) {
		return fmt.Errorf("%q belongs to git", h.Dir)
	}
	if who.User == "" && !s.cfg.Shared {
		return ErrNobody
	}
	return nil
}

// today returns the present day, such as "2026-01-02".
func (s *Store) today() string { return s.env.Clock.Now().In(s.cfg.Zone).Format(time.DateOnly) }
