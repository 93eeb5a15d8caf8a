package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/tool/memory/store"
)

func TestSearch(t *testing.T) {
	s, _ := home(t, map[string]string{
		".proem/MEMORY.md":                     "# Memory\r\n\r\n- 2026-01-01: deploys on Fridays\r\n- the user likes green tea\r\n",
		".proem/memory/2025-12-30.md":          "- deploys need a review\n",
		".proem/memory/2025-12-31.md":          "- deploys need a review\n",
		".proem/memory/ideas.md":               "An idea of two lines:\ndeploy from a branch.\n",
		".proem/memory/x.txt":                  "deploys\n",
		".proem/memory/archive/MEMORY-0001.md": "deploys\n",
		".proem/AGENTS.md":                     "deploys\n",
		".proem/knowledge/a.md":                "deploys\n",
	}, nil)
	for _, tt := range []struct {
		query string
		want  []string
	}{
		{"DEPLOYS", []string{"MEMORY.md:3", "memory/2025-12-31.md:1", "memory/2025-12-30.md:1", "memory/ideas.md:1-2"}},
		{"review of deploys", []string{"memory/2025-12-31.md:1", "memory/2025-12-30.md:1", "memory/ideas.md:1-2", "MEMORY.md:3"}},
		{"coffee", nil},
	} {
		f, err := s.Search(ctx, nobody, tt.query)
		filetest.Must(t, err)
		var got []string
		for _, h := range f.Hits {
			got = append(got, h.String())
		}
		diff(t, tt.query, got, tt.want)
	}
	f, err := s.Search(ctx, nobody, "friday")
	filetest.Must(t, err)
	if len(f.Hits) != 1 || f.Hits[0].Text != "- 2026-01-01: deploys on Fridays" || f.Hits[0].Spans[0].Off != 12 {
		t.Errorf("got %+v", f.Hits)
	}
	for _, q := range []string{"", " ?!", "\u200b"} {
		if _, err := s.Search(ctx, nobody, q); err == nil {
			t.Errorf("query %q has words", q)
		}
	}
}

func TestSearchIsBounded(t *testing.T) {
	files := map[string]string{".proem/MEMORY.md": strings.Repeat("- tea "+strings.Repeat("é", 600)+"\n", 50)}
	for n := range 1010 {
		files[fmt.Sprintf(".proem/memory/n%04d.md", n)] = "- tea\n"
	}
	s, _ := home(t, files, nil)
	f, err := s.Search(ctx, nobody, strings.Repeat("tea ", 5000))
	filetest.Must(t, err)
	diff(t, "hits", []int{len(f.Hits), f.More}, []int{store.MaxHits, 50 + 999 - store.MaxHits})
	diff(t, "notes", f.Notes, []string{"11 older files were not searched"})
	for _, h := range f.Hits {
		if len(h.Text) > 500 {
			t.Errorf("%s has %d bytes", h.Cite, len(h.Text))
		}
	}
}

// TestAllow refuses one file: it is neither searched nor shown, and that is said.
func TestAllow(t *testing.T) {
	asked := 0
	s, dir := home(t, map[string]string{".proem/MEMORY.md": "- tea\n", ".proem/memory/private.md": "- tea\n"}, func(c *store.Config) {
		c.Allow = func(_ context.Context, path string) error {
			if asked++; filepath.Base(path) == "private.md" {
				return errors.New("a rule denies it")
			}
			return nil
		}
	})
	f, err := s.Search(ctx, nobody, "tea")
	filetest.Must(t, err)
	diff(t, "hits", len(f.Hits), 1)
	diff(t, "notes", f.Notes, []string{"memory/private.md was not searched: a rule denies it"})
	if _, err := s.Get(ctx, nobody, "memory/private.md", store.Lines{}); err == nil || err.Error() != "a rule denies it" {
		t.Errorf("Get: %v", err)
	}
	diff(t, "asked", asked, 3)
	diff(t, "files", tree(t, dir), []string{"MEMORY.md", "memory/private.md"})
}

func TestGet(t *testing.T) {
	var lines []string
	for n := range 1500 {
		lines = append(lines, fmt.Sprintf("line %d", n+1))
	}
	s, _ := home(t, map[string]string{
		".proem/MEMORY.md":    strings.Join(lines, "\n"),
		".proem/memory/a.md":  "one\r\ntwo\r\n",
		".proem/memory/l.md":  strings.Repeat("é", 40000) + "\nend\n",
		".proem/memory/e.md":  "",
		".proem/memory/bb.md": "x\n",
	}, nil)
	for _, tt := range []struct {
		path, lines string
		want        string // of the text: its length, or all
		cite        string
	}{
		{"memory/a.md", "", "one\ntwo\n", "memory/a.md:1-2"},
		{".proem/memory/a.md", "2", "two\n", "memory/a.md:2"},
		{"./memory/a.md", "2-99", "two\n", "memory/a.md:2"},
		{"MEMORY.md", "10-11", "line 10\nline 11\n", "MEMORY.md:10-11"},
		{"MEMORY.md", "1499-", "line 1499\nline 1500", "MEMORY.md:1499-1500"},
		{"memory/e.md", "", "", "memory/e.md:1"},
	} {
		l, err := store.ParseLines(tt.lines)
		filetest.Must(t, err)
		p, err := s.Get(ctx, nobody, tt.path, l)
		filetest.Must(t, err)
		diff(t, tt.path+" "+tt.lines, []string{p.Text.String(), p.Cite.String()}, []string{tt.want, tt.cite})
	}
	p, err := s.Get(ctx, nobody, "MEMORY.md", store.Lines{})
	filetest.Must(t, err)
	diff(t, "a long file", []any{p.Cite.String(), p.Total, p.Cut}, []any{"MEMORY.md:1-1000", 1500, false})
	p, err = s.Get(ctx, nobody, "memory/l.md", store.Lines{})
	filetest.Must(t, err)
	diff(t, "a long line", []any{p.Cite.String(), p.Text.Len(), p.Cut}, []any{"memory/l.md:1", 32768, true})
	for path, want := range map[string]string{"memory/b.md": "there is memory/", "memory/zzzzzz.md": "there are MEMORY.md, ", "notes/a.md": "is no memory"} {
		if _, err := s.Get(ctx, nobody, path, store.Lines{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := s.Get(ctx, nobody, "memory/a.md", store.Lines{First: 3}); err == nil || !strings.Contains(err.Error(), "has 2 lines") {
		t.Errorf("behind the end: %v", err)
	}
	for _, bad := range []string{"x", "0", "-1", "5-2", "1-2-3", "99999999999999999999"} {
		if l, err := store.ParseLines(bad); err == nil {
			t.Errorf("lines %q are %+v", bad, l)
		}
	}
}
