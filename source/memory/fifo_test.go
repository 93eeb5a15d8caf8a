//go:build unix

package memory_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestFIFO(t *testing.T) {
	dir := tree(t, map[string]string{"MEMORY.md": "M\n", "knowledge/a.md": "x"})
	for _, at := range []string{"AGENTS.md", "knowledge/pipe"} {
		if err := syscall.Mkfifo(filepath.Join(dir, ".proem", filepath.FromSlash(at)), 0o666); err != nil {
			t.Skip(err)
		}
	}
	start := time.Now()
	f := read(t, config(dir))
	same(t, "docs", docs(f), []string{"MEMORY.md: M\n", "knowledge: Knowledge files:\n- knowledge/a.md"})
	same(t, "diagnostics", diags(dir, f), []string{"info doc.not_regular .proem/AGENTS.md"})
	if d := time.Since(start); d > 200*time.Millisecond {
		t.Errorf("took %v", d)
	}
}
