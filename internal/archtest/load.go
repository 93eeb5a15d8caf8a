package archtest

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Load reads the packages of the module at root, in order of their paths, with
// the imports of all files that are not tests, whatever their build tags.
// Folders that the go command passes over and modules of their own are left
// out.
func Load(root string) ([]Package, error) { return load(os.DirFS(root)) }

func load(tree fs.FS) ([]Package, error) {
	found := map[string]*Package{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return enter(tree, name)
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || ignored(path.Base(name)) {
			return nil
		}
		imports, err := read(tree, name)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if found[dir] == nil {
			found[dir] = &Package{Path: dir}
		}
		found[dir].Imports = append(found[dir].Imports, imports...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", err)
	}
	out := make([]Package, 0, len(found))
	for _, p := range found {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// enter decides whether a folder belongs to the module.
func enter(tree fs.FS, dir string) error {
	if dir == "." {
		return nil
	}
	if base := path.Base(dir); base == "testdata" || base == "vendor" || ignored(base) {
		return fs.SkipDir
	}
	_, err := fs.Stat(tree, path.Join(dir, "go.mod"))
	switch {
	case err == nil:
		return fs.SkipDir
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

func ignored(base string) bool { return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") }

func read(tree fs.FS, name string) ([]Import, error) {
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []Import
	for _, s := range f.Imports {
		p, err := strconv.Unquote(s.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: import %s: %w", name, s.Path.Value, err)
		}
		out = append(out, Import{Path: p, File: name})
	}
	return out, nil
}
