package env

import (
	"errors"
	"io/fs"
	"path"
)

// A gate stands before every effect on files: it asks the failpoints and counts
// what is let through.
type gate struct {
	fail  *Failpoints
	count *Counters
}

func (g gate) pass(kind Effect, name string) error {
	if err := g.fail.Hit(kind, name); err != nil {
		return err
	}
	if g.count == nil {
		return nil
	}
	switch kind {
	case EffectOpen:
		g.count.Opens.Add(1)
	case EffectRead:
		g.count.Reads.Add(1)
	case EffectWrite:
		g.count.Writes.Add(1)
	case EffectSync:
		g.count.Syncs.Add(1)
	case EffectStat:
		g.count.Stats.Add(1)
	case EffectReadDir:
		g.count.ReadDirs.Add(1)
	}
	return nil
}

func (g gate) read(n int) {
	if g.count != nil && n > 0 {
		g.count.BytesRead.Add(int64(n))
	}
}

type guardedFiles struct {
	inner Files
	gate  gate
}

func (f guardedFiles) OpenRoot(dir string) (Root, error) {
	if err := f.gate.pass(EffectOpen, dir); err != nil {
		return nil, err
	}
	r, err := f.inner.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return guardedRoot{r, f.gate}, nil
}

func (f guardedFiles) Canonical(dir string) (string, error) { return Canonical(f.inner, dir) }

func (f guardedFiles) MkdirAll(dir string, perm fs.FileMode) error {
	if err := f.gate.pass(EffectMkdir, dir); err != nil {
		return err
	}
	return f.inner.MkdirAll(dir, perm)
}

type guardedRoot struct {
	Root
	gate gate
}

func (r guardedRoot) Open(name string) (File, error) {
	return r.open(name, func() (File, error) { return r.Root.Open(name) })
}

func (r guardedRoot) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	return r.open(name, func() (File, error) { return r.Root.OpenFile(name, flag, perm) })
}

func (r guardedRoot) open(name string, open func() (File, error)) (File, error) {
	if err := r.gate.pass(EffectOpen, name); err != nil {
		return nil, err
	}
	f, err := open()
	if err != nil {
		return nil, err
	}
	return guardedFile{f, path.Clean(name), r.gate}, nil
}

func (r guardedRoot) Stat(name string) (Info, error) {
	if err := r.gate.pass(EffectStat, name); err != nil {
		return Info{}, err
	}
	return r.Root.Stat(name)
}

func (r guardedRoot) Lstat(name string) (Info, error) {
	if err := r.gate.pass(EffectStat, name); err != nil {
		return Info{}, err
	}
	return r.Root.Lstat(name)
}

func (r guardedRoot) Readlink(name string) (string, error) {
	if err := r.gate.pass(EffectStat, name); err != nil {
		return "", err
	}
	return r.Root.Readlink(name)
}

func (r guardedRoot) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := r.gate.pass(EffectReadDir, name); err != nil {
		return nil, err
	}
	return r.Root.ReadDir(name)
}

func (r guardedRoot) MkdirAll(name string, perm fs.FileMode) error {
	if err := r.gate.pass(EffectMkdir, name); err != nil {
		return err
	}
	return r.Root.MkdirAll(name, perm)
}

func (r guardedRoot) Rename(from, to string) error {
	if err := r.gate.pass(EffectRename, from+" to "+to); err != nil {
		return err
	}
	return r.Root.Rename(from, to)
}

func (r guardedRoot) Remove(name string) error {
	if err := r.gate.pass(EffectRemove, name); err != nil {
		return err
	}
	return r.Root.Remove(name)
}

func (r guardedRoot) SyncDir(name string) error {
	if err := r.gate.pass(EffectSync, name); err != nil {
		return err
	}
	return r.Root.SyncDir(name)
}

type guardedFile struct {
	File
	name string
	gate gate
}

func (f guardedFile) Read(p []byte) (int, error) {
	if err := f.gate.pass(EffectRead, f.name); err != nil {
		return 0, err
	}
	n, err := f.File.Read(p)
	f.gate.read(n)
	return n, err
}

func (f guardedFile) ReadAt(p []byte, off int64) (int, error) {
	if err := f.gate.pass(EffectRead, f.name); err != nil {
		return 0, err
	}
	n, err := f.File.ReadAt(p, off)
	f.gate.read(n)
	return n, err
}

// Write lets through what a ShortWrite says before it fails.
func (f guardedFile) Write(p []byte) (int, error) {
	err := f.gate.pass(EffectWrite, f.name)
	if err == nil {
		return f.File.Write(p)
	}
	var short *ShortWrite
	if !errors.As(err, &short) {
		return 0, err
	}
	n, werr := f.File.Write(p[:max(0, min(short.N, len(p)))])
	if short.Then != nil {
		short.Then()
	}
	return n, errors.Join(err, werr)
}

func (f guardedFile) Stat() (Info, error) {
	if err := f.gate.pass(EffectStat, f.name); err != nil {
		return Info{}, err
	}
	return f.File.Stat()
}

func (f guardedFile) Sync() error {
	if err := f.gate.pass(EffectSync, f.name); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f guardedFile) Truncate(size int64) error {
	if err := f.gate.pass(EffectTruncate, f.name); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f guardedFile) Lock() error {
	if err := f.gate.pass(EffectLock, f.name); err != nil {
		return err
	}
	return f.File.Lock()
}
