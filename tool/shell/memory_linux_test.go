package shell_test

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proemhq/proem/tool/shell"
)

func rss(t testing.TB) int64 {
	t.Helper()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip(err)
	}
	var size, pages int64
	if _, err := fmt.Sscan(string(b), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// A command that prints 1 GB costs no memory.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 1 GB")
	}
	s := newShell(t, shell.Config{MaxOutput: 2 << 30, Spill: t.TempDir()})
	before, most := rss(t), atomic.Int64{}
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				most.Store(max(most.Load(), rss(t)))
			}
		}
	}()
	got := call(t, s, args("head -c 1000000000 /dev/zero"))
	close(stop)
	if !strings.Contains(got, "[999967232 of 1000000000 bytes are left out here; all of it is in ") {
		t.Errorf("got %s", got)
	}
	grown := most.Load() - before
	t.Logf("grown by %d KiB", grown>>10)
	if grown > 16<<20*slow {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
}

func TestNoDescriptorIsLeft(t *testing.T) {
	open := func() int {
		e, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(e)
	}
	s := newShell(t, shell.Config{Spill: t.TempDir(), MaxResult: 2})
	call(t, s, args("echo long"))
	before := open()
	for range 30 {
		call(t, s, args("echo long"))
	}
	if after := open(); after > before {
		t.Errorf("%d descriptors, then %d", before, after)
	}
}
