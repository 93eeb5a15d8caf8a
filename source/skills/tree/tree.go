// Package tree has a read-only file system of files that are known by name, and
// read when somebody opens them. Repositories of skills that do not lie in a
// folder, such as those in Git or in a database, show their files by it:
//
//	fsys, problems := tree.New([]tree.File{
//		{Name: "deploy/SKILL.md", Size: 210, Read: func() ([]byte, error) { return blob(id) }},
//		{Name: "deploy/latest.md", Link: "steps.md"},
//	})
//
// Names come from strangers. One that is no path below the root, that stands
// there twice, or that is a file here and a directory there, is left out and
// returned as a problem.
package tree

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A File is a file or a link.
type File struct {
	Name string // slash-separated, below the root
	Size int64  // as Stat says; it may be more than Read returns
	// Link, if not empty, makes it a link to this place, which is relative to the
	// link's directory.
	Link string
	// Read returns the content, or the beginning of a long one. The file system does
	// not keep it. It may be called concurrently.
	Read func() ([]byte, error)
}

// Bytes returns a file that holds content.
func Bytes(name string, content []byte) File {
	return File{Name: name, Size: int64(len(content)), Read: func() ([]byte, error) { return content, nil }}
}

// FS is a file system of Files. It is not changed after New and may be used
// concurrently if the Files may be read so.
//
// A link that leads to a file below the same first folder is that file, so that
// links within a skill work. All others stay links, which nobody follows here.
// [Whole] makes one in which links lead wherever there is a file.
type FS struct {
	nodes map[string]*node
	whole bool // links are followed throughout
}

var (
	_ fs.ReadDirFS  = (*FS)(nil)
	_ fs.ReadLinkFS = (*FS)(nil)
	_ fs.StatFS     = (*FS)(nil)
)

// node is a file, a link or a directory.
type node struct {
	name    string // the last element
	real    string // of a whole: the place it is at, which links do not change
	dir     bool
	file    File
	entries []fs.DirEntry // of a directory, ascending
}

// New returns the file system, with a sentence for each file that is left out.
func New(files []File) (*FS, []string) { return build(files, false) }

func build(files []File, whole bool) (*FS, []string) {
	f := &FS{nodes: map[string]*node{".": {name: ".", dir: true}}, whole: whole}
	var problems []string
	for _, file := range files {
		if why := f.add(file); why != "" {
			problems = append(problems, fmt.Sprintf("%.200q %s; it is left out", file.Name, why))
		}
	}
	if !whole {
		f.resolve()
	}
	for name, n := range f.nodes {
		if name != "." {
			dir := f.nodes[path.Dir(name)]
			dir.entries = append(dir.entries, fs.FileInfoToDirEntry(info{n}))
		}
	}
	for _, n := range f.nodes { // each by itself, so their order is none of ours
		slices.SortFunc(n.entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return f, problems
}

// Bounds of a name.
const (
	maxName  = 4 << 10 // bytes
	maxDepth = 64      // folders within each other
)

// add puts a file into the tree unless its name is none; it returns why not.
func (f *FS) add(file File) string {
	switch {
	case len(file.Name) > maxName || strings.Count(file.Name, "/") > maxDepth:
		return "is too long or too deep"
	case file.Name == "." || !fs.ValidPath(file.Name) || strings.ContainsFunc(file.Name, foreign):
		return "is no path below the root"
	}
	for dir := path.Dir(file.Name); dir != "."; dir = path.Dir(dir) {
		if n := f.nodes[dir]; n != nil && !n.dir {
			return fmt.Sprintf("lies below %.200q, which is a file", dir)
		}
	}
	if n := f.nodes[file.Name]; n != nil {
		if n.dir {
			return "is a directory too"
		}
		return "stands there twice"
	}
	f.nodes[file.Name] = &node{name: path.Base(file.Name), file: file}
	for dir := path.Dir(file.Name); f.nodes[dir] == nil; dir = path.Dir(dir) {
		f.nodes[dir] = &node{name: path.Base(dir), dir: true}
	}
	return ""
}

// foreign reports whether a character has no place in a name.
func foreign(r rune) bool { return r == '\\' || unicode.IsControl(r) }

// maxLinks is how many links in a row are followed.
const maxLinks = 8

// resolve puts files in the place of the links that lead to them, once it is
// known of all links where they lead.
func (f *FS) resolve() {
	found := make(map[*node]*node)
	for name, n := range f.nodes {
		if n.file.Link == "" {
			continue
		}
		if target := f.target(name); target != nil {
			found[n] = target
		}
	}
	for n, target := range found {
		n.file = File{Name: n.file.Name, Size: target.file.Size, Read: target.file.Read}
	}
}

// target returns the file that a link leads to, or nil if it is none of the same
// skill.
func (f *FS) target(name string) *node {
	skill, _, _ := strings.Cut(name, "/")
	for range maxLinks {
		n := f.nodes[name]
		switch {
		case n == nil || n.dir:
			return nil
		case n.file.Link == "":
			return n
		case path.IsAbs(n.file.Link) || strings.Contains(n.file.Link, "\\"):
			return nil
		}
		name = path.Join(path.Dir(name), n.file.Link)
		if !strings.HasPrefix(name, skill+"/") {
			return nil
		}
	}
	return nil
}

func (f *FS) find(op, name string) (*node, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	n := f.nodes[name]
	if f.whole {
		n = f.follow(name, op != "lstat" && op != "readlink")
	}
	if n == nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
	}
	return n, nil
}

// Open opens a file or a directory. Nothing is read before somebody reads it.
func (f *FS) Open(name string) (fs.File, error) {
	n, err := f.find("open", name)
	switch {
	case err != nil:
		return nil, err
	case n.dir:
		return &openDir{node: n}, nil
	case n.file.Link != "" || n.file.Read == nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return &openFile{n: n}, nil
}

// ReadDir returns the entries of a directory, ascending by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	n, err := f.find("readdir", name)
	if err == nil && !n.dir {
		err = &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.entries), nil
}

// Stat describes a file or directory. A link that is none to a file of its skill
// leads to nothing.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	n, err := f.find("stat", name)
	if err == nil && n.file.Link != "" {
		err = &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, err
	}
	return info{n}, nil
}

