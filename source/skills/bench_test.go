package skills_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/load"
)

// BenchmarkRead lists 60 skills: for the first time, and as it is at every step.
// Beside it, what the stats of their files alone take.
func BenchmarkRead(b *testing.B) {
	files := map[string]string{}
	for i := range 60 {
		name := fmt.Sprintf("s%02d", i)
		files[".proem/skills/"+name+"/SKILL.md"] = "---\nname: " + name + "\ndescription: " + strings.Repeat("word", 100) + "\n---\nb\n"
	}
	dir := tree(b, files)
	time.Sleep(settled)
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := project(dir).Read(context.Background(), source.Query{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		b.ReportAllocs()
		set := project(dir)
		for b.Loop() {
			if _, err := set.Read(context.Background(), source.Query{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("stats", func(b *testing.B) {
		root, err := load.New(nil).OpenRoot(filepath.Join(dir, ".proem", "skills"))
		if err != nil {
			b.Fatal(err)
		}
		defer root.Close()
		for b.Loop() {
			for i := range 60 {
				if _, err := root.Lstat(fmt.Sprintf("s%02d/SKILL.md", i)); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
