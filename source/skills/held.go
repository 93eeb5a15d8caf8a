package skills

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/proemhq/proem/prompt"
)

// Held returns the paths of the SKILL.md files that are there for somebody,
// without opening one: what a folder that is not trusted keeps back.
func (f *Folder) Held(ctx context.Context, who prompt.Who) ([]string, error) {
	if err := f.home().Check(); err != nil && !f.virtual {
		return nil, err
	}
	root, err := f.loader.OpenRoot(f.cfg.Root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	defer root.Close()
	dir, err := f.dir(root, who)
	if err != nil || dir == "" {
		return nil, err
	}
	entries, err := f.loader.List(root, dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	var out []string
	for _, e := range entries {
		name := path.Join(dir, e.Name(), Manifest)
		if !mayBeSkill(e) || ctx.Err() != nil {
			continue
		}
		if info, err := root.Lstat(name); err == nil && info.Mode().Type()&^fs.ModeSymlink == 0 {
			out = append(out, filepath.Join(root.Name(), filepath.FromSlash(name)))
		}
	}
	return out, ctx.Err()
}
