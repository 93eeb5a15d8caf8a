// Package fs holds the tools that look at files: read_file and list_files.
//
// They see what lies below the roots they are given, usually the project's root,
// and nothing else: names are opened through the open root directory, so that no
// ".." and no link leads out of it, also while links are being changed.
//
//	tools := fs.Tools(fs.Config{Roots: []string{"/w"}})
//	result, err := tools[0].Call(ctx, []byte(`{"path":"docs/a.md","limit":20}`))
//	result.Text // the first 20 lines, and how to read on
//	result.Text[0].From.Path // "/w/docs/a.md"
//
// A refusal is a result that tells the model what to do instead. What is shown of
// a file is normalised as instruction files are, and what was changed is said.
package fs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/tool"
)

// The limits of one result.
const (
	DefaultMaxLines   = 2000
	DefaultMaxBytes   = 64 << 10
	DefaultMaxEntries = 1000
)

// A Config says what the tools may see. Without roots they see nothing.
type Config struct {
	Env *env.Env // nil: the operating system's
	// Roots are absolute directories. A relative path is meant below the first.
	Roots      []string
	MaxLines   int // of one read; 0: DefaultMaxLines
	MaxBytes   int // of one read or list; 0: DefaultMaxBytes
	MaxEntries int // of one list; 0: DefaultMaxEntries
	// Resolve, if not nil, is asked first: it knows where a name lies that the
	// prompt shows to whom the call is for, such as a file of their own. Not ok: the
	// name is looked for below the roots.
	Resolve func(ctx context.Context, name string) (root, below string, ok bool)
}

// Tools returns read_file and list_files. They may be used concurrently.
func Tools(c Config) []tool.Tool { return []tool.Tool{ReadFile(c), ListFiles(c)} }

// place is what the tools share.
type place struct {
	files env.Files
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
	return place{files: env.OrSystem(c.Env).Files, cfg: c}
}

// locate returns the root that a path of the model lies in, and its name there.
func (p place) locate(name string) (root, rel string, err error) {
	if name == "" {
		return "", "", errors.New("path is empty; give a path relative to the project root, such as \"README.md\"")
	}
	if strings.ContainsRune(name, 0) {
		return "", "", errors.New("path holds a NUL character; no file has such a name")
	}
	local := filepath.FromSlash(name)
	if filepath.IsAbs(local) {
		for _, r := range p.cfg.Roots {
			if rel, err := filepath.Rel(r, local); err == nil && filepath.IsLocal(rel) {
				return r, filepath.ToSlash(rel), nil
			}
		}
		return "", "", p.outside(name)
	}
	local = filepath.Clean(local)
	if len(p.cfg.Roots) == 0 || !filepath.IsLocal(local) {
		return "", "", p.outside(name)
	}
	return p.cfg.Roots[0], filepath.ToSlash(local), nil
}

// outside refuses a path and names the roots that exist.
func (p place) outside(name string) error {
	if len(p.cfg.Roots) == 0 {
		return fmt.Errorf("%s: this tool has no directory it may read", show(name))
	}
	roots := make([]string, len(p.cfg.Roots))
	for i, r := range p.cfg.Roots {
		roots[i] = show(r)
	}
	return fmt.Errorf("%s lies outside what can be read; use a path below %s", show(name), strings.Join(roots, " or "))
}

// open opens the root of a path. The caller closes it.
func (p place) open(ctx context.Context, name string) (env.Root, string, error) {
	dir, rel, err := p.locate(name)
	if p.cfg.Resolve != nil && name != "" && !strings.ContainsRune(name, 0) {
		if r, below, ok := p.cfg.Resolve(ctx, name); ok {
			dir, rel, err = r, below, nil
		}
	}
	if err != nil {
		return nil, "", err
	}
	root, err := p.files.OpenRoot(dir)
	if err != nil {
		return nil, "", fmt.Errorf("the root %s cannot be opened: %w", show(dir), cause(err))
	}
	return root, rel, nil
}

// explain turns an error of a root into what the model should do.
func (p place) explain(root env.Root, asked, rel string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist%s; list_files shows what there is", show(asked), near(root, rel))
	case errors.Is(err, env.ErrNotRegular):
		return fmt.Errorf("%s is not a regular file and is not read", show(asked))
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s cannot be read: permission denied", show(asked))
	}
	if _, rerr := load.Resolve(root, rel); errors.Is(rerr, load.ErrOutside) {
		return fmt.Errorf("%s leads through a link to a place outside %s and is not read", show(asked), show(root.Name()))
	}
	return fmt.Errorf("%s cannot be read: %w", show(asked), cause(err))
}

// cause is an error without the path that it repeats.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// near suggests a name in the same directory that differs in case or by a slip.
func near(root env.Root, rel string) string {
	dir, base := path.Split(rel)
	entries, err := root.ReadDir(path.Clean("./" + dir))
	if err != nil {
		return ""
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if best := nearest(base, names); best != "" {
		return "; there is " + show(dir+best)
	}
	return ""
}
