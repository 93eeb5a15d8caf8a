package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	workspace "github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool/memory/find"
	"github.com/proemhq/proem/vfs"
)

// Bounds of a search.
const (
	MaxHits   = 20      // of one search
	maxQuery  = 1 << 10 // bytes of a query that are looked at
	maxFiles  = 1000    // the newest
	maxFile   = 1 << 20 // bytes of each
	maxText   = 500     // bytes of one hit
	maxAbsent = 40      // names that a message lists
)

// Found is the outcome of a search.
type Found struct {
	Hits []Hit // the best first
	More int   // how many others match
	// Notes say what was not looked at, and why.
	Notes []string
}

// A Hit is an entry, a paragraph or a line that matches.
type Hit struct {
	Cite
	Text  string    // of the lines, without the last line end
	Spans span.Text // the same, with origins
	Cut   bool      // the text is longer
}

// document is one file of a memory.
type document struct {
	name string
	file *load.File
}

// Search finds what of somebody's memory has to do with the words of a query, in
// MEMORY.md, the files memory/*.md and what was moved from MEMORY.md. Case and
// width do not matter; words are also found by their beginning, and Chinese,
// Japanese, Korean or Thai without spaces. The order depends on the files and the
// query alone; of equals the newest is first.
func (s *Store) Search(ctx context.Context, who prompt.Who, query string) (Found, error) {
	if len(query) > maxQuery {
		query = strings.ToValidUTF8(query[:maxQuery], "")
	}
	if !find.Words(query) {
		return Found{}, errors.New("memory: the query has no words to look for")
	}
	docs, notes, err := s.documents(ctx, who)
	if err != nil {
		return Found{}, err
	}
	texts := make([]find.Text, len(docs))
	for i, d := range docs {
		texts[i] = find.Text{Body: d.file.Text, Day: d.day()}
	}
	if err := ctx.Err(); err != nil {
		return Found{}, err
	}
	hits := find.Rank(texts, query)
	f := Found{Notes: notes, More: max(0, len(hits)-MaxHits)}
	for _, c := range hits[:min(len(hits), MaxHits)] {
		f.Hits = append(f.Hits, hit(docs[c.Text], c.Unit))
	}
	return f, nil
}

func hit(d document, u find.Unit) Hit {
	hi := u.Lo + len(strings.TrimRight(d.file.Text[u.Lo:u.Hi], "\n"))
	h := Hit{Cite: Cite{d.name, u.First, u.Last}}
	text := d.spans().Slice(u.Lo, hi)
	if hi-u.Lo > maxText {
		text, h.Cut = text.Slice(0, len(strings.ToValidUTF8(d.file.Text[u.Lo:u.Lo+maxText], ""))), true
	}
	h.Spans, h.Text = text, text.String()
	return h
}

// day returns the day of a ledger, or "".
func (d document) day() string {
	if day := strings.TrimSuffix(path.Base(d.name), ".md"); find.IsDay(day) {
		return day
	}
	return ""
}

func (d document) spans() span.Text {
	return d.file.Spans(span.Origin{Section: "memory", Source: "file", Path: d.file.Path, Trust: span.Workspace})
}

// documents reads what is searched: MEMORY.md first, then the files of memory/ and
// of the archive, the newest names first.
func (s *Store) documents(ctx context.Context, who prompt.Who) (docs []document, notes []string, err error) {
	names, err := s.names(ctx, who)
	if err != nil {
		return nil, nil, err
	}
	if more := len(names) - maxFiles; more > 0 {
		notes = append(notes, fmt.Sprintf("%d older files were not searched", more))
		names = names[:maxFiles]
	}
	for _, name := range names {
		f, err := s.load(ctx, who, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			why := "it cannot be read"
			if no := (*refused)(nil); errors.As(err, &no) {
				why = no.Error()
			}
			notes = append(notes, fmt.Sprintf("%s was not searched: %s", name, why))
			continue
		case f.Partial:
			notes = append(notes, fmt.Sprintf("only the first %d bytes of %s were searched", maxFile, name))
		}
		docs = append(docs, document{name, f})
	}
	return docs, notes, nil
}

// names returns the names of what is searched.
func (s *Store) names(ctx context.Context, who prompt.Who) ([]string, error) {
	all, err := s.src.Names(ctx, who)
	if err != nil {
		return nil, err
	}
	moved, err := s.moved(who)
	if err != nil {
		return nil, err
	}
	var main, notes []string
	for _, n := range append(all, moved...) {
		switch dir, _, _ := strings.Cut(n, "/"); {
		case n == workspace.Memory:
			main = []string{n}
		case dir == workspace.Notes && strings.HasSuffix(n, ".md"):
			notes = append(notes, n)
		}
	}
	slices.SortFunc(notes, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(b, a))
	})
	return append(main, slices.Compact(notes)...), nil
}

// moved returns the names of what was moved from MEMORY.md, for the user or for
// everybody.
func (s *Store) moved(who prompt.Who) ([]string, error) {
	root, err := s.loader.OpenRoot(s.cfg.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	defer root.Close()
	dirs := []string{s.home().Name()}
	if own, ok, err := s.home().User(s.loader, root, who); err == nil && ok {
		dirs = []string{own, dirs[0]}
	}
	var out []string
	for _, dir := range dirs {
		entries, err := s.loader.List(root, path.Join(dir, archive))
		if err != nil { // there is none, or none that may be read
			continue
		}
		for _, e := range entries {
			if _, ok := number(e.Name(), entriesPrefix); ok {
				out = append(out, archive+"/"+e.Name())
			}
		}
	}
	return out, nil
}

// refused is the error of Allow.
type refused struct{ error }

// load reads a file that belongs to somebody's memory.
func (s *Store) load(ctx context.Context, who prompt.Who, name string) (*load.File, error) {
	at, err := s.src.Resolve(ctx, who, name)
	if err != nil {
		return nil, err
	}
	if s.cfg.Allow != nil {
		if err := s.cfg.Allow(ctx, (vfs.Place{Dir: at.Root, Name: at.Name}).Path()); err != nil {
			return nil, &refused{err}
		}
	}
	root, err := s.loader.OpenRoot(at.Root)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	defer root.Close()
	return s.loader.Load(root, at.Name, maxFile)
}
