package files

import (
	"context"
	"fmt"
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
		below, found := survey(root, at, first)
		if found {
			if _, _, err := s.Near(ctx, filepath.Join(dir, filepath.FromSlash(at))); err != nil {
				return err
			}
		}
		queue = append(queue, below[:min(len(below), maxSurvey-len(queue))]...)
	}
	return nil
}

// survey returns the directories in a directory, and whether one of the names is
// there. What cannot be read has none.
func survey(root env.Root, at string, names map[string]bool) (below []string, found bool) {
	entries, err := root.ReadDir(at)
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		found = found || names[e.Name()]
		if e.IsDir() && e.Name() != ".git" && e.Name() != "node_modules" {
			below = append(below, path.Join(at, e.Name()))
		}
	}
	return below, found
}
