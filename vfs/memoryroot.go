package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/proemhq/proem/env"
)

var (
	errNotDir   = errors.New("not a directory")
	errNotEmpty = errors.New("directory not empty")
	errEscapes  = errors.New("path escapes from its root")
	errReadOnly = errors.New("bad file descriptor: opened for reading")
	errNegative = errors.New("negative position")
)

// memoryRoot is a directory of a memory.
type memoryRoot struct {
	m   *memory
	dir string // as it was opened
	at  string
}

// do calls f with the lock held and the absolute path of a name.
func (r memoryRoot) do(op, name string, f func(at string) error) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return &fs.PathError{Op: op, Path: name, Err: errEscapes}
	}
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	return f(path.Join(r.at, name))
}

func (r memoryRoot) Open(name string) (env.File, error) { return r.OpenFile(name, os.O_RDONLY, 0) }

func (r memoryRoot) OpenFile(name string, flag int, perm fs.FileMode) (f env.File, err error) {
	err = r.do("open", name, func(at string) error {
		n, err := r.m.open(at, flag, perm)
		f = &memoryFile{m: r.m, n: n, flag: flag}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (r memoryRoot) Stat(name string) (i env.Info, err error) {
	return i, r.do("stat", name, func(at string) error {
		n, err := r.m.get("stat", at)
		if err == nil {
			i = n.info()
		}
		return err
	})
}

func (r memoryRoot) Lstat(name string) (env.Info, error) { return r.Stat(name) }

func (r memoryRoot) ReadDir(name string) (out []fs.DirEntry, err error) {
	err = r.do("readdir", name, func(at string) error {
		n, err := r.m.get("readdir", at)
		if err == nil && !n.mode.IsDir() {
			err = &fs.PathError{Op: "readdir", Path: name, Err: errNotDir}
		}
		if err == nil {
			for _, p := range r.m.children(at) {
				out = append(out, fs.FileInfoToDirEntry(r.m.nodes[p].info()))
			}
		}
		return err
	})
	return out, err
}

func (r memoryRoot) Readlink(name string) (string, error) {
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

func (r memoryRoot) MkdirAll(name string, perm fs.FileMode) error {
	return r.do("mkdir", name, func(at string) error { return r.m.mkdirAll(at, perm) })
}

func (r memoryRoot) Rename(from, to string) error {
	if !filepath.IsLocal(filepath.FromSlash(to)) {
		return &fs.PathError{Op: "rename", Path: to, Err: errEscapes}
	}
	return r.do("rename", from, func(at string) error { return r.m.rename(at, path.Join(r.at, to)) })
}

func (r memoryRoot) Remove(name string) error {
	return r.do("remove", name, func(at string) error {
		if at == r.at { // the root itself stays
			return &fs.PathError{Op: "remove", Path: name, Err: errEscapes}
		}
		return r.m.remove(at)
	})
}

func (r memoryRoot) SyncDir(string) error { return nil }
func (r memoryRoot) Name() string         { return r.dir }
func (r memoryRoot) Close() error         { return nil }

// memoryFile is an open file. Like one of the system it is not for concurrent
// use, but several of the same file are.
type memoryFile struct {
	m      *memory
	n      *node
	flag   int
	pos    int64
	closed bool
	locked bool
}

// use calls f with the lock held.
func (f *memoryFile) use(g func() (int, error)) (int, error) {
	f.m.mu.Lock()
	defer f.m.mu.Unlock()
	if f.closed {
		return 0, fs.ErrClosed
	}
	return g()
}

func (f *memoryFile) readAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, errNegative
	}
	if off >= int64(len(f.n.data)) {
		return 0, io.EOF
	}
	return copy(p, f.n.data[off:]), nil
}

func (f *memoryFile) Read(p []byte) (int, error) {
	return f.use(func() (int, error) {
		n, err := f.readAt(p, f.pos)
		f.pos += int64(n)
		return n, err
	})
}

func (f *memoryFile) ReadAt(p []byte, off int64) (int, error) {
	return f.use(func() (int, error) {
		n, err := f.readAt(p, off)
		if err == nil && n < len(p) {
			err = io.EOF
		}
		return n, err
	})
}

func (f *memoryFile) Write(p []byte) (int, error) {
	return f.use(func() (int, error) {
		if f.flag&(os.O_WRONLY|os.O_RDWR) == 0 {
			return 0, errReadOnly
		}
		if f.flag&os.O_APPEND != 0 {
			f.pos = int64(len(f.n.data))
		}
		size := max(int64(len(f.n.data)), f.pos+int64(len(p)))
		data := make([]byte, size)
		copy(data, f.n.data)
		copy(data[f.pos:], p)
		f.pos += int64(len(p))
		f.m.write(f.n, data)
		return len(p), nil
	})
}

func (f *memoryFile) Seek(off int64, whence int) (int64, error) {
	_, err := f.use(func() (int, error) {
		switch whence {
		case io.SeekCurrent:
			off += f.pos
		case io.SeekEnd:
			off += int64(len(f.n.data))
		}
		if off < 0 {
			return 0, errNegative
		}
		f.pos = off
		return 0, nil
	})
	return off, err
}

func (f *memoryFile) Stat() (i env.Info, err error) {
	_, err = f.use(func() (int, error) { i = f.n.info(); return 0, nil })
	return i, err
}

func (f *memoryFile) Truncate(size int64) error {
	_, err := f.use(func() (int, error) {
		if size < 0 || f.flag&(os.O_WRONLY|os.O_RDWR) == 0 {
			return 0, errReadOnly
		}
		data := make([]byte, size)
		copy(data, f.n.data)
		f.m.write(f.n, data)
		return 0, nil
	})
	return err
}

func (f *memoryFile) Sync() error { return nil }

// Chmod serves [env.Chmod].
func (f *memoryFile) Chmod(mode fs.FileMode) error {
	_, err := f.use(func() (int, error) { f.n.mode = mode.Perm(); return 0, nil })
	return err
}

func (f *memoryFile) Lock() error {
	_, err := f.use(func() (int, error) {
		if f.n.locked && !f.locked {
			return 0, env.ErrLocked
		}
		f.n.locked, f.locked = true, true
		return 0, nil
	})
	return err
}

func (f *memoryFile) Close() error {
	_, err := f.use(func() (int, error) {
		f.closed = true
		if f.locked {
			f.n.locked = false
		}
		return 0, nil
	})
	return err
}
