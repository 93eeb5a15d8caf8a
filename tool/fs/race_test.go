package fs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/tool/fs"
)

// A directory and a link out of the root change places all the time. Nothing
// outside is read or written.
func TestSwappedLinks(t *testing.T) {
	base := tree(t, map[string]string{"w/d/f": "inside\n", "w/file": "inside\n", "out/f": "TOPSECRET\n"})
	w, out := filepath.Join(base, "w"), filepath.Join(base, "out")
	link(t, out, filepath.Join(base, "link"))
	link(t, filepath.Join(out, "f"), filepath.Join(base, "filelink"))
	var stop atomic.Bool
	swaps := make(chan int)
	swap := func(at, other, aside string) {
		n := 0
		for ; !stop.Load(); n++ {
			os.Rename(at, aside)
			os.Rename(other, at)
			os.Rename(at, other)
			os.Rename(aside, at)
		}
		swaps <- n
	}
	go swap(filepath.Join(w, "d"), filepath.Join(base, "link"), filepath.Join(base, "aside"))
	go swap(filepath.Join(w, "file"), filepath.Join(base, "filelink"), filepath.Join(base, "aside2"))
	k := newKit(fs.Config{Roots: []string{w}})
	calls := 0
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); calls++ {
		for _, path := range []string{"d/f", "file"} {
			for name, in := range map[string]string{
				"read_file":  args("path", path),
				"list_files": args("path", "d"),
				"write_file": args("path", path, "content", "written\n"),
				"edit_file":  args("path", path, "old", "SECRET", "new", "x"),
			} {
				r, err := k[name].Call(t.Context(), json.RawMessage(in))
				filetest.Must(t, err)
				if strings.Contains(r.Text.String(), "TOPSECRET") {
					t.Fatalf("%s showed what lies outside", name)
				}
			}
		}
	}
	stop.Store(true)
	n := <-swaps + <-swaps
	same(t, "outside", content(t, out, "f"), "TOPSECRET\n")
	entries, err := os.ReadDir(out)
	filetest.Must(t, err)
	if len(entries) != 1 {
		t.Errorf("outside lie %v", entries)
	}
	t.Logf("%d rounds of calls, %d swaps", calls, n)
}
