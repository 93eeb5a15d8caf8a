package files

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/env"
)

// maxSurvey bounds how many directories are looked through.
const maxSurvey = 50_000

// Survey reads the instruction files of every directory of the project, as Near
// does when their directories are touched, for the loader to know them. Links to
// directories and node_modules, whose files are others', are passed over. In a project of very many directories those
// nearest the root count.
func (s *Source) Survey(ctx context.Context) error {
	return s.everywhere(ctx, nil, func(dir string) error {
		_, _, err := s.Near(ctx, dir)
		return err
	})
}

// everywhere calls visit with the absolute path of every directory of the project
// in which one of the names is, and look, if it is not nil, with the entries of
// every directory, by its name below the root. A directory of which look says no is
// not entered further.
func (s *Source) everywhere(ctx context.Context, look func(root env.Root, dir string, entries []fs.DirEntry) (enter func(name string) bool), visit func(dir string) error) error {
	if s.cfg.Cwd == "" || s.cfg.check() != nil {
		return nil
	}
	dir, err := s.findRoot()
	if err != nil {
		return fmt.Errorf("source files: %w", err)
	}
	root, err := s.loader.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("source files: %w", err)
	}
	defer root.Close()
	first := map[string]bool{} // of the names to look for, which may be paths
	for _, n := range s.cfg.names() {
		head, _, _ := strings.Cut(path.Clean(filepath.ToSlash(n)), "/")
		first[head] = true
	}
	queue := []string{"."}
	for i := 0; i < len(queue); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := queue[i]
		entries, err := root.ReadDir(at)
		if err != nil {
			continue // what cannot be read has nothing
		}
		enter := func(string) bool { return true }
		if look != nil {
			enter = look(root, at, entries)
		}
		below, found := survey(at, entries, first, enter)
		if found {
			if err := visit(filepath.Join(dir, filepath.FromSlash(at))); err != nil {
				return err
			}
		}
		queue = append(queue, below[:min(len(below), maxSurvey-len(queue))]...)
	}
	return nil
}

// survey returns the directories to enter of a directory's entries, and whether
// one of the names is among them.
func survey(at string, entries []fs.DirEntry, names map[string]bool, enter func(string) bool) (below []string, found bool) {
	for _, e := range entries {
		found = found || names[e.Name()]
		if name := path.Join(at, e.Name()); e.IsDir() && e.Name() != ".git" && e.Name() != "node_modules" && enter(name) {
			below = append(below, name)
		}
	}
	return below, found
}
