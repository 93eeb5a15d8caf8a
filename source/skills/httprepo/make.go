package httprepo

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/proemhq/proem/source/skills"
)

// MakeIndex returns the index of the folders of fsys that have a manifest, in
// order. Names that begin with a dot, node_modules, and what is no regular file
// are passed over.
func MakeIndex(fsys fs.FS) ([]byte, error) {
	x := index{Format: Format, Skills: []skill{}}
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.IsDir() || hidden(e.Name()) {
			continue
		}
		s := skill{Folder: e.Name()}
		sub, err := fs.Sub(fsys, e.Name())
		if err != nil {
			return nil, err
		}
		err = fs.WalkDir(sub, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case name != "." && hidden(d.Name()) && d.IsDir():
				return fs.SkipDir
			case !d.Type().IsRegular() || hidden(d.Name()):
				return nil
			}
			b, err := fs.ReadFile(sub, name)
			s.Files = append(s.Files, file{name, hash(b), int64(len(b))})
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("index of %s: %w", e.Name(), err)
		}
		if slices.ContainsFunc(s.Files, func(f file) bool { return f.Path == skills.Manifest }) {
			x.Skills = append(x.Skills, s)
		}
	}
	b, err := json.MarshalIndent(x, "", "  ")
	return append(b, '\n'), err
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }
