package fs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// ListFiles returns the tool list_files{path}: the names in a directory, one a
// line in ascending order, with a slash after those of directories.
func ListFiles(c Config) tool.Tool { return listFiles{newPlace(c)} }

type listFiles struct{ place }

// Spec implements [tool.Tool].
func (t listFiles) Spec() chat.ToolSpec {
	return chat.ToolSpec{
		Name:        "list_files",
		Description: "Lists a directory of the project, one name a line. Directories end in a slash.",
		Parameters: json.RawMessage(`{"additionalProperties":false,"properties":{` +
			`"path":{"description":"The directory, relative to the project root; \".\" is the root.","type":"string"}},` +
			`"required":["path"],"type":"object"}`),
	}
}

// Call implements [tool.Tool].
func (t listFiles) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
	var name string
	if err := decode(args, field{"path", true, &name}); err != nil {
		return tool.Errorf("list_files: %v", err), nil
	}
	root, rel, err := t.open(ctx, name)
	if err != nil {
		return tool.Errorf("list_files: %v", err), nil
	}
	defer root.Close()
	entries, err := readDir(root, rel)
	if err != nil {
		if info, serr := root.Stat(rel); serr == nil && !info.IsDir() {
			return tool.Errorf("list_files: %s is not a directory; read_file shows a file", show(name)), nil
		}
		return tool.Errorf("list_files: %v", t.explain(root, name, rel, err)), nil
	}
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	from := &span.Origin{
		Section: "list_files",
		Source:  "directory",
		Path:    filepath.Join(root.Name(), filepath.FromSlash(rel)),
		Trust:   span.Tool,
	}
	r := t.result(root, rel, entries, from)
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
	name := show(e.Name())
	switch e.Type() {
	case fs.ModeDir:
		name += "/"
	case fs.ModeSymlink:
		if to, err := root.Readlink(path.Join(dir, e.Name())); err == nil {
			name += " -> " + show(to)
		}
	}
	return name + "\n"
}
