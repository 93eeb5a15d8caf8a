package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/prompt"
	workspace "github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/vfs"
)

// A seat is one user's memory, open and locked for a change.
type seat struct {
	store *Store
	root  env.Root
	home  string // below the root
	dir   string // the user's folder below the root, or home
	lock  env.File
	open  func() // lets the next of this process in
}

// Names of files that are not memory.
const (
	lockName  = workspace.Notes + "/.lock"
	tmpPrefix = ".memory_"
	tmpSuffix = ".tmp"
)

// How long a change waits for another process: tries with pauses of lockPause to
// twice that.
const (
	lockTries = 2000
	lockPause = 3 * time.Millisecond
)

// sit opens somebody's memory for a change, makes its folders, and waits until
// nobody else changes it. The caller leaves.
func (s *Store) sit(ctx context.Context, who prompt.Who) (*seat, error) {
	if err := s.admit(who); err != nil {
		return nil, err
	}
	t := &seat{store: s, home: s.home().Name()}
	t.dir = path.Join(t.home, who.User)
	gate := &s.gates[bucket(t.dir, len(s.gates))]
	gate.Lock()
	t.open = gate.Unlock
	err := t.enter(who)
	if err == nil {
		err = t.wait(ctx)
	}
	if err == nil {
		err = t.sweep()
	}
	if err != nil {
		t.leave()
		return nil, err
	}
	return t, nil
}

func bucket(s string, n int) int {
	sum := 0
	for i := range len(s) {
		sum = 31*sum&0xffff + int(s[i])
	}
	return sum % n
}

// leave ends what sit began.
func (t *seat) leave() {
	if t.lock != nil {
		t.lock.Close()
	}
	if t.root != nil {
		t.root.Close()
	}
	t.open()
}

// enter opens the root and makes the folders.
func (t *seat) enter(who prompt.Who) error {
	files, dir := t.store.env.Files, t.store.cfg.Root
	root, err := files.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if err = files.MkdirAll(dir, 0o777); err == nil {
			root, err = files.OpenRoot(dir)
		}
	}
	if err != nil {
		return err
	}
	t.root = root
	if err := t.mkdir(t.home); err != nil {
		return err
	}
	if who.User != "" {
		if err := t.own(who.User); err != nil {
			return err
		}
	}
	return t.mkdir(path.Join(t.dir, workspace.Notes))
}

// own makes the folder of a user. It has exactly the user's name, also where the
// file system takes "Bob" for "bob".
func (t *seat) own(user string) error {
	entries, err := t.root.ReadDir(t.home)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == user }) {
		if _, err := t.root.Lstat(t.dir); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("this file system takes the folder of another user for that of %q", user)
		}
	}
	return t.mkdir(t.dir)
}

// mkdir makes a folder below the root. No part of its name may be a link.
func (t *seat) mkdir(name string) error {
	if err := t.noLinks(name); err != nil {
		return err
	}
	if name == "." {
		return nil
	}
	return t.root.MkdirAll(name, 0o777)
}

// noLinks refuses a name that leads through a link: what is written lies where
// it seems to.
func (t *seat) noLinks(name string) error {
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := t.root.Lstat(name[:i])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s is a link, and links are not written through", near.Show(name[:i]))
		}
	}
	return nil
}

// wait takes the lock between processes.
func (t *seat) wait(ctx context.Context) error {
	name := path.Join(t.dir, lockName)
	if err := t.noLinks(name); err != nil {
		return err
	}
	f, err := t.root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	t.lock = f
	for range lockTries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err = f.Lock(); !errors.Is(err, env.ErrLocked) {
			return err
		}
		pause := lockPause + time.Duration(t.store.env.Rand.Float64()*float64(lockPause))
		if err := t.store.env.Clock.Sleep(ctx, pause); err != nil {
			return err
		}
	}
	return fmt.Errorf("it is %w; try again", env.ErrLocked)
}

// sweep removes what a process that died left half-written. Nobody else writes
// here now.
func (t *seat) sweep() error {
	for _, dir := range []string{t.dir, path.Join(t.dir, workspace.Notes), path.Join(t.dir, archive)} {
		entries, err := t.root.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			if n := e.Name(); strings.HasPrefix(n, tmpPrefix) && strings.HasSuffix(n, tmpSuffix) && e.Type().IsRegular() {
				if err := t.root.Remove(path.Join(dir, n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return fmt.Errorf("%s cannot be removed: %w", n, vfs.Cause(err))
				}
			}
		}
	}
	return nil
}
