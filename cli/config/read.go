package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/span"
)

// file reads a file of the user's and adds it as a layer.
func (l *loader) file(path, name string, must bool) {
	data, err := l.follow(path)
	if err != nil {
		if must || !errors.Is(err, fs.ErrNotExist) {
			l.unreadable(path, err)
		}
		return
	}
	l.layer(data, &layer{name: name, path: path, dir: filepath.Dir(path), trust: span.User})
}

// layer parses a file and adds it.
func (l *loader) layer(data string, from *layer) {
	if n, ok := l.parse(data, from); ok {
		l.add(n)
	}
}

// parse returns the map that a file holds. A file without anything in it is an
// empty map.
func (l *loader) parse(data string, from *layer) (*node, bool) {
	n, faults := parse(data, from, 0)
	if faults != nil {
		l.faults = append(l.faults, faults...)
		return nil, false
	}
	if n.kind != null && n.kind != mapping {
		l.faults = append(l.faults, Fault{Code: CodeType, Path: from.path, Line: n.line, Column: n.column,
			Message: fmt.Sprintf("a configuration is a map of keys, not %s", n.kind)})
		return nil, false
	}
	out := *n
	out.kind = mapping
	return &out, true
}

func (l *loader) unreadable(path string, err error) {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	l.faults = append(l.faults, Fault{Code: CodeRead, Path: path, Message: err.Error(), Err: err})
}

// follow reads a file of the user's. Its links are followed wherever they lead:
// people keep such files in a repository of their own.
func (l *loader) follow(path string) (string, error) {
	const hops = 16
	for range hops {
		next, data, err := l.hop(path)
		if err != nil || next == "" {
			return data, err
		}
		path = next
	}
	return "", errors.New("too many symbolic links")
}

// hop reads a file, or returns where the link in its place leads.
func (l *loader) hop(path string) (next, data string, err error) {
	root, err := l.env.Files.OpenRoot(filepath.Dir(path))
	if err != nil {
		return "", "", err
	}
	defer root.Close()
	base := filepath.Base(path)
	info, err := root.Lstat(base)
	if err != nil {
		return "", "", err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := root.Readlink(base)
		if err == nil && !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		return to, "", err
	}
	data, err = read(root, base)
	return "", data, err
}

// inProject reads a file of the project through its root, which no link leads
// out of.
func (l *loader) inProject(path string) (string, error) {
	top := l.opt.Root
	if top == "" {
		top = filepath.Dir(l.opt.ProjectFile)
	}
	rel, err := filepath.Rel(top, path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("lies outside the project %s", top)
	}
	root, err := l.env.Files.OpenRoot(top)
	if err != nil {
		return "", err
	}
	defer root.Close()
	return read(root, filepath.ToSlash(rel))
}

// read reads a file, and one byte more than is allowed at the most.
func read(root env.Root, name string) (string, error) {
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	return string(data), err
}
