package memory

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/memory/home"
)

// Bounds of how much of a file is read. The end of the memory matters most, so it
// is read whole or not at all.
const (
	maxFile   = 1 << 20
	maxMemory = 8 << 20
)

// walk is one look at all places, before the budget. Two equal walks lead to the
// same fact.
type walk struct {
	src  *Source
	root env.Root // open while the source looks
	home string   // the workspace below the root
	own  string   // the user's folder below the root, or empty

	files     []found
	notes     []*folder // of memory/
	knowledge []*folder // of knowledge/ and all below
	diags     []prompt.Diagnostic
}

// found is a file that is going to be a document.
type found struct {
	name string // relative to the workspace
	file *load.File
}

func (w *walk) equal(v *walk) bool {
	return slices.Equal(w.files, v.files) && slices.Equal(w.notes, v.notes) &&
		slices.Equal(w.knowledge, v.knowledge) && slices.Equal(w.diags, v.diags)
}

// enter opens the root and finds the folders. The walk of a workspace that is not
// there has no root.
func (s *Source) enter(who prompt.Who) (*walk, error) {
	w := &walk{src: s, home: s.home().Name()}
	if err := s.check(who); err != nil {
		return nil, err
	}
	root, err := s.loader.OpenRoot(s.cfg.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return w, nil
	}
	if err != nil {
		return nil, err
	}
	own, _, err := s.home().User(s.loader, root, who)
	var no *load.Refusal
	if errors.As(err, &no) { // nobody's folder can be seen; what is shared may be
		w.report(no.Diagnostic)
		err = nil
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	w.root, w.own = root, own
	return w, nil
}

func (w *walk) close() {
	if w.root != nil {
		w.root.Close()
	}
}

// walk looks at every place.
func (s *Source) walk(ctx context.Context, who prompt.Who) (*walk, error) {
	w, err := s.enter(who)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if w.root == nil {
		return w, nil
	}
	for _, name := range []string{Persona, Memory, Intro} {
		w.take(name, false)
	}
	extras, bad := s.cfg.extras()
	for _, name := range bad {
		w.report(prompt.Diagnostic{Severity: prompt.Error, Code: "doc.outside_root", Path: w.path(w.home, name), Message: "leads out of the workspace; not read"})
	}
	for _, name := range extras {
		w.take(name, true)
	}
	for _, base := range w.bases() {
		if err := w.enterFolder(ctx, &w.notes, base, Notes, 1, 1); err != nil {
			return nil, err
		}
		if err := w.enterFolder(ctx, &w.knowledge, base, Knowledge, 1, maxDepth); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// take looks a file up and adds it.
func (w *walk) take(name string, wanted bool) {
	f, there := w.lookup(name)
	switch {
	case !there && wanted:
		w.report(prompt.Diagnostic{Severity: prompt.Info, Code: "doc.missing", Path: w.path(w.home, name), Message: "an extra file that is not there"})
	case f == nil:
	case slices.ContainsFunc(w.files, func(o found) bool { return o.file.Same(f) }):
		// the same file under another name
	default:
		w.files = append(w.files, found{name, f})
	}
}

// lookup returns the user's file of a name, else the shared one, else nil, and
// whether anything is there. Blank files count as absent.
func (w *walk) lookup(name string) (f *load.File, there bool) {
	limit := maxFile
	if name == Memory {
		limit = maxMemory
	}
	for _, base := range w.bases() {
		f, err := w.src.loader.Load(w.root, path.Join(base, name), limit)
		var no *load.Refusal
		switch {
		case errors.As(err, &no):
			w.report(no.Diagnostic)
		case err != nil:
			continue
		case !w.may(base, name, f.Real):
			w.report(prompt.Diagnostic{Severity: prompt.Error, Code: "doc.outside_root", Path: f.Path, Message: "leads to files that are not its own; not read"})
		case f.Blank():
			w.report(prompt.Diagnostic{Severity: prompt.Info, Code: "doc.blank", Path: f.Path, Message: "holds white space only; passed over"})
		default:
			return f, true
		}
		there = true
	}
	return nil, there
}

// bases returns the folders in which a file may lie, the user's own first.
func (w *walk) bases() []string {
	if w.own != "" {
		return []string{w.own, w.home}
	}
	return []string{w.home}
}

// shared are the folders of a workspace that belong to everybody. A folder with
// another name may be a user's.
var shared = []string{Knowledge, Notes, "plans", "skills", "subagents"}

// may reports whether a file found under a name may be read, going by where it
// lies without links: a user's file in the user's folder, a shared one in no
// user's.
func (w *walk) may(base, name, real string) bool {
	if real == path.Join(base, name) { // no link is involved
		return true
	}
	if base == w.own {
		return home.Within(real, w.realOf(w.own))
	}
	at := w.realOf(w.home)
	if !home.Within(real, at) {
		return true // elsewhere below the root, which no link leaves
	}
	rest := real
	if at != "." {
		rest = strings.TrimPrefix(real, at+"/")
	}
	first, _, deep := strings.Cut(rest, "/")
	mine, _, _ := strings.Cut(name, "/")
	return !deep || slices.Contains(shared, first) || first == mine
}

// realOf returns a folder's name without links.
func (w *walk) realOf(dir string) string {
	if real, err := load.Resolve(w.root, dir); err == nil {
		return real
	}
	return dir
}

// path returns the absolute path of a name for people.
func (w *walk) path(base, name string) string {
	return filepath.Join(w.src.cfg.Root, filepath.FromSlash(base), filepath.FromSlash(name))
}

// report adds a diagnostic once.
func (w *walk) report(d prompt.Diagnostic) {
	if !slices.Contains(w.diags, d) {
		w.diags = append(w.diags, d)
	}
}