// Lstat describes a file, a directory or a link.
func (f *FS) Lstat(name string) (fs.FileInfo, error) {
	n, err := f.find("lstat", name)
	if err != nil {
		return nil, err
	}
	return info{n}, nil
}

// ReadLink returns where a link leads to.
func (f *FS) ReadLink(name string) (string, error) {
	n, err := f.find("readlink", name)
	if err == nil && n.file.Link == "" {
		err = &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	if err != nil {
		return "", err
	}
	return n.file.Link, nil
}

// info describes a node. It has no time: what is there never changes.
type info struct{ n *node }

func (i info) Name() string       { return i.n.name }
func (i info) Size() int64        { return i.n.file.Size }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.n.dir }
func (i info) Sys() any           { return nil }

// RealName is where a file of a [Whole] lies, by whatever links it was found.
func (i info) RealName() string { return i.n.real }

func (i info) Mode() fs.FileMode {
	switch {
	case i.n.dir:
		return fs.ModeDir | 0o555
	case i.n.file.Link != "":
		return fs.ModeSymlink | 0o444
	}
	return 0o444
}

// openFile reads all of a file when something of it is read for the first time.
type openFile struct {
	n    *node
	data *bytes.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return info{f.n}, nil }
func (f *openFile) Close() error               { return nil }

func (f *openFile) Read(b []byte) (int, error) {
	if f.data == nil {
		data, err := f.n.file.Read()
		if err != nil {
			return 0, &fs.PathError{Op: "read", Path: f.n.file.Name, Err: err}
		}
		f.data = bytes.NewReader(data)
	}
	return f.data.Read(b)
}

type openDir struct {
	node *node
	at   int
}

func (d *openDir) Stat() (fs.FileInfo, error) { return info{d.node}, nil }
func (d *openDir) Close() error               { return nil }

func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.node.name, Err: fs.ErrInvalid}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	rest := d.node.entries[d.at:]
	if n > 0 && len(rest) == 0 {
		return nil, io.EOF
	}
	if n > 0 && n < len(rest) {
		rest = rest[:n]
	}
	d.at += len(rest)
	return slices.Clone(rest), nil
}
