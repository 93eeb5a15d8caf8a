package files_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/files"
)

// BenchmarkRead reads a project of five directories, each with a file: as it is
// at every step, and for the first time.
func BenchmarkRead(b *testing.B) {
	content := map[string]string{".git/": ""}
	at := ""
	for range 5 {
		content[at+"AGENTS.md"] = strings.Repeat("Run the tests before every commit.\n", 60)
		at += "d/"
	}
	dir := tree(b, content)
	time.Sleep(settled)
	c := files.Config{Cwd: filepath.Join(dir, "d", "d", "d", "d"), Root: dir}
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		src := files.New(c)
		for b.Loop() {
			if _, err := src.Read(context.Background(), source.Query{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := files.New(c).Read(context.Background(), source.Query{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
