package files_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/span"
)

func TestBudgetCases(t *testing.T) {
	t.Run("C21", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": strings.Repeat("中", 6000)})
		f := read(t, files.Config{Cwd: dir, MaxBytes: 16384})
		text := f.Docs[0].Text
		if len(text) > 16384 || strings.Contains(text, "\ufffd") {
			t.Errorf("%d bytes end in %q", len(text), text[len(text)-100:])
		}
		kept := strings.Count(text, "中") * 3
		want := fmt.Sprintf("\n[cut here: the first %d of 18000 bytes of this file are shown]\n", kept)
		same(t, "marker", strings.TrimLeft(text, "中"), want)
		last := f.Docs[0].Spans[len(f.Docs[0].Spans)-1]
		same(t, "origin", last.From.Source, "generated:truncated")
		same(t, "offset", last.Off, span.NoOffset)
		same(t, "diagnostics", diags(dir, f), []string{"warning doc.truncated AGENTS.md"})
		if kept < 16384-100 {
			t.Errorf("kept only %d bytes", kept)
		}
	})
	t.Run("C22", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": strings.Repeat("r", 2000) + "\n", "sub/AGENTS.md": "NEAREST RULE\n"})
		f := read(t, files.Config{Cwd: filepath.Join(dir, "sub"), MaxBytes: 1000})
		same(t, "names", []string{f.Docs[0].Name, f.Docs[1].Name}, []string{"project:AGENTS.md", "project:sub/AGENTS.md"})
		same(t, "nearest", f.Docs[1].Text, "NEAREST RULE\n")
		if n := len(f.Docs[0].Text) + len(f.Docs[1].Text); n > 1000 || n < 990 {
			t.Errorf("%d bytes", n)
		}
	})
	t.Run("C25", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "HEAD\n"})
		filetest.Must(t, os.Truncate(filepath.Join(dir, "AGENTS.md"), 1<<30))
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: HEAD\n[cut here: the first 5 of 1073741824 bytes of this file are shown]\n"})
		same(t, "diagnostics", diags(dir, f), []string{"warning doc.truncated AGENTS.md", "warning doc.binary AGENTS.md"})
	})
}

func TestBudget(t *testing.T) {
	line := strings.Repeat("x", 19) + "\n"
	for _, tt := range []struct {
		name, root, sub string
		max             int
		want            []string
		codes           []string
		notes           int
	}{
		{"all fits", line, "S\n", 22, []string{"project:AGENTS.md: " + line, "project:sub/AGENTS.md: S\n"}, nil, 0},
		{"cut at a line", strings.Repeat(line, 10), "S\n", 140,
			[]string{"project:AGENTS.md: " + strings.Repeat(line, 3) + "[cut here: the first 60 of 200 bytes of this file are shown]\n", "project:sub/AGENTS.md: S\n"},
			[]string{"warning doc.truncated AGENTS.md"}, 0},
		{"no room for the far one", line, strings.Repeat("S", 20), 30, []string{"project:sub/AGENTS.md: " + strings.Repeat("S", 20)},
			[]string{"warning doc.truncated AGENTS.md"}, 1},
		{"no room at all", line, line, 10, nil, []string{"warning doc.truncated AGENTS.md", "warning doc.truncated sub/AGENTS.md"}, 2},
		{"CR LF counts as LF", strings.Repeat("a\r\n", 100), "S\n", 202, []string{"project:AGENTS.md: " + strings.Repeat("a\n", 100), "project:sub/AGENTS.md: S\n"}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, map[string]string{".git/": "", "AGENTS.md": tt.root, "sub/AGENTS.md": tt.sub})
			f := read(t, files.Config{Cwd: filepath.Join(dir, "sub"), MaxBytes: tt.max})
			same(t, "docs", docs(f), tt.want)
			same(t, "diagnostics", diags(dir, f), tt.codes)
			same(t, "notes", len(f.Notes), tt.notes)
		})
	}
}
