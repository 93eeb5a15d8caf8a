package permit

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/permit/names"
)

const (
	maxLinks   = 40      // followed for one path
	maxEntries = 200_000 // looked at for other names of a file
)

// Request returns the request for a call whose effect a tool told, with where its
// paths lead at this moment. Files is asked about names and never opens a file.
// Cwd is where a command runs; empty: the first root.
func (p *Policy) Request(files env.Files, name string, args []byte, e tool.Effect, cwd string) Request {
	r := Request{Tool: name, Args: args, ReadOnly: e.ReadOnly, Paths: e.Paths, Command: e.Command}
	if e.Refused {
		return Request{Tool: name, Args: args, ReadOnly: true}
	}
	l := &locator{files: files, roots: map[string]env.Root{}, known: p.roots}
	defer l.close()
	if cwd != "" {
		at, _, err := l.locate(names.Clean(p.base(Request{}), cwd))
		if err != nil {
			r.Unsure = err.Error()
			return r
		}
		r.Cwd = at.Real
	}
	paths := slices.Clone(e.Paths)
	if e.Command != "" {
		paths = append(paths, p.Mentions(r)...)
	}
	if len(paths) > p.maxPaths {
		return r // the policy denies it
	}
	for _, asked := range paths {
		// The links of "a/link/.." are followed in order, as the system does.
		whole := filepath.ToSlash(asked)
		if !names.Absolute(whole) {
			whole = p.base(r) + "/" + whole
		}
		// Or without "..", as many a program does before it asks the system.
		for _, way := range slices.Compact([]string{whole, path.Clean(whole)}) {
			at, links, err := l.locate(way)
			if err == nil && links > 1 && p.aliasesMatter(r) {
				at.Aliases, at.Elsewhere, err = l.aliases(at, links, slices.Concat(p.roots, p.places))
			}
			if err != nil {
				r.Unsure = err.Error()
				return r
			}
			if !slices.ContainsFunc(r.Resolved, func(o Resolved) bool { return o.Literal == at.Literal && o.Real == at.Real }) {
				r.Resolved = append(r.Resolved, at)
			}
		}
	}
	return r
}

// aliasesMatter reports whether other names of a file can change a decision.
func (p *Policy) aliasesMatter(r Request) bool {
	byPath := func(c compiled) bool { return c.Path != "" }
	return !r.ReadOnly || r.Command != "" || slices.ContainsFunc(p.deny, byPath) || slices.ContainsFunc(p.ask, byPath)
}

// locator follows links through open roots of volumes, or, of a file system that
// opens no volume, through the policy's roots.
type locator struct {
	files env.Files
	roots map[string]env.Root
	known []string        // the policy's roots
	names map[ID][]string // of files with several names, once they were looked for
}

func (l *locator) close() {
	for _, r := range l.roots {
		if r != nil {
			r.Close()
		}
	}
}

// errAbove says of a name that it is a folder above the only ones that open.
var errAbove = errors.New("a folder above the roots")

// at returns the root of a path's volume and the name in it. Where the volume does
// not open, it is the policy's root that the path lies in.
func (l *locator) at(name string) (env.Root, string, error) {
	volume := filepath.ToSlash(filepath.VolumeName(filepath.FromSlash(name)))
	root, err := l.open(volume + "/")
	base := volume
	for _, known := range l.known {
		if err == nil {
			break
		}
		switch {
		case names.Inside(known, name):
			base = known
			root, err = l.open(known)
		case names.Inside(name, known):
			return nil, "", errAbove
		}
	}
	if err != nil {
		return nil, "", err
	}
	rel := strings.Trim(name[len(base):], "/")
	if rel == "" {
		rel = "."
	}
	return root, rel, nil
}

// open opens a directory once.
func (l *locator) open(dir string) (env.Root, error) {
	if root, ok := l.roots[dir]; ok {
		if root == nil {
			return nil, fs.ErrNotExist
		}
		return root, nil
	}
	root, err := l.files.OpenRoot(dir)
	if err != nil {
		l.roots[dir] = nil
		return nil, err
	}
	l.roots[dir] = root
	return root, nil
}

// locate follows every link of an absolute path.
func (l *locator) locate(name string) (at Resolved, links uint64, err error) {
	at.Literal = path.Clean(name)
	volume := filepath.ToSlash(filepath.VolumeName(filepath.FromSlash(name)))
	cur, queue := volume+"/", strings.Split(name[len(volume):], "/")
	var info env.Info
	for followed, missing := 0, false; len(queue) > 0; {
		seg := queue[0]
		queue = queue[1:]
		next := path.Join(cur, seg)
		if seg == "" || seg == "." || missing || seg == ".." {
			missing = missing && seg != ".."
			cur = next
			info = env.Info{}
			continue
		}
		root, rel, err := l.at(next)
		switch {
		case errors.Is(err, errAbove):
			cur, info = next, env.Info{}
			continue
		case errors.Is(err, fs.ErrNotExist): // of the volume: nothing is there
			missing, cur, info = true, next, env.Info{}
			continue
		case err != nil:
			return at, 0, err
		}
		if info, err = root.Lstat(rel); err != nil {
			missing, cur, info = true, next, env.Info{} // also what may not be looked at
			continue
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			cur = next
			continue
		}
		if followed++; followed > maxLinks {
			return at, 0, errors.New("a path leads through too many links")
		}
		target, err := root.Readlink(rel)
		if err != nil {
			return at, 0, err
		}
		target = filepath.ToSlash(target)
		if names.Absolute(target) {
			volume = filepath.ToSlash(filepath.VolumeName(filepath.FromSlash(target)))
			cur, target = volume+"/", target[len(volume):]
		}
		queue = append(strings.Split(target, "/"), queue...)
	}
	at.Real = cur
	if info.FileInfo == nil {
		if root, rel, err := l.at(cur); err == nil {
			info, _ = root.Lstat(rel)
		}
	}
	if info.FileInfo != nil {
		at.ID = ID{info.Dev, info.Inode}
		if info.Mode().IsRegular() {
			links = linkCount(info)
		}
	}
	return at, links, nil
}

// aliases looks for other names of a file below some folders.
func (l *locator) aliases(at Resolved, links uint64, dirs []string) (others []string, elsewhere bool, err error) {
	if l.names == nil {
		l.names = map[ID][]string{}
		left := maxEntries
		for _, dir := range dirs {
			if err := l.walk(dir, &left); err != nil {
				return nil, false, err
			}
		}
	}
	found := uint64(0)
	for _, n := range l.names[at.ID] {
		found++
		if n != at.Real {
			others = append(others, n)
		}
	}
	if !slices.Contains(l.names[at.ID], at.Real) {
		found++
	}
	return others, found < links, nil
}

func (l *locator) walk(name string, left *int) error {
	root, rel, err := l.at(name)
	if errors.Is(err, errAbove) || errors.Is(err, fs.ErrNotExist) {
		return nil // no folder that opens
	}
	if err != nil {
		return err
	}
	info, err := root.Lstat(rel)
	if *left--; *left < 0 {
		return errors.New("there are too many files to look for other names of one")
	}
	if err != nil {
		return nil // gone, or nothing that could be reached
	}
	id := ID{info.Dev, info.Inode}
	if info.Mode().IsRegular() && linkCount(info) > 1 && !slices.Contains(l.names[id], name) {
		l.names[id] = append(l.names[id], name)
	}
	if !info.IsDir() {
		return nil
	}
	entries, err := root.ReadDir(rel)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink == 0 {
			if err := l.walk(path.Join(name, e.Name()), left); err != nil {
				return err
			}
		}
	}
	return nil
}
