// Package fs holds the tools for one file: read_file, list_files, write_file and
// edit_file.
//
// They reach what lies below the roots they are given, usually the project's
// root, and nothing else: names are opened through the open root directory, so
// that no ".." and no link leads out of it, also while links are being changed.
//
//	tools := fs.All(fs.Config{Roots: []string{"/w"}})
//	result, err := tools[0].Call(ctx, []byte(`{"path":"docs/a.md","limit":20}`))
//	result.Text // the first 20 lines, and how to read on
//	result.Text[0].From.Path // "/w/docs/a.md"
//	result, err = tools[3].Call(ctx, []byte(`{"path":"docs/a.md","old":"teh","new":"the"}`))
//	result.Text // "edited docs/a.md at line 7"
//
// A refusal is a result that tells the model what to do instead. What is shown of
// a file is normalised as instruction files are, and what was changed is said.
// What is written never follows a link, and a file is replaced as a whole, so
// that nobody sees half of it.
package fs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/vfs"
)

// The limits of one result.
const (
	DefaultMaxLines   = 2000
	DefaultMaxBytes   = 64 << 10
	DefaultMaxEntries = 1000
)

// A Config says what the tools may reach. Without roots they reach nothing.
type Config struct {
	Env *env.Env // nil: the operating system's
	// Roots are absolute directories. A relative path is meant below the first.
	Roots      []string
	MaxLines   int // of one read; 0: DefaultMaxLines
	MaxBytes   int // of one read or list; 0: DefaultMaxBytes
	MaxEntries int // of one list; 0: DefaultMaxEntries
	// Images makes read_file return PNG, JPEG, GIF and WebP files as images.
	Images bool
	// Resolve, if not nil, is asked first: it knows where a name lies that the
	// prompt shows to whom the call is for, such as a file of their own. Not ok: the
	// name is looked for below the roots.
	Resolve func(ctx context.Context, name string) (root, below string, ok bool)
	// Space, if it has roots, is used in place of Roots and Resolve.
	Space vfs.Space
	// Allow, if not nil, is asked with the absolute path, without links, of each
	// file or directory before something of it is shown or changed. Its error
	// refuses and is shown to the model.
	Allow func(ctx context.Context, path string) error
	// Ledger remembers what was read. edit_file needs it to see that a file was not
	// changed by somebody else; nil: it is not checked. The tools of a session share
	// one.
	Ledger *Ledger
}

// Tools returns the tools that only look: read_file and list_files. They may be
// used concurrently.
func Tools(c Config) []tool.Tool { return []tool.Tool{ReadFile(c), ListFiles(c)} }

// All returns read_file, list_files, write_file and edit_file, with one ledger:
// that of c, or else a new one. They may be used concurrently.
func All(c Config) []tool.Tool {
	if c.Ledger == nil {
		c.Ledger = NewLedger()
	}
	return append(Tools(c), WriteFile(c), EditFile(c))
}

// place is what the tools share.
type place struct {
	files env.Files
	ids   env.IDs
	cfg   Config
}

func newPlace(c Config) place {
	if c.MaxLines == 0 {
		c.MaxLines = DefaultMaxLines
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.MaxEntries == 0 {
		c.MaxEntries = DefaultMaxEntries
	}
	if len(c.Space.Roots) == 0 {
		c.Space = vfs.Space{Resolve: c.Resolve}
		for _, dir := range c.Roots {
			c.Space.Roots = append(c.Space.Roots, vfs.Root{Dir: dir})
		}
	}
	e := env.OrSystem(c.Env)
	return place{files: e.Files, ids: e.IDs, cfg: c}
}

// answer makes a result of what a tool found: an error is one that the model can
// act on, unless the context ended.
func answer(ctx context.Context, name string, r tool.Result, err error) (tool.Result, error) {
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return tool.Result{}, ctx.Err()
	case err != nil:
		return tool.Errorf("%s: %v", name, err), nil
	}
	return r, nil
}

// effect is the effect of a call on one path.
func (p place) effect(ctx context.Context, name string, readOnly bool) tool.Effect {
	e := tool.Effect{ReadOnly: readOnly, Idempotent: readOnly}
	root, at, err := p.cfg.Space.Open(ctx, p.files, name)
	if err != nil {
		e.Refused = true
		return e
	}
	defer root.Close()
	e.Paths = vfs.Paths(root, at)
	return e
}

// allowed asks whether a file may be used, given where it really lies.
func (p place) allowed(ctx context.Context, root env.Root, real string) error {
	if p.cfg.Allow == nil {
		return nil
	}
	return p.cfg.Allow(ctx, vfs.Place{Dir: root.Name(), Name: real}.Path())
}

// explain turns an error of a root into what the model should do.
func explain(root env.Root, asked, rel string, err error) error {
	shown := near.Show(asked)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist%s; list_files shows what there is", shown, similar(root, rel))
	case errors.Is(err, env.ErrNotRegular):
		return fmt.Errorf("%s is not a regular file and is not read", shown)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be read: permission denied", shown)
	}
	if _, rerr := load.Resolve(root, rel); errors.Is(rerr, load.ErrOutside) {
		return fmt.Errorf("%s leads through a link to a place outside %s and is not read", shown, near.Show(root.Name()))
	}
	return fmt.Errorf("%s cannot be read: %w", shown, vfs.Cause(err))
}

// similar suggests a name in the same directory that differs in case or by a
// slip.
func similar(root env.Root, rel string) string {
	dir, base := path.Split(rel)
	entries, err := root.ReadDir(path.Clean("./" + dir))
	if err != nil {
		return ""
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if best := near.Best(base, names); best != "" {
		return "; there is " + near.Show(dir+best)
	}
	return ""
}
