package fs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// ListFiles returns the tool list_files{path}: the names in a directory, one a
// line in ascending order, with a slash after those of directories.
func ListFiles(c Config) tool.Tool {
	t := listFiles{newPlace(c)}
	return tool.Must(tool.Make(tool.Def[listArgs]{
		Name:        "list_files",
		Description: "Lists a directory of the project, one name a line. Directories end in a slash.",
		Call: func(ctx context.Context, a listArgs) (tool.Result, error) {
			r, err := t.list(ctx, a)
			return answer(ctx, "list_files", r, err)
		},
		Effect: func(ctx context.Context, a listArgs) tool.Effect { return t.effect(ctx, a.Path, true) },
	}))
}

type listArgs struct {
	Path string `json:"path" description:"The directory, relative to the project root; \".\" is the root."`
}

type listFiles struct{ place }

func (t listFiles) list(ctx context.Context, a listArgs) (tool.Result, error) {
	root, at, err := t.cfg.Space.Open(ctx, t.files, a.Path)
	if err != nil {
		return tool.Result{}, err
	}
	defer root.Close()
	if real, err := load.Resolve(root, at.Name); err == nil {
		if err := t.allowed(ctx, root, real); err != nil {
			return tool.Result{}, err
		}
	}
	entries, err := readDir(root, at.Name)
	if err != nil {
		if info, serr := root.Stat(at.Name); serr == nil && !info.IsDir() {
			return tool.Result{}, fmt.Errorf("%s is not a directory; read_file shows a file", near.Show(a.Path))
		}
		return tool.Result{}, explain(root, a.Path, at.Name, err)
	}
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	from := &span.Origin{Section: "list_files", Source: "directory", Path: at.Path(), Trust: span.Tool}
	r := t.result(root, at.Name, entries, from)
	r.Touched = []string{from.Path}
	return r, nil
}

// readDir lists a directory; an absolute link that stays in the root is followed
// by hand.
func readDir(root env.Root, rel string) ([]fs.DirEntry, error) {
	entries, err := root.ReadDir(rel)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return entries, err
	}
	if real, rerr := load.Resolve(root, rel); rerr == nil && real != rel {
		return root.ReadDir(real)
	}
	return nil, err
}

func (t listFiles) result(root env.Root, dir string, entries []fs.DirEntry, from *span.Origin) tool.Result {
	if len(entries) == 0 {
		return tool.Result{Text: notice(nil, "[the directory is empty]")}
	}
	var b strings.Builder
	shown := 0
	for _, e := range entries[:min(len(entries), t.cfg.MaxEntries)] {
		line := describe(root, dir, e)
		if b.Len()+len(line) > t.cfg.MaxBytes {
			break
		}
		b.WriteString(line)
		shown++
	}
	text := span.OfGenerated(b.String(), from)
	if rest := len(entries) - shown; rest > 0 {
		text = notice(text, fmt.Sprintf("[%d of %d names are shown; %d are left out]", shown, len(entries), rest))
	}
	return tool.Result{Text: text}
}

// describe returns the line of one entry. A link says where it leads.
func describe(root env.Root, dir string, e fs.DirEntry) string {
	name := near.Show(e.Name())
	switch e.Type() {
	case fs.ModeDir:
		name += "/"
	case fs.ModeSymlink:
		if to, err := root.Readlink(path.Join(dir, e.Name())); err == nil {
			name += " -> " + near.Show(to)
		}
	}
	return name + "\n"
}
