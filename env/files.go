package env

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// systemFiles is the operating system's file system.
type systemFiles struct{}

func (systemFiles) OpenRoot(dir string) (Root, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return systemRoot{r}, nil
}

// Canonical returns the path of a directory without symbolic links, by which it
// is the same whatever way it was reached. Files that cannot tell return it
// cleaned.
func Canonical(f Files, dir string) (string, error) {
	if c, ok := f.(interface{ Canonical(string) (string, error) }); ok {
		return c.Canonical(dir)
	}
	return filepath.Clean(dir), nil
}

func (systemFiles) Canonical(dir string) (string, error) { return filepath.EvalSymlinks(dir) }

func (systemFiles) MkdirAll(dir string, perm fs.FileMode) error { return os.MkdirAll(dir, perm) }

type systemRoot struct{ r *os.Root }

func (r systemRoot) Open(name string) (File, error) { return r.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile opens first and looks at the open file, so that nothing can be
// exchanged in between; where opening could wait, the system is told not to.
func (r systemRoot) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	local := filepath.FromSlash(name)
	if !canOpenAnything {
		if fi, err := r.r.Stat(local); err == nil && !fi.Mode().IsRegular() {
			return nil, notRegular(name)
		}
	}
	f, err := r.r.OpenFile(local, flag|openFlags, perm)
	if err != nil {
		return nil, refusal(name, err)
	}
	fi, err := f.Stat()
	if err == nil && !fi.Mode().IsRegular() {
		err = notRegular(name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return systemFile{f}, nil
}

func notRegular(name string) error {
	return &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
}

func (r systemRoot) Stat(name string) (Info, error) {
	fi, err := r.r.Stat(filepath.FromSlash(name))
	return infoOf(fi, nil), err
}

func (r systemRoot) Lstat(name string) (Info, error) {
	fi, err := r.r.Lstat(filepath.FromSlash(name))
	return infoOf(fi, nil), err
}

func (r systemRoot) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := r.r.OpenFile(filepath.FromSlash(name), os.O_RDONLY|dirFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (r systemRoot) Readlink(name string) (string, error) {
	return r.r.Readlink(filepath.FromSlash(name))
}

func (r systemRoot) MkdirAll(name string, perm fs.FileMode) error {
	return r.r.MkdirAll(filepath.FromSlash(name), perm)
}

func (r systemRoot) Rename(from, to string) error {
	return r.r.Rename(filepath.FromSlash(from), filepath.FromSlash(to))
}

func (r systemRoot) Remove(name string) error { return r.r.Remove(filepath.FromSlash(name)) }

func (r systemRoot) SyncDir(name string) error {
	if !canSyncDir {
		return nil
	}
	f, err := r.r.OpenFile(filepath.FromSlash(name), os.O_RDONLY|dirFlags, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

func (r systemRoot) Name() string { return r.r.Name() }
func (r systemRoot) Close() error { return r.r.Close() }

type systemFile struct{ *os.File }

func (f systemFile) Stat() (Info, error) {
	fi, err := f.File.Stat()
	return infoOf(fi, f.File), err
}

func (f systemFile) Lock() error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var lockErr error
	if err := c.Control(func(fd uintptr) { lockErr = lock(fd) }); err != nil {
		return err
	}
	if lockErr != nil {
		return &fs.PathError{Op: "lock", Path: f.Name(), Err: lockErr}
	}
	return nil
}
