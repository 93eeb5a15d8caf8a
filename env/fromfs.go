package env

import (
	"bytes"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// FromFS returns a read-only door to the files of fsys, such as an embedded
// tree, which appear below the absolute directory mount. Nothing else exists but
// the directories above it, and nothing can be written: whoever reads through it
// touches no disk. If its FileInfo has a method RealName, as where links are
// followed, files of one such name are one file.
func FromFS(mount string, fsys fs.FS) Files {
	volume := filepath.VolumeName(mount)
	at := strings.Trim(path.Clean(filepath.ToSlash(mount[len(volume):])), "/")
	if at == "" {
		at = "."
	}
	return fsFiles{filepath.ToSlash(volume), mounted{at, fsys}}
}

type fsFiles struct {
	volume string
	fsys   fs.FS // from the volume's root
}

// mounted is a tree that appears below a directory.
type mounted struct {
	at   string // without slashes at its ends; ".": the root
	fsys fs.FS
}

// Open implements [fs.FS].
func (m mounted) Open(name string) (fs.File, error) {
	rest, ok := strings.CutPrefix(name, m.at+"/")
	above, _, _ := strings.Cut(strings.TrimPrefix(m.at, name+"/"), "/")
	switch {
	case m.at == "." || !fs.ValidPath(name):
		return m.fsys.Open(name)
	case name == m.at:
		return m.fsys.Open(".")
	case ok:
		return m.fsys.Open(rest)
	case name == ".":
		above, _, _ = strings.Cut(m.at, "/")
	case !strings.HasPrefix(m.at, name+"/"):
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &parent{name: path.Base(name), child: above}, nil
}

// parent is a directory above the mount: it holds one other.
type parent struct {
	name, child string
	read        bool
}

func (d *parent) Stat() (fs.FileInfo, error) { return parentInfo(d.name), nil }
func (d *parent) Close() error               { return nil }
func (d *parent) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.name, Err: fs.ErrInvalid}
}

// ReadDir implements [fs.ReadDirFile].
func (d *parent) ReadDir(n int) ([]fs.DirEntry, error) {
	if d.read {
		if n > 0 {
			return nil, io.EOF
		}
		return nil, nil
	}
	d.read = true
	return []fs.DirEntry{fs.FileInfoToDirEntry(parentInfo(d.child))}, nil
}

type parentInfo string

func (i parentInfo) Name() string     { return string(i) }
func (parentInfo) Size() int64        { return 0 }
func (parentInfo) Mode() fs.FileMode  { return fs.ModeDir | 0o555 }
func (parentInfo) ModTime() time.Time { return time.Time{} }
func (parentInfo) IsDir() bool        { return true }
func (parentInfo) Sys() any           { return nil }

func (f fsFiles) OpenRoot(dir string) (Root, error) {
	missing := &fs.PathError{Op: "open", Path: dir, Err: fs.ErrNotExist}
	rest, ok := strings.CutPrefix(filepath.ToSlash(dir), f.volume)
	if !ok || !strings.HasPrefix(rest, "/") {
		return nil, missing
	}
	name := strings.Trim(path.Clean(rest), "/")
	if name == "" {
		name = "."
	}
	if fi, err := fs.Stat(f.fsys, name); err != nil || !fi.IsDir() {
		return nil, missing
	}
	sub, err := fs.Sub(f.fsys, name)
	if err != nil {
		return nil, err
	}
	return fsRoot{dir: dir, at: name, fsys: sub}, nil
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
	at := path.Join(r.at, name)
	if real, ok := fi.(interface{ RealName() string }); ok && real.RealName() != "" {
		at = real.RealName()
	}
	h := fnv.New64a()
	h.Write([]byte(at))
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
