package reliability_test

import (
	"os"
	"sync/atomic"
	"testing"
)

// parallel does something n times with two workers, and stops after a failure.
func parallel(t *testing.T, n int, do func(t testing.TB, i int)) {
	t.Helper()
	var next atomic.Int64
	var failed atomic.Bool
	t.Run("workers", func(t *testing.T) {
		for range 2 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				defer func() { failed.Store(failed.Load() || t.Failed()) }() // also if it is given up
				for i := next.Add(1) - 1; i < int64(n) && !failed.Load(); i = next.Add(1) - 1 {
					do(t, int(i))
					failed.Store(failed.Load() || t.Failed())
				}
			})
		}
	})
}

// scratch returns a directory that is removed before the test ends, as there are
// many.
func scratch(t testing.TB) (dir string, remove func()) { return scratchIn(t, "") }

// ramdir is scratch on a file system that needs no disk, where there is one.
func ramdir(t testing.TB) (dir string, remove func()) {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		return scratchIn(t, "/dev/shm")
	}
	return scratchIn(t, "")
}

func scratchIn(t testing.TB, parent string) (dir string, remove func()) {
	t.Helper()
	dir, err := os.MkdirTemp(parent, "proem-reliability-")
	must(t, err)
	return dir, func() { os.RemoveAll(dir) }
}
