package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

// walk is one look at all places, before the budget. Two equal walks lead to the
// same fact.
type walk struct {
	loader *load.Loader
	cfg    *Config
	roots  [2]*place // by kind; nil: there is none; open while the source reads
	docs   []found
	notes  []prompt.Note
	diags  []prompt.Diagnostic

	others   []prompt.Diagnostic // files of other tools
	imported []*load.File
	looks    []look
	asked    map[question]int // the place of each in looks
}

// place is an open root: of the project, or of the user's own file.
type place struct {
	kind int
	dir  string
	open env.Root
}

// The kinds of places.
const (
	ofUser = iota
	ofProject
)

// enter opens a root.
func (w *walk) enter(kind int, dir string) (*place, error) {
	root, err := w.loader.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	w.roots[kind] = &place{kind, dir, root}
	return w.roots[kind], nil
}

func (w *walk) close() {
	for _, p := range w.roots {
		if p != nil {
			p.open.Close()
		}
	}
}

// found is a file that is going to be a document.
type found struct {
	root    *place
	file    *load.File
	name    string // of the document
	trust   span.Trust
	aliases []string
	dir     string // where one of the names was looked for; empty: it is the user's file
}

func (w *walk) equal(v *walk) bool {
	return slices.Equal(w.notes, v.notes) && slices.Equal(w.diags, v.diags) &&
		slices.EqualFunc(w.docs, v.docs, func(a, b found) bool {
			return a.file == b.file && a.name == b.name && slices.Equal(a.aliases, b.aliases)
		})
}

// rawMax bounds how much of one file is read: enough that a file in UTF-16 or
// with CR LF reaches the budget before it reaches this.
func (w *walk) rawMax() int { return 2*min(w.cfg.MaxBytes, maxFile) + 4 }

// maxFile keeps offsets in 31 bits.
const maxFile = 1<<30 - 4

// user reads the user's own file.
func (w *walk) user() error {
	dir := w.cfg.UserDir
	if dir == "" {
		dir = filepath.Dir(w.cfg.UserFile)
	}
	rel, err := filepath.Rel(dir, w.cfg.UserFile)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("%s does not lie below %s", w.cfg.UserFile, dir)
	}
	root, err := w.enter(ofUser, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	w.take(root, filepath.ToSlash(rel), found{name: "user:" + filepath.Base(rel), trust: span.User})
	return nil
}

// project calls visit for the directories from the root down to the working
// directory.
func (w *walk) project(ctx context.Context, dir string, visit func(root *place, dir string)) error {
	rel, err := filepath.Rel(dir, w.cfg.Cwd)
	if err != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("working directory %s does not lie below the root %s", w.cfg.Cwd, dir)
	}
	root, err := w.enter(ofProject, dir)
	if err != nil {
		return err
	}
	at := "."
	visit(root, at)
	for part := range strings.SplitSeq(filepath.ToSlash(rel), "/") {
		if part == "." {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		at = path.Join(at, part)
		visit(root, at)
	}
	return nil
}

// directory reads the instruction files of one directory.
func (w *walk) directory(root *place, dir string) {
	names := w.cfg.names()
	first := ""   // the name of the file that counts
	seen := false // anything under one of the names
	for _, name := range names {
		at := path.Join(dir, name)
		if first != "" && !w.cfg.LoadAll {
			w.shadowed(root.open, at, path.Join(dir, first))
			continue
		}
		took, there := w.take(root, at, found{name: "project:" + at, trust: span.Project, dir: dir})
		if took && first == "" {
			first = name
		}
		seen = seen || there
	}
	if !seen {
		w.hints(root.open, dir, names)
	}
}

// take loads a file and adds it, or says why not. It reports whether the file
// counts, and whether anything is there.
func (w *walk) take(root *place, name string, as found) (took, there bool) {
	f, err := w.loader.Load(root.open, name, w.rawMax())
	var no *load.Refusal
	switch {
	case errors.As(err, &no):
		w.report(no.Diagnostic)
		return false, true
	case err != nil:
		return false, false
	}
	if target, d := w.stub(root.open, f); target != nil {
		w.report(d)
		as.aliases = append(as.aliases, f.Path)
		f = target
	}
	if f.Blank() {
		w.diags = append(w.diags, f.Diagnostics...)
		w.report(prompt.Diagnostic{Severity: prompt.Info, Code: "doc.blank", Path: f.Path, Message: "holds white space only; passed over"})
		return false, true
	}
	for i := range w.docs {
		if d := &w.docs[i]; d.file.Same(f) {
			d.alias(f.Path)
			for _, a := range as.aliases {
				d.alias(a)
			}
			return true, true
		}
	}
	as.root, as.file = root, f
	w.docs = append(w.docs, as)
	return true, true
}

// shadowed notes a file that a preferred one hides, or lists it as an alias if
// it is the same file.
func (w *walk) shadowed(root env.Root, name, by string) {
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	p := filepath.Join(root.Name(), filepath.FromSlash(name))
	for i := range w.docs {
		if d := &w.docs[i]; info.Inode != 0 && d.file.Info.Inode == info.Inode && d.file.Info.Dev == info.Dev {
			d.alias(p)
			return
		}
	}
	w.notes = append(w.notes, prompt.Note{Name: "project:" + name, Path: p, Stage: Stage, Reason: "shadowed by " + path.Base(by)})
}

func (d *found) alias(p string) {
	if p != d.file.Path && !slices.Contains(d.aliases, p) {
		d.aliases = append(d.aliases, p)
	}
}

// report adds a diagnostic once.
func (w *walk) report(d prompt.Diagnostic) {
	if !slices.Contains(w.diags, d) {
		w.diags = append(w.diags, d)
	}
}
