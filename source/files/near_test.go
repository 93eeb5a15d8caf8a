package files_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/files"
)

func TestNear(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		".git/HEAD": "", "AGENTS.md": "ROOT\n", "svc/AGENTS.md": "SVC\n", "svc/api/AGENTS.md": "API\n", "svc/api/a.go": "",
		"web/AGENTS.md": "WEB\n", "web/deep/b.go": "",
		"tree/.git": "gitdir: ../.git/worktrees/tree\n", "tree/AGENTS.md": "ROOT\n", "tree/c.go": "",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := files.New(files.Config{Cwd: filepath.Join(root, "svc")})
	if _, err := s.Read(context.Background(), source.Query{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		touched string
		want    string // the documents, joined
	}{
		{"AGENTS.md", ""},
		{"svc/AGENTS.md", ""}, // in the prompt from the start
		{"svc/api/a.go", "project:svc/api/AGENTS.md=API\n"},
		{"svc/api", "project:svc/api/AGENTS.md=API\n"},
		{"web/deep/b.go", "project:web/AGENTS.md=WEB\n"},
		{"tree/c.go", ""}, // P3: a linked worktree with the same text
		{"gone/x.go", ""},
		{"../outside.go", ""},
		{".git/HEAD", ""},
	} {
		docs, _, err := s.Near(context.Background(), filepath.Join(root, tt.touched))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range docs {
			got += d.Name + "=" + d.Text
		}
		if got != tt.want {
			t.Errorf("Near(%s) = %q, want %q", tt.touched, got, tt.want)
		}
	}
}
