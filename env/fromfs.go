package env

import (
	"bytes"
	"errors"
	"hash/fnv"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// FromFS returns a read-only door to the files of fsys, such as an embedded
// tree, which appear below the absolute directory mount. Nothing else exists, and
// nothing can be written: whoever reads through it touches no disk.
func FromFS(mount string, fsys fs.FS) Files { return fsFiles{filepath.ToSlash(mount), fsys} }

type fsFiles struct {
	mount string
	fsys  fs.FS
}

func (f fsFiles) OpenRoot(dir string) (Root, error) {
	name, ok := f.inside(filepath.ToSlash(dir))
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	if fi, err := fs.Stat(f.fsys, name); err != nil || !fi.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	}
	sub, err := fs.Sub(f.fsys, name)
	if err != nil {
		return nil, err
	}
	return fsRoot{dir: dir, at: name, fsys: sub}, nil
}

// inside returns the name below the mount that a directory stands for.
func (f fsFiles) inside(dir string) (string, bool) {
	if dir == f.mount {
		return ".", true
	}
	name, ok := strings.CutPrefix(path.Clean(dir), strings.TrimSuffix(f.mount, "/")+"/")
	return name, ok
}

func (f fsFiles) MkdirAll(dir string, _ fs.FileMode) error {
	return &fs.PathError{Op: "mkdir", Path: dir, Err: errReadOnly}
}

var errReadOnly = errors.New("read-only file system")

type fsRoot struct {
	dir, at string
	fsys    fs.FS
}

func (r fsRoot) Open(name string) (File, error) {
	data, err := fs.ReadFile(r.fsys, path.Clean(name))
	if fi, serr := fs.Stat(r.fsys, path.Clean(name)); serr == nil && !fi.Mode().IsRegular() {
		return nil, notRegular(name)
	}
	if err != nil {
		return nil, err
	}
	return &fsFile{bytes.NewReader(data), r, name}, nil
}

func (r fsRoot) OpenFile(name string, flag int, _ fs.FileMode) (File, error) {
	if flag != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errReadOnly}
	}
	return r.Open(name)
}

func (r fsRoot) Stat(name string) (Info, error) {
	fi, err := fs.Stat(r.fsys, path.Clean(name))
	if err != nil {
		return Info{}, err
	}
	h := fnv.New64a()
	h.Write([]byte(path.Join(r.at, name)))
	return Info{FileInfo: fi, Dev: 1, Inode: h.Sum64() | 1, Ctime: time.Time{}}, nil
}

func (r fsRoot) Lstat(name string) (Info, error) { return r.Stat(name) }

func (r fsRoot) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(r.fsys, path.Clean(name))
}

func (r fsRoot) Readlink(name string) (string, error) {
	return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
}

func (r fsRoot) MkdirAll(name string, _ fs.FileMode) error { return r.refuse("mkdir", name) }
func (r fsRoot) Rename(from, _ string) error               { return r.refuse("rename", from) }
func (r fsRoot) Remove(name string) error                  { return r.refuse("remove", name) }
func (r fsRoot) SyncDir(string) error                      { return nil }
func (r fsRoot) Name() string                              { return r.dir }
func (r fsRoot) Close() error                              { return nil }

func (r fsRoot) refuse(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: errReadOnly}
}

type fsFile struct {
	*bytes.Reader
	root fsRoot
	name string
}

func (f *fsFile) Write([]byte) (int, error) { return 0, f.root.refuse("write", f.name) }
func (f *fsFile) Close() error              { return nil }
func (f *fsFile) Stat() (Info, error)       { return f.root.Stat(f.name) }
func (f *fsFile) Sync() error               { return nil }
func (f *fsFile) Truncate(int64) error      { return f.root.refuse("truncate", f.name) }
func (f *fsFile) Lock() error               { return f.root.refuse("lock", f.name) }
