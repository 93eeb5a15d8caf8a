package vfs

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"

	"github.com/proemhq/proem/env"
)

// overlayRoot is a directory of an overlay. Both trees are open at their top, and
// names are put below the directory.
type overlayRoot struct {
	upper, lower env.Root
	dir, at      string
	copying      *sync.Mutex
}

// name returns a name as both trees know it.
func (r overlayRoot) name(op, name string) (string, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", &fs.PathError{Op: op, Path: name, Err: errEscapes}
	}
	return path.Join(r.at, name), nil
}

// first returns what the upper tree says of a name, or the lower one if the upper
// has no such name.
func first[T any](r overlayRoot, op, name string, f func(env.Root, string) (T, error)) (T, error) {
	at, err := r.name(op, name)
	if err != nil {
		var none T
		return none, err
	}
	v, err := f(r.upper, at)
	if errors.Is(err, fs.ErrNotExist) && !r.hidden(at) {
		return f(r.lower, at)
	}
	return v, err
}

// hidden reports whether the upper tree has a file where the name has a directory.
func (r overlayRoot) hidden(at string) bool {
	for up := path.Dir(at); up != "."; up = path.Dir(up) {
		if info, err := r.upper.Lstat(up); err == nil {
			return !info.IsDir()
		}
	}
	return false
}

func (r overlayRoot) Open(name string) (env.File, error) {
	return first(r, "open", name, func(t env.Root, at string) (env.File, error) { return t.Open(at) })
}

func (r overlayRoot) OpenFile(name string, flag int, perm fs.FileMode) (env.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) == 0 {
		return r.Open(name)
	}
	at, err := r.name("open", name)
	if err != nil {
		return nil, err
	}
	below, err := r.onlyLower(at)
	switch {
	case err != nil:
		return nil, err
	case below && flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	case below:
		r.copying.Lock()
		err = r.copyUp(at)
		r.copying.Unlock()
	case flag&os.O_CREATE != 0:
		err = r.parents(at)
	}
	if err != nil {
		return nil, err
	}
	return r.upper.OpenFile(at, flag, perm)
}

// onlyLower reports whether a name is in the lower tree alone.
func (r overlayRoot) onlyLower(at string) (bool, error) {
	if _, err := r.upper.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	_, err := r.lower.Lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// parents makes the directory of a name in the upper tree, if there is one.
func (r overlayRoot) parents(at string) error {
	dir := path.Dir(at)
	if dir == "." {
		return nil
	}
	info, err := r.upper.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = r.lower.Stat(dir)
	}
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &fs.PathError{Op: "open", Path: at, Err: errNotDir}
	}
	return r.upper.MkdirAll(dir, 0o777)
}

// copyUp copies a file of the lower tree to the upper one: beside its place
// first, so that nobody sees half of it.
func (r overlayRoot) copyUp(at string) error {
	from, err := r.lower.Open(at)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := from.Stat()
	if err == nil {
		err = r.parents(at)
	}
	if err != nil {
		return err
	}
	if again, err := r.onlyLower(at); err != nil || !again {
		return err // somebody else was faster
	}
	beside := at + ".copying"
	to, err := r.upper.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(struct{ io.Writer }{to}, struct{ io.Reader }{from})
	if cerr := to.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = r.upper.Rename(beside, at)
	}
	if err != nil {
		return errors.Join(err, r.upper.Remove(beside))
	}
	return nil
}

func (r overlayRoot) Stat(name string) (env.Info, error) {
	return first(r, "stat", name, func(t env.Root, at string) (env.Info, error) { return t.Stat(at) })
}

func (r overlayRoot) Lstat(name string) (env.Info, error) {
	return first(r, "lstat", name, func(t env.Root, at string) (env.Info, error) { return t.Lstat(at) })
}

func (r overlayRoot) Readlink(name string) (string, error) {
	return first(r, "readlink", name, func(t env.Root, at string) (string, error) { return t.Readlink(at) })
}

// ReadDir returns the entries of both; of two with one name that of the upper
// tree.
func (r overlayRoot) ReadDir(name string) ([]fs.DirEntry, error) {
	at, err := r.name("readdir", name)
	if err != nil {
		return nil, err
	}
	upper, err := r.upper.ReadDir(at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	missing := err
	var lower []fs.DirEntry
	if !r.hidden(at) {
		lower, err = r.lower.ReadDir(at)
		if err != nil && missing != nil {
			return nil, err
		}
	}
	all := map[string]fs.DirEntry{}
	for _, e := range slices.Concat(lower, upper) {
		all[e.Name()] = e
	}
	out := make([]fs.DirEntry, 0, len(all))
	for _, n := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[n])
	}
	return out, nil
}

func (r overlayRoot) MkdirAll(name string, perm fs.FileMode) error {
	at, err := r.name("mkdir", name)
	if err != nil {
		return err
	}
	if info, err := r.Stat(name); err == nil && !info.IsDir() {
		return &fs.PathError{Op: "mkdir", Path: name, Err: errNotDir}
	}
	return r.upper.MkdirAll(at, perm)
}

// Rename moves a file of the upper tree. One of the lower tree stays where it is.
func (r overlayRoot) Rename(from, to string) error {
	old, err := r.name("rename", from)
	if err != nil {
		return err
	}
	at, err := r.name("rename", to)
	if err != nil {
		return err
	}
	if _, err := r.lower.Lstat(old); err == nil {
		return &fs.PathError{Op: "rename", Path: from, Err: ErrLower}
	}
	if err := r.parents(at); err != nil {
		return err
	}
	return r.upper.Rename(old, at)
}

// Remove removes a file of the upper tree that hides none of the lower.
func (r overlayRoot) Remove(name string) error {
	at, err := r.name("remove", name)
	if err != nil {
		return err
	}
	if _, err := r.lower.Lstat(at); err == nil {
		return &fs.PathError{Op: "remove", Path: name, Err: ErrLower}
	}
	return r.upper.Remove(at)
}

func (r overlayRoot) SyncDir(name string) error {
	at, err := r.name("sync", name)
	if err != nil {
		return err
	}
	if err := r.upper.SyncDir(at); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil // nothing was changed there
}

func (r overlayRoot) Name() string { return r.dir }
func (r overlayRoot) Close() error { return errors.Join(r.upper.Close(), r.lower.Close()) }
