package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/prompt"
	workspace "github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/span"
)

// Bounds of what Get returns at once.
const (
	maxLines = 1000
	maxBytes = 32 << 10
)

// A Page is a part of a file of a memory.
type Page struct {
	Cite
	Text  span.Text // whole lines, unless Cut
	Total int       // lines of the file
	Cut   bool      // Last is too long, and not complete
}

// Lines are a range of lines, from 1. The zero value is all of them.
type Lines struct {
	First int
	Last  int // 0: to the end
}

// ParseLines reads "10", "10-20" or "10-". The empty string is all lines.
func ParseLines(s string) (Lines, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return Lines{}, nil
	}
	from, to, isRange := strings.Cut(s, "-")
	first, err := strconv.Atoi(strings.TrimSpace(from))
	last := first
	if to = strings.TrimSpace(to); err == nil && isRange && to != "" {
		last, err = strconv.Atoi(to)
	} else if isRange {
		last = 0
	}
	if err != nil || first < 1 || last < 0 || last > 0 && last < first {
		return Lines{}, fmt.Errorf("lines %.40q is no range such as 10 or 10-20", s)
	}
	return Lines{first, last}, nil
}

// Get returns lines of a file of somebody's memory: MEMORY.md or what lies below
// memory/. What is too long for one result ends early; Last says where.
func (s *Store) Get(ctx context.Context, who prompt.Who, name string, l Lines) (Page, error) {
	clean, err := s.clip(name)
	if err != nil {
		return Page{}, err
	}
	f, err := s.load(ctx, who, clean)
	if err != nil {
		return Page{}, s.explain(ctx, who, clean, err)
	}
	text := f.Text
	p := Page{Total: strings.Count(text, "\n")}
	if text != "" && !strings.HasSuffix(text, "\n") {
		p.Total++
	}
	l.First = max(l.First, 1)
	if l.First > max(p.Total, 1) {
		return Page{}, fmt.Errorf("%s has %d lines", near.Show(clean), p.Total)
	}
	lo, at, line := -1, 0, 1
	for ; at < len(text); line++ {
		if line == l.First {
			lo = at
		}
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if lo >= 0 {
			if end-lo > maxBytes || line-l.First >= maxLines {
				p.Cut = at == lo
				break
			}
			if line == l.Last {
				at, line = end, line+1
				break
			}
		}
		at = end
	}
	if p.Cut {
		at, line = lo+len(strings.ToValidUTF8(text[lo:lo+maxBytes], "")), line+1
	}
	p.Cite = Cite{clean, l.First, max(line-1, l.First)}
	p.Text = document{clean, f}.spans().Slice(max(lo, 0), at)
	return p, nil
}

// clip returns a name without what a prompt's lists put before it. Names that are
// no memory are refused.
func (s *Store) clip(name string) (string, error) {
	clean := strings.TrimPrefix(strings.TrimPrefix(name, "./"), s.cfg.Shown)
	clean = path.Clean(clean)
	if clean != workspace.Memory && !strings.HasPrefix(clean, workspace.Notes+"/") || strings.Contains(name, `\`) || hidden(clean) {
		return "", fmt.Errorf("%s is no memory; those are MEMORY.md and the files below memory/", near.Show(name))
	}
	return clean, nil
}

// hidden reports whether a part of the name begins with a dot.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.Contains(name, "/.") }

// explain turns an error into what the model should do.
func (s *Store) explain(ctx context.Context, who prompt.Who, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		names, nerr := s.names(ctx, who)
		if nerr != nil || len(names) == 0 {
			return fmt.Errorf("%s does not exist; nothing is remembered yet", near.Show(name))
		}
		if best := near.Best(name, names); best != "" {
			return fmt.Errorf("%s does not exist; there is %s", near.Show(name), near.Show(best))
		}
		return fmt.Errorf("%s does not exist; there are %s", near.Show(name), list(names))
	case errors.Is(err, workspace.ErrOutside):
		return fmt.Errorf("%s is no file of this memory that may be read", near.Show(name))
	}
	return err
}

// list names the first of many names.
func list(names []string) string {
	shown := make([]string, 0, maxAbsent)
	for _, n := range names[:min(len(names), maxAbsent)] {
		shown = append(shown, near.Show(n))
	}
	if more := len(names) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(shown, ", ")
}
