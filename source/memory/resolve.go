package memory

import (
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
)

// A Place is where a file of the workspace lies.
type Place struct {
	Root string // absolute: the directory to open
	Name string // of the file below Root, slash-separated and without links
	Path string // absolute, as people know it
	Own  bool   // it is the user's own, not the shared one
}

// ErrOutside says that a name is not one of the files that the workspace shows to
// whoever asks: it leads elsewhere, or to another user.
var ErrOutside = errors.New("not a file of the workspace that may be read here")

// Resolve returns where a file lies that somebody's prompt names, such as
// "knowledge/api.md" or "MEMORY.md": the same file that Read reads. The error
// wraps [fs.ErrNotExist] if there is none, or is ErrOutside.
func (s *Source) Resolve(_ context.Context, who prompt.Who, name string) (Place, error) {
	p, err := s.resolve(who, name)
	if err != nil {
		return Place{}, fmt.Errorf("source memory: %.200q: %w", name, err)
	}
	return p, nil
}

func (s *Source) resolve(who prompt.Who, name string) (Place, error) {
	clean, ok := local(name)
	extras, _ := s.cfg.extras()
	injected := clean == Persona || clean == Memory || clean == Intro || slices.Contains(extras, clean)
	first, _, deep := strings.Cut(clean, "/")
	if !ok || strings.Contains(name, `\`) || !injected && !(deep && (first == Knowledge || first == Notes)) {
		return Place{}, ErrOutside
	}
	w, err := s.enter(who)
	if err != nil {
		return Place{}, err
	}
	defer w.close()
	if w.root == nil {
		return Place{}, fs.ErrNotExist
	}
	if injected {
		f, _ := w.lookup(clean)
		if f == nil {
			return Place{}, fs.ErrNotExist
		}
		return w.at(f.Real, f.Path), nil
	}
	return w.find(clean)
}

// find finds a file that is not injected, and does not read it.
func (w *walk) find(name string) (Place, error) {
	for _, base := range w.bases() {
		at := path.Join(base, name)
		real, err := load.Resolve(w.root, at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case errors.Is(err, load.ErrOutside):
			return Place{}, ErrOutside
		case err != nil:
			return Place{}, err
		case load.InGit(real) || !w.may(base, name, real):
			return Place{}, ErrOutside
		}
		info, err := w.root.Stat(real)
		if err != nil {
			return Place{}, err
		}
		if !info.Mode().IsRegular() {
			return Place{}, env.ErrNotRegular
		}
		return w.at(real, filepath.Join(w.src.cfg.Root, filepath.FromSlash(at))), nil
	}
	return Place{}, fs.ErrNotExist
}

func (w *walk) at(real, full string) Place {
	own := w.own != "" && strings.HasPrefix(full, filepath.Join(w.src.cfg.Root, filepath.FromSlash(w.own))+string(filepath.Separator))
	return Place{Root: w.src.cfg.Root, Name: real, Path: full, Own: own}
}

// Names returns what Resolve can find for somebody, ascending: the files that are
// injected, the notes and all reference documents.
func (s *Source) Names(ctx context.Context, who prompt.Who) ([]string, error) {
	w, err := s.walk(ctx, who)
	if err != nil {
		return nil, fmt.Errorf("source memory: %w", err)
	}
	var out []string
	for _, f := range w.files {
		out = append(out, f.name)
	}
	for _, folders := range [][]*folder{w.notes, w.knowledge} {
		all, _ := names(folders)
		out = append(out, all...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
