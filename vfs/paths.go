package vfs

import (
	"errors"
	"io/fs"
	"path"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/source/load"
)

// Paths returns the absolute path of a place, and behind it the path that its
// links lead to, if that is another. Of a place that does not exist, the part
// that does is followed.
func Paths(root env.Root, p Place) []string {
	paths := []string{p.Path()}
	if real, err := Real(root, p.Name); err == nil && real != p.Name {
		paths = append(paths, Place{Dir: p.Dir, Name: real}.Path())
	}
	return paths
}

// Real returns the name without links that a name leads to. Names that do not
// exist are kept as they are behind the part that does. It is advice for rules
// and messages: links may change at any time.
func Real(root env.Root, name string) (string, error) {
	rest := ""
	for at := path.Clean(name); ; at = path.Dir(at) {
		real, err := load.Resolve(root, at)
		if err == nil {
			return path.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || at == "." {
			return "", err
		}
		if info, lerr := root.Lstat(at); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", err // a link to nothing
		}
		rest = path.Join(path.Base(at), rest)
	}
}
