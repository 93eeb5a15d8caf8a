package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/tool/memory/store"
)

var days = map[string]string{
	".proem/MEMORY.md":            "- old\n",
	".proem/memory/2026-01-01.md": "- first day\n",
	".proem/memory/2026-01-02.md": "- second day\n",
	".proem/memory/ideas.md":      "- no ledger\n",
}

func material(t testing.TB, s *store.Store) store.Material {
	t.Helper()
	m, err := s.Material(ctx, nobody)
	filetest.Must(t, err)
	return m
}

func TestRewrite(t *testing.T) {
	s, dir := home(t, days, nil)
	m := material(t, s)
	diff(t, "memory", m.Memory, "- old\n")
	diff(t, "ledgers", m.Ledgers, []store.Ledger{{Path: "memory/2026-01-01.md", Text: "- first day\n"}, {Path: "memory/2026-01-02.md", Text: "- second day\n"}})
	r, err := s.Rewrite(ctx, m, "\n- new\n\n")
	filetest.Must(t, err)
	diff(t, "says", r, store.Rewritten{Before: "memory/archive/MEMORY-0001.md", Bytes: 6})
	diff(t, "file", content(t, dir, "MEMORY.md"), "- new\n")
	diff(t, "kept", content(t, dir, "memory/archive/MEMORY-0001.md"), "- old\n")
	diff(t, "nothing is new", len(material(t, s).Ledgers), 0)

	_, err = s.Note(ctx, nobody, []string{"later that day"})
	filetest.Must(t, err)
	diff(t, "only what came later", material(t, s).Ledgers, []store.Ledger{{Path: "memory/2026-01-02.md", Text: "- 2026-01-02: later that day\n"}})

	r, err = s.Restore(ctx, nobody, 1)
	filetest.Must(t, err)
	diff(t, "says", r.Before, "memory/archive/MEMORY-0002.md")
	diff(t, "restored", content(t, dir, "MEMORY.md"), "- old\n")
	diff(t, "all ledgers are new again", len(material(t, s).Ledgers), 2)
	_, err = s.Restore(ctx, nobody, 2)
	filetest.Must(t, err)
	diff(t, "and back", content(t, dir, "MEMORY.md"), "- new\n")
	diff(t, "only what came later", len(material(t, s).Ledgers), 1)
	if _, err = s.Restore(ctx, nobody, 9); err == nil {
		t.Error("a version that is not there was restored")
	}
	versions, err := s.Versions(ctx, nobody)
	filetest.Must(t, err)
	diff(t, "versions", versions, []int{1, 2, 3})
	f, err := s.Search(ctx, nobody, "old")
	filetest.Must(t, err)
	diff(t, "versions are not searched", len(f.Hits), 0)
}

func TestRewriteRefuses(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", " \n\u200b", "is empty"},
		{"long", strings.Repeat("x", 24576), "has 24577 bytes and may have 24576"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := home(t, days, nil)
			if _, err := s.Rewrite(ctx, material(t, s), tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
			diff(t, "file", content(t, dir, "MEMORY.md"), "- old\n")
			diff(t, "the ledgers stay new", len(material(t, s).Ledgers), 2)
		})
	}
}

func TestRewriteMeanwhile(t *testing.T) {
	s, dir := home(t, days, nil)
	m := material(t, s)
	save(t, s, nobody, "came meanwhile")
	r, err := s.Rewrite(ctx, m, "- new")
	filetest.Must(t, err)
	diff(t, "joined", r.Joined, true)
	diff(t, "file", content(t, dir, "MEMORY.md"), "- new\n- 2026-01-02: came meanwhile\n")
	diff(t, "kept", content(t, dir, r.Before), "- old\n- 2026-01-02: came meanwhile\n")

	m = material(t, s)
	filetest.Write(t, dir, map[string]string{"MEMORY.md": "- edited\n"})
	if _, err := s.Rewrite(ctx, m, "- other"); !errors.Is(err, store.ErrChanged) {
		t.Errorf("got %v", err)
	}
	diff(t, "file", content(t, dir, "MEMORY.md"), "- edited\n")
}

func TestVersionsAreBounded(t *testing.T) {
	s, dir := home(t, days, nil)
	removed := 0
	for n := range store.MaxVersions + 3 {
		r, err := s.Rewrite(ctx, material(t, s), fmt.Sprintf("- text %d", n))
		filetest.Must(t, err)
		removed += len(r.Removed)
	}
	diff(t, "removed", removed, 3)
	diff(t, "the oldest that is kept", content(t, dir, "memory/archive/MEMORY-0004.md"), "- text 2\n")
}

// TestMaterialIsBounded consolidates ledgers that do not fit at once.
func TestMaterialIsBounded(t *testing.T) {
	long := strings.Repeat("- a line of a ledger\n", 2000) // 42,000 bytes
	s, _ := home(t, map[string]string{".proem/memory/2026-01-01.md": long, ".proem/memory/2026-01-02.md": long}, nil)
	total, rounds := 0, 0
	for more := true; more; rounds++ {
		m := material(t, s)
		more = m.More
		for _, l := range m.Ledgers {
			if !strings.HasPrefix(l.Text, "- a line") || !strings.HasSuffix(l.Text, "ledger\n") {
				t.Errorf("%s is not cut at lines", l.Path)
			}
			total += len(l.Text)
		}
		_, err := s.Rewrite(ctx, m, fmt.Sprintf("- round %d", rounds))
		filetest.Must(t, err)
	}
	diff(t, "bytes and rounds", []int{total, rounds}, []int{2 * len(long), 2})
}
