package store

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/proemhq/proem/prompt"
	workspace "github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/vfs"
)

// Folders returns the absolute paths of the folders in which somebody's memory
// lies.
func (s *Store) Folders(who prompt.Who) ([]string, error) {
	h := s.home()
	if err := h.Check(); err != nil {
		return nil, err
	}
	if err := h.Admit(who); err != nil {
		return nil, err
	}
	out := []string{s.abs(h.Name())}
	if who.User != "" {
		out = append([]string{s.abs(path.Join(h.Name(), who.User))}, out...)
	}
	return out, nil
}

func (s *Store) abs(name string) string { return filepath.Join(s.cfg.Root, filepath.FromSlash(name)) }

// Paths returns where a file of somebody's memory lies, absolute: as it is named,
// and behind it without links if that is elsewhere. Names that Get refuses are
// errors.
func (s *Store) Paths(ctx context.Context, who prompt.Who, name string) ([]string, error) {
	name, err := s.clip(name)
	if err != nil {
		return nil, err
	}
	at, err := s.src.Resolve(ctx, who, name)
	if errors.Is(err, fs.ErrNotExist) {
		return []string{s.abs(path.Join(s.home().Name(), who.User, name))}, nil
	}
	if err != nil {
		return nil, err
	}
	out := []string{at.Path}
	if real := (vfs.Place{Dir: at.Root, Name: at.Name}).Path(); real != at.Path {
		out = append(out, real)
	}
	return out, nil
}

// Changes returns what a Save would change: MEMORY.md, and the archive if there
// may be no room. What Save refuses is an error.
func (s *Store) Changes(who prompt.Who, text string) ([]string, error) {
	if err := s.admit(who); err != nil {
		return nil, err
	}
	if _, err := s.clean(text); err != nil {
		return nil, err
	}
	home := s.home().Name()
	dir := path.Join(home, who.User)
	out := []string{s.abs(path.Join(dir, workspace.Memory))}
	root, err := s.loader.OpenRoot(s.cfg.Root)
	if err != nil {
		return out, nil
	}
	defer root.Close()
	size := int64(0)
	for _, name := range []string{path.Join(dir, workspace.Memory), path.Join(home, workspace.Memory)} {
		if info, err := root.Stat(name); err == nil {
			size = max(size, info.Size())
		}
	}
	if size+int64(len(text))+64 > int64(s.cfg.MaxBytes) { // the entry has a date and perhaps a heading
		out = append(out, s.abs(path.Join(dir, archive)))
	}
	return out, nil
}
