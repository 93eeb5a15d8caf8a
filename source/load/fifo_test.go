//go:build unix

package load_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/proemhq/proem/source/load"
)

func TestFIFO(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	link(t, "pipe", filepath.Join(dir, "link"))
	l := load.New(nil)
	root := open(t, l, dir)
	start := time.Now()
	for _, name := range []string{"pipe", "link"} {
		_, err := l.Load(root, name, 100)
		var no *load.Refusal
		if !errors.As(err, &no) || no.Diagnostic.Code != "doc.not_regular" {
			t.Errorf("Load(%s): %v", name, err)
		}
	}
	if d := time.Since(start); d > 100*time.Millisecond {
		t.Errorf("took %v", d)
	}
}
