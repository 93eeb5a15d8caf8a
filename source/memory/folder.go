package memory

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
)

// Bounds of what is looked into.
const (
	maxDepth   = 16   // folders within each other
	maxFolders = 4096 // in all; each costs a stat at every step
)

// A folder is what is known of one directory. It is the same as long as the
// directory did not change.
type folder struct {
	entries []fs.DirEntry // as the loader listed them
	names   []string      // of files, relative to the workspace, ascending
	subs    []string      // of directories, relative to the workspace
	hidden  int           // files whose names cannot be shown
}

// enterFolder adds a directory of the workspace and those below it.
func (w *walk) enterFolder(ctx context.Context, to *[]*folder, base, name string, depth, deepest int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	at := path.Join(base, name)
	entries, err := w.src.loader.List(w.root, at)
	var no *load.Refusal
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &no):
		w.report(no.Diagnostic)
		return nil
	case err != nil:
		w.report(prompt.Diagnostic{Severity: prompt.Warning, Code: "doc.unreadable", Path: w.path(base, name), Message: "cannot be read"})
		return nil
	}
	f := w.folder(base, name, entries)
	*to = append(*to, f)
	if depth == deepest {
		return nil
	}
	for _, sub := range f.subs {
		if len(*to) >= maxFolders {
			return nil
		}
		if err := w.enterFolder(ctx, to, base, sub, depth+1, deepest); err != nil {
			return err
		}
	}
	return nil
}

// folder returns what was known of a directory, or learns it if its entries are
// new.
func (w *walk) folder(base, name string, entries []fs.DirEntry) *folder {
	s, at := w.src, path.Join(base, name)
	s.mu.Lock()
	old := s.dirs[at]
	s.mu.Unlock()
	if old != nil && sameSlice(old.entries, entries) {
		return old
	}
	f := &folder{entries: entries}
	for _, e := range entries {
		rel := path.Join(name, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || rel == Intro:
		case e.IsDir():
			f.subs = append(f.subs, rel)
		case !showable(e.Name()):
			f.hidden++
		case e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0 && w.leadsToFile(base, rel):
			f.names = append(f.names, rel)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.dirs) >= 4*remembered {
		clear(s.dirs)
	}
	s.dirs[at] = f
	return f
}

func sameSlice(a, b []fs.DirEntry) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// showable reports whether a name can stand in a list and be used as it is read
// there.
func showable(name string) bool {
	if isPlain(name) {
		return true
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\\' }) &&
		textnorm.Rest([]byte(name), false).Text == name
}

// isPlain reports whether a name is printable ASCII without a backslash, as
// almost all are.
func isPlain(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; c < ' ' || c > '~' || c == '\\' {
			return false
		}
	}
	return true
}

// leadsToFile reports whether a link leads to a file that may be read.
func (w *walk) leadsToFile(base, name string) bool {
	real, err := load.Resolve(w.root, path.Join(base, name))
	if err != nil || load.InGit(real) || !w.may(base, name, real) {
		return false
	}
	info, err := w.root.Stat(real)
	return err == nil && info.Mode().IsRegular()
}

// names returns the names in the folders, ascending, each once, and how many
// cannot be shown.
func names(folders []*folder) (all []string, hidden int) {
	n := 0
	for _, f := range folders {
		n += len(f.names)
	}
	all = make([]string, 0, n)
	for _, f := range folders {
		all = append(all, f.names...)
		hidden += f.hidden
	}
	if !slices.IsSorted(all) {
		slices.Sort(all)
	}
	return slices.Compact(all), hidden
}
