//go:build unix

package env_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/proemhq/proem/env"
)

// Opening a FIFO that nobody writes to would wait for ever.
func TestOpenNeverBlocks(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Skip(err)
	}
	if l, err := net.Listen("unix", filepath.Join(dir, "sock")); err == nil {
		defer l.Close()
	}
	r := openRoot(t, nil, dir)
	for _, name := range []string{"fifo", "sock"} {
		for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR} {
			done := make(chan error, 1)
			go func() {
				_, err := r.OpenFile(name, flag, 0)
				done <- err
			}()
			select {
			case err := <-done:
				if !errors.Is(err, env.ErrNotRegular) {
					t.Errorf("%s, flag %#x: got %v, want ErrNotRegular", name, flag, err)
				}
			case <-time.After(5 * time.Second):
				t.Fatalf("%s, flag %#x: open blocks", name, flag)
			}
		}
	}
	if _, err := openRoot(t, nil, "/dev").Open("null"); !errors.Is(err, env.ErrNotRegular) {
		t.Errorf("/dev/null: got %v, want ErrNotRegular", err)
	}
	write(t, r, "f", "x")
	if i, err := r.Stat("f"); err != nil || i.Inode == 0 || i.Ctime.IsZero() {
		t.Skipf("no inode or change time here: %+v, %v", i, err)
	}
}
