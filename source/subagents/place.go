package subagents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/memory/home"
)

// maxFile bounds how much of a declaration is read.
const maxFile = 256 << 10

// look is what was found under one name of a place.
type look struct {
	place int
	name  string     // of the file; empty: the place itself
	file  *load.File // nil: it is refused
	no    prompt.Diagnostic
}

func (a look) equal(b look) bool { return a == b }

func (c *Config) check() error {
	for i, p := range c.Places {
		if err := (home.Home{Root: p.Root, Dir: p.Dir}).Check(); err != nil {
			return err
		}
		if p.Scope == "" || p.Scope == builtin || strings.Contains(p.Scope, "@") {
			return fmt.Errorf("a scope is called %q", p.Scope)
		}
		if slices.ContainsFunc(c.Places[:i], func(q Place) bool { return q.Scope == p.Scope }) {
			return fmt.Errorf("two places have the scope %q", p.Scope)
		}
	}
	if c.ListMaxBytes < 0 {
		return fmt.Errorf("a list of %d bytes", c.ListMaxBytes)
	}
	return nil
}

// place looks at one place. One that cannot be read is a finding.
func (s *Source) place(ctx context.Context, i int) ([]look, error) {
	p := &s.cfg.Places[i]
	dir := path.Clean(filepath.ToSlash(p.Dir))
	root, err := s.loader.OpenRoot(p.Root)
	if err != nil {
		return refusedPlace(i, filepath.Join(p.Root, filepath.FromSlash(dir)), err), nil
	}
	defer root.Close()
	entries, err := s.loader.List(root, dir)
	if err != nil {
		return refusedPlace(i, filepath.Join(p.Root, filepath.FromSlash(dir)), err), nil
	}
	var out []look
	for _, e := range entries {
		if !isMarkdown(e) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if l, ok := s.file(root, i, dir, e.Name()); ok {
			out = append(out, l)
		}
	}
	return out, nil
}

func (s *Source) file(root env.Root, i int, dir, name string) (look, bool) {
	l := look{place: i, name: name}
	file, err := s.loader.Load(root, path.Join(dir, name), maxFile)
	var no *load.Refusal
	switch {
	case errors.As(err, &no):
		l.no = no.Diagnostic
		l.no.Severity = max(l.no.Severity, prompt.Warning)
	case err != nil: // it was there a moment ago
		return l, false
	}
	l.file = file
	return l, true
}

// refusedPlace is what is found where nothing can be listed.
func refusedPlace(i int, at string, err error) []look {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var no *load.Refusal
	if errors.As(err, &no) {
		return []look{{place: i, no: no.Diagnostic}}
	}
	return []look{{place: i, no: prompt.Diagnostic{Severity: prompt.Warning, Code: "doc.unreadable", Path: at, Message: "cannot be read"}}}
}

// catalog lays what was found over each other.
func (s *Source) catalog(looks []look) *Catalog {
	c := &Catalog{}
	has := make(map[string]string) // the reference of what has a name
	add := func(d Declaration, scope string) {
		e := Entry{Declaration: d, Scope: scope, ShadowedBy: has[d.Name]}
		switch e.ShadowedBy {
		case "":
			has[d.Name] = e.Ref()
		case e.Ref():
			c.Diagnostics = append(c.Diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: "subagent.duplicate", Path: d.Path,
				Message: fmt.Sprintf("another file of the folder declares %s; this one is left out", d.Name)})
			return
		default:
			c.Notes = append(c.Notes, prompt.Note{Name: "subagent:" + e.Ref(), Path: d.Path, Stage: Stage, Reason: "shadowed by " + e.ShadowedBy})
		}
		c.Entries = append(c.Entries, e)
	}
	for i := range slices.Backward(s.cfg.Places) {
		p := &s.cfg.Places[i]
		for _, l := range looks {
			switch {
			case l.place != i:
			case l.file == nil:
				c.Diagnostics = append(c.Diagnostics, l.no)
			default:
				d, diags, ok := parse(l.file, strings.TrimSuffix(l.name, ".md"), p.Trust)
				c.Diagnostics = append(c.Diagnostics, diags...)
				if ok {
					c.path = cmp.Or(c.path, filepath.Dir(l.file.Path))
					add(d, p.Scope)
				}
			}
		}
	}
	for _, d := range s.cfg.Builtin {
		add(d, builtin)
	}
	slices.SortStableFunc(c.Entries, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	return c
}

// Held returns the paths of the declarations that are there, without opening
// one: what a folder that is not trusted keeps back.
func (s *Source) Held() ([]string, error) {
	if err := s.cfg.check(); err != nil {
		return nil, fmt.Errorf("source subagents: %w", err)
	}
	var out []string
	for _, p := range s.cfg.Places {
		root, err := s.loader.OpenRoot(p.Root)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("source subagents: %w", err)
		}
		entries, err := s.loader.List(root, path.Clean(filepath.ToSlash(p.Dir)))
		root.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("source subagents: %w", err)
		}
		for _, e := range entries {
			if isMarkdown(e) && e.Type()&^fs.ModeSymlink == 0 {
				out = append(out, filepath.Join(p.Root, filepath.FromSlash(p.Dir), e.Name()))
			}
		}
	}
	return out, nil
}
