package skills

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
	"github.com/proemhq/proem/source/memory/home"
	"github.com/proemhq/proem/span"
)

// Bounds of what is read and listed of a skill.
const (
	maxResource = 1 << 20 // bytes of one file
	maxFiles    = 200     // files named
	maxDepth    = 8       // folders within each other
)

// CheckPath returns the path of a skill's file in its shortest form. A path that
// is absolute, or leads out of the skill or into .git, is an [*Error].
func CheckPath(skill, name string) (string, error) {
	local := filepath.FromSlash(name)
	if name == "" || strings.Contains(name, "\\") || strings.HasPrefix(name, "/") || !filepath.IsLocal(local) || load.InGit(name) {
		return "", outside(skill, name)
	}
	return path.Clean(name), nil
}

// checkSkill refuses a name that somebody hopes is used as a path.
func checkSkill(skill string) error {
	if skill == "." || skill == ".." || strings.ContainsAny(skill, `/\`) {
		return outside(skill, "")
	}
	return nil
}

// enter opens the root and finds the folder of a skill.
func (f *Folder) enter(ctx context.Context, who prompt.Who, skill string) (root env.Root, folder string, err error) {
	root, err = f.loader.OpenRoot(f.cfg.Root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, "", unknown(skill)
		}
		return nil, "", &Error{Code: CodeRefused, Skill: skill, Message: err.Error(), Err: err}
	}
	s, err := f.lookIn(ctx, root, who)
	if err != nil {
		root.Close()
		return nil, "", &Error{Code: CodeRefused, Skill: skill, Message: err.Error(), Err: err}
	}
	folder, ok := s.folders[skill]
	if !ok {
		root.Close()
		if err := checkSkill(skill); err != nil {
			return nil, "", err
		}
		return nil, "", unknown(skill)
	}
	return root, folder, nil
}

// Open implements [Repository].
func (f *Folder) Open(ctx context.Context, who prompt.Who, skill, name string) (Resource, error) {
	clean, err := CheckPath(skill, name)
	if err != nil {
		return Resource{}, err
	}
	root, folder, err := f.enter(ctx, who, skill)
	if err != nil {
		return Resource{}, err
	}
	defer root.Close()
	limit := maxResource
	if clean == Manifest {
		limit = maxManifest // and is in the loader's memory already
	}
	file, err := f.loader.Load(root, path.Join(folder, clean), limit)
	var no *load.Refusal
	switch {
	case errors.As(err, &no) && (no.Diagnostic.Code == "doc.outside_root" || errors.Is(err, errLink)):
		return Resource{}, outside(skill, name)
	case errors.As(err, &no):
		return Resource{}, &Error{Code: CodeRefused, Skill: skill, Path: name, Message: no.Diagnostic.Message, Err: err}
	case err != nil:
		return Resource{}, &Error{Code: CodeMissing, Skill: skill, Path: name, Message: "the skill has no such file", Err: fs.ErrNotExist}
	}
	if real, err := load.Resolve(root, folder); err != nil || !home.Within(file.Real, real) {
		return Resource{}, outside(skill, name)
	}
	return f.resource(skill, file), nil
}

// resource is what a caller is told of a file.
func (f *Folder) resource(skill string, file *load.File) Resource {
	from := span.Origin{Section: "skill:" + skill, Source: "skill", Path: file.Path, Trust: f.cfg.Trust}
	return Resource{Path: file.Path, Text: file.Text, Spans: file.Spans(from), SHA256: file.SHA256, Size: file.Size,
		Partial: file.Partial, Diagnostics: file.Diagnostics}
}

// Files implements [Browser].
func (f *Folder) Files(ctx context.Context, who prompt.Who, skill string) ([]string, bool, error) {
	root, folder, err := f.enter(ctx, who, skill)
	if err != nil {
		return nil, false, err
	}
	defer root.Close()
	real, err := load.Resolve(root, folder)
	if err != nil {
		return nil, false, &Error{Code: CodeRefused, Skill: skill, Message: "its folder cannot be read", Err: err}
	}
	b := &browse{loader: f.loader, root: root, real: real}
	if err := b.dir(ctx, "", 1); err != nil {
		return nil, false, fmt.Errorf("skill %.80q: %w", skill, err)
	}
	slices.Sort(b.paths)
	return b.paths, !b.full, nil
}

// browse gathers the files of one skill.
type browse struct {
	loader *load.Loader
	root   env.Root
	real   string // of the skill, without links
	paths  []string
	full   bool
}

// dir adds the files of a directory and those below it. Directories that are
// links are not entered, so that none is entered twice.
func (b *browse) dir(ctx context.Context, rel string, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := b.loader.List(b.root, path.Join(b.real, rel))
	if err != nil {
		return nil // it is gone, or not for us; the files beside it count
	}
	for _, e := range entries {
		at := path.Join(rel, e.Name())
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || at == Manifest {
			continue
		}
		switch {
		case e.IsDir() && depth < maxDepth:
			if err := b.dir(ctx, at, depth+1); err != nil {
				return err
			}
		case e.IsDir():
			b.full = true
		case e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0 && b.inside(at):
			if len(b.paths) == maxFiles {
				b.full = true
				return nil
			}
			b.paths = append(b.paths, at)
		}
	}
	return nil
}

// inside reports whether a link leads to a file of the skill.
func (b *browse) inside(at string) bool {
	real, err := load.Resolve(b.root, path.Join(b.real, at))
	if err != nil || !home.Within(real, b.real) {
		return false
	}
	info, err := b.root.Stat(real)
	return err == nil && info.Mode().IsRegular()
}
