package files

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
)

// Near returns the documents that hold for a path below the project's root and
// are not in the prompt from the start: those of the directories between the
// path and the part of the tree that Read covers. It serves an agent that loads
// nested files when a tool touches their directory. A path outside the root, or
// one that does not exist, has none.
//
// The documents have the names that Read would give them, so whoever was given
// one before can tell. The budget holds for them by themselves.
func (s *Source) Near(ctx context.Context, touched string) ([]prompt.Doc, []prompt.Diagnostic, error) {
	f, err := s.near(ctx, touched)
	return f.Docs, f.Diagnostics, err
}

func (s *Source) near(ctx context.Context, touched string) (prompt.Fact, error) {
	if s.cfg.Cwd == "" || s.cfg.check() != nil {
		return prompt.Fact{}, nil
	}
	root, err := s.findRoot()
	if err != nil {
		return prompt.Fact{}, fmt.Errorf("source files: %w", err)
	}
	covered, err := filepath.Rel(root, s.cfg.Cwd)
	if err != nil {
		return prompt.Fact{}, fmt.Errorf("source files: %w", err)
	}
	dir, ok := s.directory(root, touched)
	if !ok {
		return prompt.Fact{}, nil
	}
	cfg := s.cfg
	cfg.Cwd, cfg.UserFile = filepath.Join(root, filepath.FromSlash(dir)), ""
	w := &walk{loader: s.loader, cfg: &cfg}
	defer w.close()
	covered = filepath.ToSlash(covered)
	err = w.project(ctx, root, func(p *place, at string) {
		if at == "." || at == covered || strings.HasPrefix(covered, at+"/") {
			return
		}
		w.directory(p, at)
	})
	if err != nil {
		return prompt.Fact{}, fmt.Errorf("source files: %w", err)
	}
	f := w.fact(cfg.MaxBytes)
	f.Docs = s.unsaid(f.Docs)
	return f, nil
}

// unsaid drops documents that say what one in the prompt says already, such as
// those of a linked worktree that lies inside its own project.
func (s *Source) unsaid(docs []prompt.Doc) []prompt.Doc {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := map[string]bool{}
	for _, d := range s.fact.Docs {
		said[d.SHA256] = true
	}
	return slices.DeleteFunc(docs, func(d prompt.Doc) bool { return d.SHA256 != "" && said[d.SHA256] })
}

// directory returns the directory of a touched path, relative to the root.
func (s *Source) directory(root, touched string) (string, bool) {
	rel, err := filepath.Rel(root, touched)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	open, err := env.OrSystem(s.cfg.Env).Files.OpenRoot(root)
	if err != nil {
		return "", false
	}
	defer open.Close()
	info, err := open.Stat(rel)
	if err != nil {
		return "", false
	}
	if !info.IsDir() {
		rel = filepath.ToSlash(filepath.Dir(filepath.FromSlash(rel)))
	}
	if slices.Contains(strings.Split(rel, "/"), ".git") {
		return "", false
	}
	return rel, rel != "."
}
