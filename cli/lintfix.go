package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/inspect/lint"
	"github.com/proemhq/proem/internal/textnorm"
)

// maxLinted is how long a file may be that is looked at whole.
const maxLinted = 8 << 20

// lintFiles reads files as they lie on disk. In the project no link leads out of it.
type lintFiles struct {
	env  *env.Env
	root string
}

// Read implements [lint.Reader].
func (l lintFiles) Read(name string) ([]byte, error) {
	dir, base := filepath.Dir(name), filepath.Base(name)
	if rel, err := filepath.Rel(l.root, name); err == nil && filepath.IsLocal(rel) {
		dir, base = l.root, filepath.ToSlash(rel)
	}
	root, err := l.env.Files.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readBelow(root, base, maxLinted)
}

func readBelow(root env.Root, name string, limit int64) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is longer than %d bytes", name, limit)
	}
	return data, err
}

// repair makes the edits and returns the findings that they repair. What is not a
// regular file of the project, without a link on the way, is left as it is.
func (c *command) repair(at place, fixes []lint.Fix) ([]lint.Finding, error) {
	var done []lint.Finding
	if len(fixes) == 0 {
		return nil, nil
	}
	root, err := env.OrSystem(c.p.Env).Files.OpenRoot(at.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	for _, f := range fixes {
		name, why := c.repairable(root, at, f)
		if why != "" {
			c.say("info lint: %s is not repaired: %s", fromHere(f.Path, at), why)
			continue
		}
		after := f.After()
		if after == f.Before {
			continue
		}
		if err := c.replace(root, name, f.Before, after); err != nil {
			return done, fmt.Errorf("%s: %w", f.Path, err)
		}
		c.showRepair(name, f.Before, after)
		done = append(done, f.Findings...)
	}
	return done, nil
}

// repairable returns a file's name below the root, or why it is left as it is.
func (c *command) repairable(root env.Root, at place, f lint.Fix) (name, why string) {
	rel, err := filepath.Rel(at.root, f.Path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", "it is not a file of the project"
	}
	name = filepath.ToSlash(rel)
	for p := name; p != "."; p = path.Dir(p) {
		info, err := root.Lstat(p)
		switch {
		case err != nil:
			return "", err.Error()
		case info.Mode()&fs.ModeSymlink != 0:
			return "", "a link is on the way; repair what it leads to"
		case p == name && !info.Mode().IsRegular():
			return "", "it is not a regular file"
		}
	}
	now, err := readBelow(root, name, maxLinted)
	switch {
	case err != nil:
		return "", err.Error()
	case string(now) != f.Before:
		return "", "it was changed meanwhile"
	}
	return name, ""
}

// replace writes a file anew as a whole: whoever reads it sees the old text or the
// new one.
func (c *command) replace(root env.Root, name, before, after string) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	temp := path.Join(path.Dir(name), "."+env.OrSystem(c.p.Env).IDs.New("lint"))
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = f.Write([]byte(after))
	err = errors.Join(err, env.Chmod(f, info.Mode().Perm()), f.Sync())
	err = errors.Join(err, f.Close())
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return root.SyncDir(path.Dir(name))
}

// showRepair prints a repair as a unified difference, without credentials.
func (c *command) showRepair(name, before, after string) {
	before, after = textnorm.Redact(strings.ToValidUTF8(before, "\ufffd")), textnorm.Redact(after)
	text, err := udiff.ToUnified("a/"+name, "b/"+name, before, edits(before, after), 1)
	if err != nil || text == "" {
		c.say("info lint: %s is written anew", name)
		return
	}
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		c.diffLine(line)
	}
}
