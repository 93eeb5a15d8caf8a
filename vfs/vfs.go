// Package vfs says where a path of a model lies, and has file systems that are
// no disk.
//
// A [Space] is a policy: the root directories that exist, and how a path is
// meant. It names places; what confines is that they are opened through the root:
//
//	s := vfs.Space{Roots: []vfs.Root{{Dir: "/w", Name: "project"}, {Dir: "/ref", ReadOnly: true}}}
//	p, err := s.Locate(ctx, "docs/a.md")    // {Dir: "/w", Name: "docs/a.md"}
//	p, err = s.Locate(ctx, "/ref/b.md")     // {Dir: "/ref", Name: "b.md", ReadOnly: true}
//	p, err = s.Locate(ctx, "/etc/passwd")   // an error that names /w and /ref
//	s.Describe()                            // what to tell the model of paths
//
// A file system is an [env.Files]. Besides the operating system's there are
// [Memory], which keeps files in memory, and [Overlay], which reads one tree and
// writes to another. A sandbox or a remote machine is one more of them.
package vfs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/near"
)

// A Mode says how a path is meant.
type Mode int

const (
	// Rooted is the default: a relative path is meant below the first root, and an
	// absolute one must lie in a root.
	Rooted Mode = iota
	// Anchored takes every path as one below the first root, whose own name is "/":
	// "/a" and "a" are the same. The other roots are not reached.
	Anchored
	// Unrestricted lets an absolute path lie anywhere. A relative one is meant below
	// the first root and may lead out of it.
	Unrestricted
)

// A Root is a directory that paths may lie in.
type Root struct {
	Dir      string // absolute
	Name     string // what it is to a reader, such as "project"; may be empty
	ReadOnly bool   // nothing is written there
}

// A Space is the roots and how paths are meant. The zero Space has no place.
// It is not changed after its first use.
type Space struct {
	Roots []Root
	Mode  Mode
	// Resolve, if not nil, is asked first: it knows where a name lies that the
	// prompt shows to whom the call is for, such as a file of their own. Such a place
	// is only read. Not ok: the name is looked for below the roots.
	Resolve func(ctx context.Context, name string) (dir, below string, ok bool)
}

// A Place is a name below a root.
type Place struct {
	Dir      string // the root, absolute
	Name     string // below it, with slashes and without ".."; "." is the root
	ReadOnly bool
}

// Path returns the place's absolute path.
func (p Place) Path() string { return filepath.Join(p.Dir, filepath.FromSlash(p.Name)) }

// Locate returns the place of a path. Of roots that lie in each other the
// innermost counts. The error is for the model: it says which paths there are.
func (s Space) Locate(ctx context.Context, name string) (Place, error) {
	switch {
	case name == "":
		return Place{}, errors.New("path is empty; give a path relative to the project root, such as \"README.md\"")
	case strings.ContainsRune(name, 0):
		return Place{}, errors.New("path holds a NUL character; no file has such a name")
	}
	if s.Resolve != nil {
		if dir, below, ok := s.Resolve(ctx, name); ok {
			return Place{Dir: dir, Name: below, ReadOnly: true}, nil
		}
	}
	if len(s.Roots) == 0 {
		return Place{}, fmt.Errorf("%s: this tool has no directory it may use", near.Show(name))
	}
	if name == "~" || strings.HasPrefix(name, "~/") {
		return Place{}, fmt.Errorf("%s begins with ~, which is not expanded; %s", near.Show(name), s.use())
	}
	local := filepath.FromSlash(name)
	if s.Mode == Anchored {
		local = strings.TrimLeft(local[len(filepath.VolumeName(local)):], string(filepath.Separator))
	}
	if !filepath.IsAbs(local) {
		clean := filepath.Clean(local)
		if s.Mode != Unrestricted && !filepath.IsLocal(clean) {
			return Place{}, s.outside(name)
		}
		local = filepath.Join(s.Roots[0].Dir, clean)
	}
	return s.place(name, local)
}

// place returns the place of an absolute path.
func (s Space) place(asked, path string) (Place, error) {
	roots := s.Roots
	if s.Mode == Anchored {
		roots = roots[:1]
	}
	var best Place
	for _, r := range roots {
		rel, err := filepath.Rel(r.Dir, path)
		if err == nil && filepath.IsLocal(rel) && (best.Dir == "" || len(r.Dir) > len(best.Dir)) {
			best = Place{Dir: r.Dir, Name: filepath.ToSlash(rel), ReadOnly: r.ReadOnly}
		}
	}
	switch {
	case best.Dir != "":
		return best, nil
	case s.Mode != Unrestricted:
		return best, s.outside(asked)
	}
	top := filepath.VolumeName(path) + string(filepath.Separator)
	rel, err := filepath.Rel(top, path)
	return Place{Dir: top, Name: filepath.ToSlash(rel)}, err
}

// ErrOutside is wrapped by the error of a path that lies in no root.
var ErrOutside = errors.New("lies outside what can be used")

// outside refuses a path and names the roots that exist.
func (s Space) outside(name string) error {
	return fmt.Errorf("%s %w; %s", near.Show(name), ErrOutside, s.use())
}

// use names the roots to use.
func (s Space) use() string {
	if s.Mode == Anchored {
		return "use a path relative to the project root"
	}
	dirs := make([]string, len(s.Roots))
	for i, r := range s.Roots {
		dirs[i] = near.Show(r.Dir)
	}
	return "use a path below " + strings.Join(dirs, " or ")
}

// Open opens the root of a path. The caller closes it.
func (s Space) Open(ctx context.Context, files env.Files, name string) (env.Root, Place, error) {
	p, err := s.Locate(ctx, name)
	if err != nil {
		return nil, p, err
	}
	root, err := files.OpenRoot(p.Dir)
	if err != nil {
		return nil, p, fmt.Errorf("the root %s cannot be opened: %w", near.Show(p.Dir), Cause(err))
	}
	return root, p, nil
}

// Describe returns what a model should know of paths, for its prompt: it is made
// of the roots and the mode and holds no more than them. It is empty if there is
// no root.
func (s Space) Describe() string {
	if len(s.Roots) == 0 {
		return ""
	}
	if s.Mode == Anchored {
		return "Paths are relative to the project root, which is also \"/\". There are no files outside it." + readOnly(s.Roots[:1]) + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "A relative path is meant below %s.", s.Roots[0].label())
	rest := s.Roots[1:]
	switch {
	case s.Mode == Unrestricted:
		b.WriteString(" An absolute path may lead anywhere.")
	case len(rest) == 0:
		b.WriteString(" An absolute path must lie in it; anything else is refused.")
	default:
		b.WriteString(" An absolute path must lie there or in one of these directories; anything else is refused:\n")
		for _, r := range rest {
			fmt.Fprintf(&b, "- %s\n", r.label())
		}
		return b.String()
	}
	b.WriteString(readOnly(s.Roots[:1]))
	return b.String() + "\n"
}

func readOnly(roots []Root) string {
	if roots[0].ReadOnly {
		return " Nothing can be written there."
	}
	return ""
}

// label names a root in a prompt.
func (r Root) label() string {
	var words []string
	if r.Name != "" {
		words = append(words, r.Name)
	}
	if r.ReadOnly {
		words = append(words, "read-only")
	}
	if len(words) == 0 {
		return near.Show(r.Dir)
	}
	return near.Show(r.Dir) + " (" + strings.Join(words, ", ") + ")"
}
