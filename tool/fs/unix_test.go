//go:build unix

package fs_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/tool/fs"
)

func TestSpecialFiles(t *testing.T) {
	dir := tree(t, map[string]string{"odd\nname\u202e": "x", "d/": ""})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	c := fs.Config{Roots: []string{dir}}
	start := time.Now()
	same(t, "pipe", call(t, fs.ReadFile(c), `{"path":"pipe"}`), "error: read_file: pipe is not a regular file and is not read")
	if d := time.Since(start); d > 100*time.Millisecond {
		t.Errorf("took %v", d)
	}
	same(t, "names", call(t, fs.ListFiles(c), `{"path":"."}`), "d/\n\"odd\\nname\\u202e\"\npipe\n")
	if os.Getuid() == 0 {
		t.Skip("root reads everything")
	}
	filetest.Must(t, os.WriteFile(filepath.Join(dir, "closed"), nil, 0))
	same(t, "closed", call(t, fs.ReadFile(c), `{"path":"closed"}`), "error: read_file: closed cannot be read: permission denied")
}
