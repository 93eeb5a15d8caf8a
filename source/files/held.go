package files

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
)

// Held returns the paths of the project's instruction files that are there,
// without opening one: what a folder that is not trusted keeps back. The user's
// own file and imports are not among them.
func Held(c Config) ([]string, error) {
	if c.Cwd == "" {
		return nil, nil
	}
	s := New(c)
	w := &walk{loader: s.loader, cfg: &s.cfg}
	defer w.close()
	var out []string
	err := s.cfg.check()
	if err == nil {
		_, err = s.findRoot()
	}
	if err == nil {
		err = w.project(context.Background(), s.root, func(root *place, dir string) {
			for _, name := range s.cfg.names() {
				info, err := root.open.Lstat(path.Join(dir, name))
				if err == nil && info.Mode().Type()&^fs.ModeSymlink == 0 {
					out = append(out, filepath.Join(root.dir, filepath.FromSlash(dir), filepath.FromSlash(name)))
				}
			}
		})
	}
	if err != nil {
		return nil, fmt.Errorf("source files: %w", err)
	}
	return out, nil
}
