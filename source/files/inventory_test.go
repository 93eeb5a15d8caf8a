package files_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/files"
)

// TestInventory looks through a project: what is told later, what nobody reads, and
// what is passed over.
func TestInventory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	filetest.Must(t, err)
	filetest.Write(t, dir, map[string]string{
		".git/AGENTS.md": "git", "AGENTS.md": "root", ".gitignore": "/gen/\n*.tmp.md\n",
		"a/AGENTS.md": "a", "a/b/AGENTS.md": "b @none.md", "a/CLAUDE.md": "c", "c/agents.md": "case",
		"d/AGENTS.override.md": "o", "d/AGENTS.md": "hidden",
		"gen/AGENTS.md": "made", "e/.gitignore": "f\n", "e/f/GEMINI.md": "ignored", "node_modules/AGENTS.md": "theirs",
	})
	src := files.New(files.Config{Cwd: filepath.Join(dir, "a"), Root: dir})
	_, err = src.Read(context.Background(), source.Query{})
	filetest.Must(t, err)
	v, err := src.Inventory(context.Background())
	filetest.Must(t, err)
	var got [4][]string
	for _, d := range v.Docs {
		got[0] = append(got[0], d.Name)
	}
	for _, n := range v.Notes {
		got[1] = append(got[1], n.Name+" "+n.Reason)
	}
	for _, d := range v.Diagnostics {
		got[2] = append(got[2], d.Code)
	}
	for _, u := range v.Unread {
		rel, err := filepath.Rel(dir, u.Path)
		filetest.Must(t, err)
		if u.Beside {
			rel += " beside"
		}
		got[3] = append(got[3], filepath.ToSlash(rel))
	}
	want := [4][]string{
		{"project:d/AGENTS.override.md", "project:a/b/AGENTS.md"},
		{"project:d/AGENTS.md shadowed by AGENTS.override.md"},
		{"import.missing"},
		{"a/CLAUDE.md beside", "c/agents.md"},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("inventory (-got +want):\n%s", diff)
	}
}
