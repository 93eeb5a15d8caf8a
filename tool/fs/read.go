package fs

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/vfs"
)

// ReadFile returns the tool read_file{path, offset?, limit?}: the lines of a file
// from line offset on, at most limit of them.
func ReadFile(c Config) tool.Tool {
	t := readFile{newPlace(c)}
	what := "a text file"
	if c.Images {
		what = "a text file or an image (PNG, JPEG, GIF, WebP)"
	}
	return tool.Must(tool.Make(tool.Def[readArgs]{
		Name: "read_file",
		Description: fmt.Sprintf("Reads %s of the project. Returns at most %d lines or %d bytes and says how to read on.",
			what, t.cfg.MaxLines, t.cfg.MaxBytes),
		Call: func(ctx context.Context, a readArgs) (tool.Result, error) {
			r, err := t.read(ctx, a)
			return answer(ctx, "read_file", r, err)
		},
		Effect: func(ctx context.Context, a readArgs) tool.Effect { return t.effect(ctx, a.Path, true) },
	}))
}

type readArgs struct {
	Path   string `json:"path" description:"The file, relative to the project root."`
	Offset *int   `json:"offset" minimum:"1" description:"The first line to return, counted from 1."`
	Limit  *int   `json:"limit" minimum:"1" description:"How many lines to return at most."`
}

type readFile struct{ place }

func (t readFile) read(ctx context.Context, a readArgs) (tool.Result, error) {
	first, limit := 1, t.cfg.MaxLines
	if a.Offset != nil {
		first = *a.Offset
	}
	if a.Limit != nil {
		limit = min(*a.Limit, limit)
	}
	root, at, err := t.cfg.Space.Open(ctx, t.files, a.Path)
	if err != nil {
		return tool.Result{}, err
	}
	defer root.Close()
	f, err := openFile(root, at.Name)
	if err != nil {
		return tool.Result{}, explainOpen(root, a.Path, at.Name, err)
	}
	defer f.Close()
	real, err := t.check(ctx, root, a.Path, at.Name, f)
	if err != nil {
		return tool.Result{}, err
	}
	if t.cfg.Images {
		if r, ok, err := image(f, near.Show(a.Path), at); ok || err != nil {
			return r, err
		}
	}
	return t.text(ctx, f, real, a.Path, at, first, limit)
}

// text returns a page of the file and remembers what the whole held.
func (t readFile) text(ctx context.Context, f env.File, real, asked string, at vfs.Place, first, limit int) (tool.Result, error) {
	var from io.Reader = f
	sum, info, serr := sha256.New(), env.Info{}, error(nil)
	ledger := t.cfg.Ledger
	if ledger != nil {
		if info, serr = f.Stat(); serr != nil || info.Size() > MaxEdit {
			ledger = nil // too long for an edit
		} else {
			from = io.TeeReader(f, sum)
		}
	}
	p, err := readPage(ctx, from, first, limit, t.cfg.MaxBytes)
	if err == nil && ledger != nil {
		_, err = io.Copy(io.Discard, io.LimitReader(from, MaxEdit))
	}
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, ctx.Err()
	case errors.Is(err, errWide):
		return tool.Result{}, fmt.Errorf("%s cannot be read: %w", near.Show(asked), err)
	case err != nil:
		return tool.Result{}, fmt.Errorf("%s cannot be read: %w", near.Show(asked), vfs.Cause(err))
	}
	if ledger != nil {
		ledger.note(tool.Session(ctx), vfs.Place{Dir: at.Dir, Name: real}.Path(), info, [32]byte(sum.Sum(nil)))
	}
	r := p.result(near.Show(asked), span.Origin{Section: "read_file", Source: "file", Path: at.Path(), Trust: span.Tool})
	r.Touched = []string{at.Path()}
	return r, nil
}

// check returns where an open file lies, without links, if it may be read. What
// a name leads to can change at any time, so the place is compared with the file
// that was opened.
func (t readFile) check(ctx context.Context, root env.Root, asked, rel string, f env.File) (string, error) {
	if t.cfg.Allow == nil && t.cfg.Ledger == nil {
		return path.Clean(rel), nil
	}
	real, err := load.Resolve(root, rel)
	if err != nil {
		return "", explain(root, asked, rel, err)
	}
	opened, err := f.Stat()
	if err != nil {
		return "", explain(root, asked, rel, err)
	}
	there, err := root.Lstat(real)
	if err != nil || !same(opened, there) {
		return "", fmt.Errorf("%s was replaced while it was opened; read it again", near.Show(asked))
	}
	return real, t.allowed(ctx, root, real)
}

// same reports whether both describe one file, where the system can tell.
func same(a, b env.Info) bool {
	return a.FileInfo != nil && b.FileInfo != nil && a.Dev == b.Dev && a.Inode == b.Inode && a.Mode().Type() == b.Mode().Type()
}

// openFile opens a file; an absolute link that stays in the root is followed by
// hand.
func openFile(root env.Root, rel string) (env.File, error) {
	f, err := root.Open(rel)
	if err == nil {
		return f, nil
	}
	if real, rerr := load.Resolve(root, rel); rerr == nil && real != rel {
		if f, rerr := root.Open(real); rerr == nil {
			return f, nil
		}
	}
	return nil, err
}

// explainOpen is explain that knows a directory.
func explainOpen(root env.Root, asked, rel string, err error) error {
	if info, serr := root.Stat(rel); serr == nil && info.Mode().Type() == fs.ModeDir {
		return fmt.Errorf("%s is a directory; list_files shows what is in it", near.Show(asked))
	}
	return explain(root, asked, rel, err)
}
