package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/gitignore"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/vfs"
)

// maxIgnore is the most bytes of a .gitignore that count.
const maxIgnore = 256 << 10

// walk is one search.
type walk struct {
	ctx   context.Context
	s     searcher
	root  env.Root
	dir   string // where it begins, below root, without links
	visit func(name string, info fs.DirEntry) error

	visits, ignored, refused, unread int
	allIn                            bool // what .gitignore names is looked at too
}

var errEnough = errors.New("too many names")

// open opens the start of a search. The caller closes the root.
func (s searcher) open(ctx context.Context, asked string) (*walk, bool, error) {
	root, at, err := s.cfg.Space.Open(ctx, s.files, asked)
	if err != nil {
		return nil, false, err
	}
	w := &walk{ctx: ctx, s: s, root: root}
	isDir, err := w.begin(at.Name)
	if err != nil {
		root.Close()
		return nil, false, err
	}
	return w, isDir, nil
}

func (w *walk) begin(name string) (isDir bool, err error) {
	if w.dir, err = load.Resolve(w.root, name); err != nil {
		if errors.Is(err, load.ErrOutside) {
			return false, fmt.Errorf("%s leads through a link to a place outside %s", near.Show(name), near.Show(w.root.Name()))
		}
		return false, explain(name, err)
	}
	info, err := w.root.Lstat(w.dir)
	if err != nil {
		return false, explain(name, err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return false, fmt.Errorf("%s is not a regular file and is not read", near.Show(name))
	}
	w.ctx = context.WithValue(w.ctx, startKey{}, w.path(w.dir))
	return info.IsDir(), w.allowed(w.dir)
}

func (w *walk) path(name string) string { return vfs.Place{Dir: w.root.Name(), Name: name}.Path() }

func (w *walk) allowed(name string) error {
	if w.s.cfg.Allow == nil {
		return nil
	}
	return w.s.cfg.Allow(w.ctx, w.path(name))
}

// run visits every file below the start, with its name below root.
func (w *walk) run() error {
	stack, out := w.rulesAbove()
	w.allIn = out
	err := w.descend(w.dir, stack)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// rulesAbove returns the rules of the directories above the start, and whether
// they ignore the start itself: who names an ignored directory wants to see it.
func (w *walk) rulesAbove() (stack *gitignore.Stack, ignored bool) {
	if w.dir == "." {
		return nil, false
	}
	at := "."
	for part := range strings.SplitSeq(w.dir, "/") {
		stack = w.rules(at, stack)
		at = path.Join(at, part)
		ignored = ignored || stack.Ignored(at, true)
	}
	return stack, ignored
}

// rules returns the stack with the rules of a directory.
func (w *walk) rules(dir string, stack *gitignore.Stack) *gitignore.Stack {
	b, _, err := readFile(w.root, path.Join(dir, ".gitignore"), maxIgnore)
	if err != nil {
		return stack
	}
	return stack.Push(dir, gitignore.Parse(b))
}

func (w *walk) descend(dir string, stack *gitignore.Stack) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	entries, err := w.root.ReadDir(dir)
	if err != nil {
		if dir == w.dir {
			return explain(dir, err)
		}
		w.unread++
		return nil
	}
	for _, e := range entries {
		if e.Name() == ".gitignore" && e.Type().IsRegular() {
			stack = w.rules(dir, stack)
		}
	}
	for _, e := range entries {
		if w.visits++; w.visits > w.s.cfg.MaxVisits {
			return errEnough
		}
		name := path.Join(dir, e.Name())
		switch {
		case load.InGit(e.Name()):
			continue
		case !w.allIn && stack.Ignored(name, e.IsDir()):
			w.ignored++
			continue
		case w.allowed(name) != nil:
			w.refused++
			continue
		}
		if err := w.visit(name, e); err != nil {
			return err
		}
		if e.IsDir() {
			if err := w.descend(name, stack); err != nil {
				return err
			}
		}
	}
	return nil
}

// below returns a name relative to the start.
func (w *walk) below(name string) string {
	if w.dir == "." {
		return name
	}
	return strings.TrimPrefix(name, w.dir+"/")
}

// notices says what was not looked at.
func (w *walk) notices(t span.Text, found bool) span.Text {
	if w.visits > w.s.cfg.MaxVisits {
		t = notice(t, fmt.Sprintf("the search ended after %d names; name a directory in path", w.s.cfg.MaxVisits))
	}
	if w.refused > 0 {
		t = notice(t, fmt.Sprintf("%s may not be looked at", count(w.refused, "name")))
	}
	if w.unread > 0 {
		t = notice(t, fmt.Sprintf("%s could not be read", count(w.unread, "name")))
	}
	if !found && w.ignored > 0 {
		t = notice(t, fmt.Sprintf(".gitignore excludes %s; to look there, name one in path", count(w.ignored, "name")))
	}
	return t
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
