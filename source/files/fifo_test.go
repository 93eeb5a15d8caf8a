//go:build unix

package files_test

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/proemhq/proem/source/files"
)

func TestCaseC10(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "AGENTS.md/": "", "sub/": ""})
	if err := syscall.Mkfifo(filepath.Join(dir, "sub", "AGENTS.md"), 0o666); err != nil {
		t.Skip(err)
	}
	start := time.Now()
	f := read(t, files.Config{Cwd: filepath.Join(dir, "sub")})
	if d := time.Since(start); d > 100*time.Millisecond {
		t.Errorf("took %v", d)
	}
	same(t, "docs", docs(f), nil)
	same(t, "diagnostics", diags(dir, f), []string{"info doc.not_regular AGENTS.md", "info doc.not_regular sub/AGENTS.md"})
}
