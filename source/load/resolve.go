package load

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
)

// ErrOutside says that a name or one of its links leads out of the root.
var ErrOutside = errors.New("leads out of its root")

// maxLinks is how many links a name may lead through.
const maxLinks = 40

// Resolve returns the name, relative to root, of what name leads to, without
// links. An absolute link that points into the root is followed. The result is
// advice for messages and rules: what confines is that files are opened through
// the root.
func Resolve(root env.Root, name string) (string, error) {
	rest := strings.Split(filepath.ToSlash(name), "/")
	var done []string
	for links := 0; len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return "", ErrOutside
			}
			done = done[:len(done)-1]
			continue
		}
		at := path.Join(path.Join(done...), part)
		info, err := root.Lstat(at)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = append(done, part)
			continue
		}
		if links++; links > maxLinks {
			return "", errors.New("too many links")
		}
		to, err := root.Readlink(at)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(to) {
			if to, err = filepath.Rel(root.Name(), to); err != nil {
				return "", ErrOutside
			}
			done = nil
		}
		rest = slices.Concat(strings.Split(filepath.ToSlash(to), "/"), rest)
	}
	if len(done) == 0 {
		return ".", nil
	}
	return path.Join(done...), nil
}

// InGit reports whether a name lies in a version control directory, whose files
// hold credentials.
func InGit(name string) bool {
	for part := range strings.SplitSeq(filepath.ToSlash(name), "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}
