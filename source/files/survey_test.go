package files_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/source/load"
)

func TestSurvey(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		".git/AGENTS.md": "no", "a/node_modules/x/AGENTS.md": "no", "AGENTS.md": "root", "a/b/AGENTS.md": "@in.md", "a/b/in.md": "in",
		"c/AGENTS.override.md": "over", "c/AGENTS.md": "shadowed", "c/other.md": "other",
	} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l := load.New(nil)
	var mu sync.Mutex
	var got []string
	l.Allow = func(f *load.File) *prompt.Diagnostic {
		mu.Lock()
		defer mu.Unlock()
		if !slices.Contains(got, f.Name) {
			got = append(got, f.Name)
		}
		return nil
	}
	s := files.New(files.Config{Loader: l, Cwd: dir, Root: dir})
	if err := s.Survey(context.Background()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	if diff := cmp.Diff(got, []string{"a/b/AGENTS.md", "a/b/in.md", "c/AGENTS.override.md"}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}
