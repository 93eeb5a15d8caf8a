// Package search holds the tools that look among many files: glob finds names,
// grep finds lines.
//
//	tools := search.Tools(search.Config{Space: vfs.Space{Roots: []vfs.Root{{Dir: "/w"}}}})
//	r, err := tools[0].Call(ctx, []byte(`{"pattern":"**/*_test.go"}`))
//	r.Text // "a_test.go\nsub/b_test.go\n"
//	r, err = tools[1].Call(ctx, []byte(`{"pattern":"func \\w+Test","glob":"*.go"}`))
//	r.Text // "sub/b.go:12:func newTest() {\n"
//
// A search is one walk through an open root: it follows no link, passes over
// .git and what a .gitignore names, and shows names and lines in one order. What
// is too much is counted and left out, and the result says so.
package search

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/vfs"
)

// The limits of one search.
const (
	DefaultMaxResults = 200
	DefaultMaxBytes   = 32 << 10
	DefaultMaxVisits  = 200_000
	DefaultMaxFile    = 16 << 20
)

// A Config says what is searched.
type Config struct {
	Env   *env.Env  // nil: the operating system's
	Space vfs.Space // where paths lie; without roots nothing is found
	// Allow, if not nil, is asked with the absolute path of each file and directory
	// before something of it is shown. What it refuses is passed over and counted.
	Allow      func(ctx context.Context, path string) error
	MaxResults int   // names or lines in a result; 0: DefaultMaxResults
	MaxBytes   int   // of a result; 0: DefaultMaxBytes
	MaxVisits  int   // names that one search looks at; 0: DefaultMaxVisits
	MaxFile    int64 // bytes of a file that grep looks into; 0: DefaultMaxFile
}

// Tools returns glob and grep. They may be used concurrently.
func Tools(c Config) []tool.Tool { return []tool.Tool{Glob(c), Grep(c)} }

type searcher struct {
	files env.Files
	cfg   Config
}

func newSearcher(c Config) searcher {
	if c.MaxResults == 0 {
		c.MaxResults = DefaultMaxResults
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = DefaultMaxBytes
	}
	if c.MaxVisits == 0 {
		c.MaxVisits = DefaultMaxVisits
	}
	if c.MaxFile == 0 {
		c.MaxFile = DefaultMaxFile
	}
	return searcher{files: env.OrSystem(c.Env).Files, cfg: c}
}

type startKey struct{}

// Start returns, within Config.Allow, the absolute path at which the search begins.
func Start(ctx context.Context) string {
	path, _ := ctx.Value(startKey{}).(string)
	return path
}

// answer makes a result of what a tool found.
func answer(ctx context.Context, name string, r tool.Result, err error) (tool.Result, error) {
	switch {
	case ctx.Err() != nil:
		return tool.Result{}, ctx.Err()
	case err != nil:
		return tool.Errorf("%s: %v", name, err), nil
	}
	return r, nil
}

// effect is that of a search below a path.
func (s searcher) effect(ctx context.Context, path *string) tool.Effect {
	e := tool.Effect{ReadOnly: true, Idempotent: true}
	root, at, err := s.cfg.Space.Open(ctx, s.files, start(path))
	if err != nil {
		e.Refused = true
		return e
	}
	defer root.Close()
	e.Paths = vfs.Paths(root, at)
	return e
}

// start returns where a search begins.
func start(path *string) string {
	if path == nil || *path == "" {
		return "."
	}
	return *path
}

// The bounds of a pattern of names. Each choice of the words in braces is tried
// by itself.
const (
	maxPattern = 1024
	maxChoices = 100
)

// checkGlob refuses a pattern that can match nothing.
func checkGlob(pattern string) error {
	switch {
	case pattern == "":
		return errors.New("pattern is empty; \"**\" finds every file")
	case len(pattern) > maxPattern || choices(pattern) > maxChoices:
		return fmt.Errorf("a pattern has at most %d bytes, and its braces at most %d choices", maxPattern, maxChoices)
	case !doublestar.ValidatePattern(pattern):
		return fmt.Errorf("the pattern %s is not valid; * stands for any part of a name, ** for any directories, ? for one character, {a,b} for one of both", near.Show(pattern))
	case strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "../"):
		return fmt.Errorf("the pattern %s is not relative; it is matched with names below path", near.Show(pattern))
	}
	return nil
}

// choices returns at least as many ways as there are to choose a word of each
// brace, but not much more than maxChoices.
func choices(pattern string) int {
	all, words := 1, []int{}
	for _, c := range pattern {
		switch {
		case c == '{':
			words = append(words, 1)
		case c == ',' && len(words) > 0:
			words[len(words)-1]++
		case c == '}' && len(words) > 0:
			all = min(all*words[len(words)-1], maxChoices+1)
			words = words[:len(words)-1]
		}
	}
	return all
}

// matches reports whether a name below the start of a search fits a pattern. One
// without a slash is matched with the last part of the name.
func matches(pattern, name string) bool {
	pattern = strings.TrimPrefix(pattern, "./")
	if !strings.Contains(pattern, "/") {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	ok, err := doublestar.Match(pattern, name)
	return ok && err == nil
}

// explain says what is wrong with the start of a search.
func explain(asked string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s does not exist; list_files shows what there is", near.Show(asked))
	}
	return fmt.Errorf("%s cannot be searched: %w", near.Show(asked), vfs.Cause(err))
}

var said = span.Generated("notice")

// notice appends a line of the tool's own.
func notice(t span.Text, s string) span.Text {
	return append(t, span.Span{Text: "[" + s + "]\n", From: said, Off: span.NoOffset})
}
