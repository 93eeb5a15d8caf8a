package skills_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/span"
)

// TestCorpus lists the skills of real repositories, which lie below the folder
// that SHARED_DIR names: every one of them can be used.
func TestCorpus(t *testing.T) {
	corpus := filepath.Join(os.Getenv("SHARED_DIR"), "corpus")
	if os.Getenv("SHARED_DIR") == "" {
		t.Skip("SHARED_DIR is not set")
	}
	roots := map[string][]string{} // folders with a SKILL.md, by the folder that holds them
	err := filepath.WalkDir(corpus, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == skills.Manifest {
			dir := filepath.Dir(p)
			roots[filepath.Dir(dir)] = append(roots[filepath.Dir(dir)], filepath.Base(dir))
		}
		return err
	})
	filetest.Must(t, err)
	for root, folders := range roots {
		rel, err := filepath.Rel(corpus, root)
		filetest.Must(t, err)
		repo := skills.NewFolder(skills.FolderConfig{Root: corpus, Dir: filepath.ToSlash(rel), Trust: span.Project})
		l, err := repo.List(context.Background(), prompt.Who{})
		filetest.Must(t, err)
		if len(l.Skills) != len(folders) {
			t.Errorf("%s: %d skills in %d folders", rel, len(l.Skills), len(folders))
		}
		for _, d := range l.Diagnostics {
			if d.Severity == prompt.Error {
				t.Error(d)
			} else {
				t.Log(d)
			}
		}
		set := skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "p", Repo: repo}}})
		for _, s := range l.Skills {
			got, err := set.Load(context.Background(), prompt.Who{}, s.Name)
			filetest.Must(t, err)
			if got.Body.IsBlank() || !slices.IsSorted(got.Files) {
				t.Errorf("%s: body %.40q, files %q", s.Name, got.Body, got.Files)
			}
		}
	}
}
