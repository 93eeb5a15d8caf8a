package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"

	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// Grep returns the tool grep{pattern, path?, glob?}: the lines that a regular
// expression fits, each behind the name of its file and its number.
func Grep(c Config) tool.Tool {
	s := newSearcher(c)
	return tool.Must(tool.Make(tool.Def[grepArgs]{
		Name: "grep",
		Description: "Finds lines by a regular expression (RE2 syntax; (?i) ignores case). Returns path:line:text. " +
			"Binary files and what .gitignore excludes are left out.",
		Call: func(ctx context.Context, a grepArgs) (tool.Result, error) {
			r, err := s.grep(ctx, a)
			return answer(ctx, "grep", r, err)
		},
		Effect: func(ctx context.Context, a grepArgs) tool.Effect { return s.effect(ctx, a.Path) },
	}))
}

type grepArgs struct {
	Pattern string  `json:"pattern" description:"The regular expression. It is matched with each line by itself."`
	Path    *string `json:"path" description:"The file or directory to look in, relative to the project root; the root if left out."`
	Glob    *string `json:"glob" description:"Only files whose names fit, such as \"*.go\" or \"docs/**\"."`
}

// maxRegexp is the longest expression that is compiled.
const maxRegexp = 4096

func (s searcher) grep(ctx context.Context, a grepArgs) (tool.Result, error) {
	re, err := compile(a.Pattern)
	if err != nil {
		return tool.Result{}, err
	}
	if a.Glob != nil && *a.Glob != "" {
		if err := checkGlob(*a.Glob); err != nil {
			return tool.Result{}, err
		}
	} else {
		a.Glob = nil
	}
	w, isDir, err := s.open(ctx, start(a.Path))
	if err != nil {
		return tool.Result{}, err
	}
	defer w.root.Close()
	g := &lines{walk: w, re: re, need: literal(a.Pattern)}
	if isDir {
		w.visit = func(name string, e fs.DirEntry) error {
			if !e.Type().IsRegular() || a.Glob != nil && !matches(*a.Glob, w.below(name)) {
				return nil
			}
			return g.file(name)
		}
		err = w.run()
	} else {
		err = g.file(w.dir)
	}
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Text: g.result(), Touched: []string{w.path(w.dir)}}, nil
}

func compile(pattern string) (*regexp.Regexp, error) {
	switch {
	case pattern == "":
		return nil, errors.New("pattern is empty; give a regular expression")
	case len(pattern) > maxRegexp:
		return nil, fmt.Errorf("a pattern has at most %d bytes", maxRegexp)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("the pattern %s is no regular expression: %w; write \\ before characters that stand for themselves", near.Show(pattern), err)
	}
	return re, nil
}

// result makes the text for the model.
func (g *lines) result() span.Text {
	t := g.out
	switch {
	case g.total == 0:
		t = notice(t, fmt.Sprintf("no line fits; %s searched", wasWere(g.searched)))
	case g.shown < g.total:
		t = notice(t, fmt.Sprintf("%d of %d lines are shown, of %s; a narrower pattern, path or glob shows the others", g.shown, g.total, count(g.files, "file")))
	}
	if g.large > 0 {
		t = notice(t, fmt.Sprintf("%s of more than %d MiB not looked into", wasWere(g.large), g.s.cfg.MaxFile>>20))
	}
	return g.notices(t, g.total > 0)
}

func wasWere(n int) string {
	if n == 1 {
		return "1 file was"
	}
	return fmt.Sprintf("%d files were", n)
}
