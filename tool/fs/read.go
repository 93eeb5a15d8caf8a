package fs

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// ReadFile returns the tool read_file{path, offset?, limit?}: the lines of a file
// from line offset on, at most limit of them.
func ReadFile(c Config) tool.Tool { return readFile{newPlace(c)} }

type readFile struct{ place }

// Spec implements [tool.Tool].
func (t readFile) Spec() chat.ToolSpec {
	return chat.ToolSpec{
		Name: "read_file",
		Description: fmt.Sprintf("Reads a text file of the project. Returns at most %d lines or %d bytes and says how to read on.",
			t.cfg.MaxLines, t.cfg.MaxBytes),
		Parameters: json.RawMessage(`{"additionalProperties":false,"properties":{` +
			`"limit":{"description":"How many lines to return at most.","minimum":1,"type":"integer"},` +
			`"offset":{"description":"The first line to return, counted from 1.","minimum":1,"type":"integer"},` +
			`"path":{"description":"The file, relative to the project root.","type":"string"}},` +
			`"required":["path"],"type":"object"}`),
	}
}

// Call implements [tool.Tool].
func (t readFile) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	var name string
	first, limit := 1, t.cfg.MaxLines
	err := decode(args, field{"path", true, &name}, field{"offset", false, &first}, field{"limit", false, &limit})
	switch {
	case err != nil:
		return tool.Errorf("read_file: %v", err), nil
	case first < 1:
		return tool.Errorf("read_file: offset is %d; lines are counted from 1", first), nil
	case limit < 1:
		return tool.Errorf("read_file: limit is %d; ask for at least 1 line", limit), nil
	}
	root, rel, err := t.open(ctx, name)
	if err != nil {
		return tool.Errorf("read_file: %v", err), nil
	}
	defer root.Close()
	f, err := t.openFile(root, rel)
	if err != nil {
		return tool.Errorf("read_file: %v", t.explainOpen(root, name, rel, err)), nil
	}
	defer f.Close()
	from := span.Origin{
		Section: "read_file",
		Source:  "file",
		Path:    filepath.Join(root.Name(), filepath.FromSlash(rel)),
		Trust:   span.Tool,
	}
	p, err := readPage(ctx, f, first, min(limit, t.cfg.MaxLines), t.cfg.MaxBytes)
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	if err != nil {
		return tool.Errorf("read_file: %v", t.explain(root, name, rel, err)), nil
	}
	r := p.result(show(name), from)
	r.Touched = []string{from.Path}
	return r, nil
}

// openFile opens a file; an absolute link that stays in the root is followed by
// hand.
func (t readFile) openFile(root env.Root, rel string) (env.File, error) {
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
func (t readFile) explainOpen(root env.Root, asked, rel string, err error) error {
	if info, serr := root.Stat(rel); serr == nil && info.Mode().Type() == fs.ModeDir {
		return fmt.Errorf("%s is a directory; list_files shows what is in it", show(asked))
	}
	return t.explain(root, asked, rel, err)
}
