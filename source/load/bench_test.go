package load_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/source/load"
)

// BenchmarkUnchanged reads 100 files that did not change, beside what it costs
// to look at them at all.
func BenchmarkUnchanged(b *testing.B) {
	dir := b.TempDir()
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("f%d.md", i)
		filetest.Write(b, dir, map[string]string{names[i]: "Keep it short.\n"})
	}
	time.Sleep(settled)
	l := load.New(nil)
	root := open(b, l, dir)
	b.Run("load", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, n := range names {
				if _, err := l.Load(root, n, 1<<15); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("floor/root", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, n := range names {
				if _, err := root.Lstat(n); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("floor/os", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, n := range names {
				if _, err := os.Lstat(filepath.Join(dir, n)); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

// BenchmarkFirst reads 100 files for the first time.
func BenchmarkFirst(b *testing.B) {
	dir := b.TempDir()
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("f%d.md", i)
		filetest.Write(b, dir, map[string]string{names[i]: "Keep it short.\n"})
	}
	b.ReportAllocs()
	for b.Loop() {
		l := load.New(nil)
		root, err := l.OpenRoot(dir)
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range names {
			if _, err := l.Load(root, n, 1<<15); err != nil {
				b.Fatal(err)
			}
		}
		root.Close()
	}
}
