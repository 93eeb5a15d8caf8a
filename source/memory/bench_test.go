package memory_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/memory"
)

// BenchmarkKnowledge reads a workspace of 10,000 reference documents, in one
// folder and in a hundred: for the first time, and as it is at every step.
func BenchmarkKnowledge(b *testing.B) {
	for _, folders := range []int{1, 100} {
		dir := b.TempDir()
		for i := range folders {
			d := filepath.Join(dir, ".proem", "knowledge", fmt.Sprintf("d%02d", i))
			filetest.Must(b, os.MkdirAll(d, 0o777))
			for j := range 10000 / folders {
				filetest.Must(b, os.WriteFile(filepath.Join(d, fmt.Sprintf("%05d.md", j)), nil, 0o666))
			}
		}
		time.Sleep(settled)
		b.Run(fmt.Sprintf("first/%d", folders), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := memory.New(config(dir)).Read(context.Background(), source.Query{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("unchanged/%d", folders), func(b *testing.B) {
			b.ReportAllocs()
			src := memory.New(config(dir))
			for b.Loop() {
				if _, err := src.Read(context.Background(), source.Query{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
