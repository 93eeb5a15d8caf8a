package files

import (
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/gitignore"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
)

// An Inventory is what instruction files lie in a project besides those that Read
// returns.
type Inventory struct {
	// Docs are the documents that Near gives for the directories of the project:
	// an agent that loads nested files is told them when it touches one.
	Docs        []prompt.Doc
	Notes       []prompt.Note // what is left out of them, such as a shadowed file
	Diagnostics []prompt.Diagnostic
	// Unread are files that look like instructions and are never read, because
	// their names are not among those that are looked for.
	Unread []Unread
}

// An Unread is a file that nobody reads.
type Unread struct {
	Path   string // absolute
	Beside bool   // a file that is read lies in the same directory
}

// maxIgnore bounds how much of a .gitignore is read.
const maxIgnore = 1 << 20

// Inventory looks through the directories of the project for instruction files.
// Besides what Survey passes over it leaves out what git ignores: that is made by
// programs or belongs to others.
func (s *Source) Inventory(ctx context.Context) (Inventory, error) {
	v := &inventory{cfg: &s.cfg, loader: s.loader, ignore: map[string]*gitignore.Stack{}}
	docs, notes := map[string]bool{}, map[prompt.Note]bool{}
	said := map[prompt.Diagnostic]bool{}
	err := s.everywhere(ctx, v.look, func(dir string) error {
		f, err := s.near(ctx, dir)
		if err != nil {
			return err
		}
		for _, d := range f.Docs {
			if !docs[d.Name] {
				v.found.Docs = append(v.found.Docs, d)
			}
			docs[d.Name] = true
		}
		for _, n := range f.Notes {
			if !notes[n] {
				v.found.Notes = append(v.found.Notes, n)
			}
			notes[n] = true
		}
		for _, d := range f.Diagnostics {
			if !said[d] {
				v.found.Diagnostics = append(v.found.Diagnostics, d)
			}
			said[d] = true
		}
		return nil
	})
	return v.found, err
}

// inventory is one look through a project.
type inventory struct {
	cfg    *Config
	loader *load.Loader
	found  Inventory
	ignore map[string]*gitignore.Stack // by directory, of those that are entered
}

// look notes what in a directory is not read, and says which directories below it
// are entered.
func (v *inventory) look(root env.Root, dir string, entries []fs.DirEntry) func(string) bool {
	stack := v.ignore[path.Dir(dir)]
	for _, e := range entries {
		if e.Name() == ".gitignore" && e.Type().IsRegular() {
			if f, err := v.loader.Load(root, path.Join(dir, e.Name()), maxIgnore); err == nil {
				stack = stack.Push(dir, gitignore.Parse([]byte(f.Text)))
			}
		}
	}
	v.ignore[dir] = stack
	v.unread(root, dir, entries, stack)
	return func(name string) bool { return !stack.Ignored(name, true) }
}

// unread notes the files of a directory that nobody reads. What is the same file
// as one that is read, by a link or a hard link, is read.
func (v *inventory) unread(root env.Root, dir string, entries []fs.DirEntry, ignored *gitignore.Stack) {
	names := v.cfg.names()
	var read []env.Info
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) {
			continue
		}
		if info, err := root.Stat(path.Join(dir, e.Name())); err == nil && info.Mode().IsRegular() {
			read = append(read, info)
		}
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() || slices.Contains(names, e.Name()) || !looksLikeInstructions(e.Name(), names) || ignored.Ignored(name, false) {
			continue
		}
		info, err := root.Stat(name)
		if err != nil || !info.Mode().IsRegular() || slices.ContainsFunc(read, func(r env.Info) bool { return sameInfo(r, info) }) {
			continue
		}
		v.found.Unread = append(v.found.Unread, Unread{filepath.Join(root.Name(), filepath.FromSlash(name)), len(read) > 0})
	}
}

// looksLikeInstructions reports whether a name is one of another tool, or differs
// from one that is looked for in case only.
func looksLikeInstructions(name string, names []string) bool {
	for _, n := range names {
		if strings.EqualFold(n, name) {
			return true
		}
	}
	return slices.ContainsFunc(foreign, func(f foreignFile) bool { return f.name == name })
}

func sameInfo(a, b env.Info) bool { return a.Inode != 0 && a.Inode == b.Inode && a.Dev == b.Dev }
