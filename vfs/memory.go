package vfs

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/proemhq/proem/env"
)

// Memory returns a file system in memory. It is empty: directories are made with
// MkdirAll. It has no links, and its times count changes rather than hours, so
// that equal uses give equal files. It may be used concurrently.
func Memory() env.Files {
	return &memory{nodes: map[string]*node{"/": {name: "/", mode: fs.ModeDir | 0o777, inode: 1}}, inodes: 1}
}

type memory struct {
	mu     sync.Mutex
	nodes  map[string]*node // by cleaned absolute path with slashes
	inodes uint64
	clock  int64 // changes so far
}

// node is a file or a directory. All but data and locked are set once.
type node struct {
	name   string
	mode   fs.FileMode
	inode  uint64
	data   []byte
	time   int64
	locked bool
}

func (m *memory) path(dir string) string {
	return path.Clean("/" + filepath.ToSlash(dir[len(filepath.VolumeName(dir)):]))
}

func (m *memory) OpenRoot(dir string) (env.Root, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.get("open", m.path(dir))
	switch {
	case err != nil:
		return nil, err
	case !n.mode.IsDir():
		return nil, &fs.PathError{Op: "open", Path: dir, Err: errNotDir}
	}
	return memoryRoot{m, dir, m.path(dir)}, nil
}

func (m *memory) MkdirAll(dir string, perm fs.FileMode) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mkdirAll(m.path(dir), perm)
}

// The methods below are called with the lock held, with absolute paths.

func (m *memory) get(op, at string) (*node, error) {
	if n := m.nodes[at]; n != nil {
		return n, nil
	}
	for up := path.Dir(at); up != "/"; up = path.Dir(up) {
		if n := m.nodes[up]; n != nil && !n.mode.IsDir() {
			return nil, &fs.PathError{Op: op, Path: at, Err: errNotDir}
		}
	}
	return nil, &fs.PathError{Op: op, Path: at, Err: fs.ErrNotExist}
}

func (m *memory) add(at string, mode fs.FileMode) *node {
	m.inodes++
	m.clock++
	n := &node{name: path.Base(at), mode: mode, inode: m.inodes, time: m.clock}
	m.nodes[at] = n
	return n
}

func (m *memory) mkdirAll(at string, perm fs.FileMode) error {
	if n := m.nodes[at]; n != nil {
		if !n.mode.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: at, Err: errNotDir}
		}
		return nil
	}
	if err := m.mkdirAll(path.Dir(at), perm); err != nil {
		return err
	}
	m.add(at, fs.ModeDir|perm.Perm())
	return nil
}

// children returns the paths in a directory in ascending order.
func (m *memory) children(at string) (out []string) {
	prefix := strings.TrimSuffix(at, "/") + "/"
	for p := range m.nodes {
		if rest, ok := strings.CutPrefix(p, prefix); ok && rest != "" && !strings.Contains(rest, "/") {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out
}

func (m *memory) remove(at string) error {
	n, err := m.get("remove", at)
	if err != nil {
		return err
	}
	if n.mode.IsDir() && (at == "/" || len(m.children(at)) > 0) {
		return &fs.PathError{Op: "remove", Path: at, Err: errNotEmpty}
	}
	delete(m.nodes, at)
	return nil
}

func (m *memory) rename(from, to string) error {
	n, err := m.get("rename", from)
	if err != nil {
		return err
	}
	parent, err := m.get("rename", path.Dir(to))
	if err == nil && !parent.mode.IsDir() {
		err = &fs.PathError{Op: "rename", Path: to, Err: errNotDir}
	}
	if err != nil || from == to {
		return err
	}
	if old := m.nodes[to]; old != nil && (old.mode.IsDir() || n.mode.IsDir()) || strings.HasPrefix(to, from+"/") {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	for p, child := range m.nodes {
		if rest, ok := strings.CutPrefix(p, from+"/"); ok {
			delete(m.nodes, p)
			m.nodes[to+"/"+rest] = child
		}
	}
	delete(m.nodes, from)
	m.clock++
	n.name, n.time = path.Base(to), m.clock
	m.nodes[to] = n
	return nil
}

func (m *memory) open(at string, flag int, perm fs.FileMode) (*node, error) {
	n := m.nodes[at]
	switch {
	case n == nil && flag&os.O_CREATE == 0:
		_, err := m.get("open", at)
		return nil, err
	case n == nil:
		parent, err := m.get("open", path.Dir(at))
		if err == nil && !parent.mode.IsDir() {
			err = &fs.PathError{Op: "open", Path: at, Err: errNotDir}
		}
		if err != nil {
			return nil, err
		}
		return m.add(at, perm.Perm()), nil
	case flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: at, Err: fs.ErrExist}
	case n.mode.IsDir():
		return nil, &fs.PathError{Op: "open", Path: at, Err: env.ErrNotRegular}
	}
	if flag&os.O_TRUNC != 0 {
		m.write(n, nil)
	}
	return n, nil
}

// write replaces what a file holds.
func (m *memory) write(n *node, data []byte) {
	m.clock++
	n.data, n.time = data, m.clock
}

func (n *node) info() env.Info {
	at := time.Unix(0, n.time).UTC()
	return env.Info{FileInfo: nodeInfo{n.name, int64(len(n.data)), n.mode, at}, Dev: 1, Inode: n.inode, Ctime: at}
}

type nodeInfo struct {
	name string
	size int64
	mode fs.FileMode
	time time.Time
}

func (i nodeInfo) Name() string       { return i.name }
func (i nodeInfo) Size() int64        { return i.size }
func (i nodeInfo) Mode() fs.FileMode  { return i.mode }
func (i nodeInfo) ModTime() time.Time { return i.time }
func (i nodeInfo) IsDir() bool        { return i.mode.IsDir() }
func (i nodeInfo) Sys() any           { return nil }
