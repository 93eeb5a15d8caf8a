package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/proemhq/proem/env"
)

// FindRoot returns the root of the project that cwd lies in: the nearest
// directory, cwd or above it, that holds one of the markers as a file, a
// directory or a link. Without one it is cwd itself. Markers are names; nil means
// [DefaultMarkers]. A directory above cwd that cannot be opened is passed over.
func FindRoot(e *env.Env, cwd string, markers []string) (root string, err error) {
	if !filepath.IsAbs(cwd) {
		return "", fmt.Errorf("working directory %q is not an absolute path", cwd)
	}
	if markers == nil {
		markers = DefaultMarkers()
	}
	for _, m := range markers {
		if !filepath.IsLocal(filepath.FromSlash(m)) {
			return "", fmt.Errorf("root marker %q is not a name below a directory", m)
		}
	}
	cwd = filepath.Clean(cwd)
	files := env.OrSystem(e).Files
	for dir := cwd; ; dir = filepath.Dir(dir) {
		found, err := marked(files, dir, markers)
		if err != nil && dir == cwd {
			return "", fmt.Errorf("working directory: %w", err)
		}
		if found {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return cwd, nil
		}
	}
}

// marked reports whether dir holds a marker.
func marked(files env.Files, dir string, markers []string) (bool, error) {
	root, err := files.OpenRoot(dir)
	if err != nil {
		return false, err
	}
	defer root.Close()
	for _, m := range markers {
		info, err := root.Lstat(m)
		switch {
		case err == nil:
			if t := info.Mode().Type(); t == 0 || t == fs.ModeDir || t == fs.ModeSymlink {
				return true, nil
			}
		case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
			return false, err
		}
	}
	return false, nil
}
