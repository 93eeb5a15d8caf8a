//go:build unix

package skills_test

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
)

func TestFIFO(t *testing.T) {
	dir := tree(t, map[string]string{
		".proem/skills/ok/SKILL.md":  "---\nname: ok\ndescription: d\n---\nx\n",
		".proem/skills/fifo/keep.md": "",
	})
	for _, at := range []string{"fifo/SKILL.md", "ok/pipe"} {
		if err := syscall.Mkfifo(filepath.Join(dir, ".proem", "skills", filepath.FromSlash(at)), 0o666); err != nil {
			t.Skip(err)
		}
	}
	start := time.Now()
	set := project(dir)
	f := read(t, set)
	same(t, "lines", lines(f), []string{"- ok: d"})
	same(t, "diagnostics", diags(dir, f.Diagnostics), []string{"warning doc.not_regular .proem/skills/fifo/SKILL.md"})
	_, err := set.Open(context.Background(), prompt.Who{}, "ok", "pipe")
	same(t, "resource", code(err), skills.CodeRefused)
	if d := time.Since(start); d > 200*time.Millisecond {
		t.Errorf("took %v", d)
	}
}
