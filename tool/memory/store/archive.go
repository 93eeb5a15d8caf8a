package store

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// The kinds of files in the archive.
const (
	entriesPrefix = "entries-" // what MEMORY.md had no room for
	versionPrefix = "MEMORY-"  // MEMORY.md before it was rewritten
)

// numbers returns the numbers of the files of one kind in the archive, ascending.
func (t *seat) numbers(prefix string) ([]int, error) {
	entries, err := t.root.ReadDir(path.Join(t.dir, archive))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var out []int
	for _, e := range entries {
		if n, ok := number(e.Name(), prefix); ok {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// number returns the number in a name such as "entries-0001.md".
func number(name, prefix string) (int, bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	digits, ok2 := strings.CutSuffix(rest, ".md")
	n, err := strconv.Atoi(digits)
	return n, ok && ok2 && err == nil && n > 0 && name == numbered(prefix, n)
}

func numbered(prefix string, n int) string { return fmt.Sprintf("%s%04d.md", prefix, n) }

// next returns the name of the next file of one kind in the archive.
func (t *seat) next(prefix string) (string, error) {
	all, err := t.numbers(prefix)
	if err != nil {
		return "", err
	}
	if len(all) == 0 {
		return numbered(prefix, 1), nil
	}
	return numbered(prefix, all[len(all)-1]+1), nil
}
