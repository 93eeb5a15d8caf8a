package search

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// Glob returns the tool glob{pattern, path?}: the names of the files that a
// pattern fits, one a line. A pattern that ends in a slash finds directories.
func Glob(c Config) tool.Tool {
	s := newSearcher(c)
	return tool.Must(tool.Make(tool.Def[globArgs]{
		Name: "glob",
		Description: "Finds files by their names. * stands for any part of a name, ** for any directories; a pattern without a slash " +
			"fits in every directory. Files that .gitignore excludes are left out.",
		Call: func(ctx context.Context, a globArgs) (tool.Result, error) {
			r, err := s.glob(ctx, a)
			return answer(ctx, "glob", r, err)
		},
		Effect: func(ctx context.Context, a globArgs) tool.Effect { return s.effect(ctx, a.Path) },
	}))
}

type globArgs struct {
	Pattern string  `json:"pattern" description:"The pattern, such as \"**/*.go\"."`
	Path    *string `json:"path" description:"The directory to look in, relative to the project root; the root if left out."`
}

func (s searcher) glob(ctx context.Context, a globArgs) (tool.Result, error) {
	pattern, dirs := strings.CutSuffix(a.Pattern, "/")
	if err := checkGlob(pattern); err != nil {
		return tool.Result{}, err
	}
	w, isDir, err := s.open(ctx, start(a.Path))
	if err != nil {
		return tool.Result{}, err
	}
	defer w.root.Close()
	if !isDir {
		return tool.Result{}, fmt.Errorf("%s is not a directory; leave path out or name the directory", near.Show(start(a.Path)))
	}
	var out strings.Builder
	total, shown := 0, 0
	w.visit = func(name string, e fs.DirEntry) error {
		if e.IsDir() != dirs || !matches(pattern, w.below(name)) {
			return nil
		}
		total++
		line := near.Show(name)
		if dirs {
			line += "/"
		}
		if shown == total-1 && shown < s.cfg.MaxResults && out.Len()+len(line) < s.cfg.MaxBytes {
			out.WriteString(line + "\n")
			shown++
		}
		return nil
	}
	if err := w.run(); err != nil {
		return tool.Result{}, err
	}
	from := &span.Origin{Section: "glob", Source: "directory", Path: w.path(w.dir), Trust: span.Tool}
	var t span.Text
	switch {
	case total == 0:
		t = notice(t, "no file fits "+near.Show(a.Pattern))
	default:
		t = span.OfGenerated(out.String(), from)
	}
	if shown < total {
		t = notice(t, fmt.Sprintf("%d of %d names are shown; a narrower pattern or path shows the others", shown, total))
	}
	return tool.Result{Text: w.notices(t, total > 0), Touched: []string{from.Path}}, nil
}
