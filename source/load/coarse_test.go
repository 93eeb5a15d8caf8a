package load_test

import (
	"io/fs"
	"testing"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/source/load"
)

// coarse is a file system whose clock ticks a hundred times a second, as many
// do: files changed twice within a tick look unchanged.
type coarse struct{ env.Files }

func (c coarse) OpenRoot(dir string) (env.Root, error) {
	r, err := c.Files.OpenRoot(dir)
	return coarseRoot{r}, err
}

type coarseRoot struct{ env.Root }

func (r coarseRoot) Lstat(name string) (env.Info, error) {
	i, err := r.Root.Lstat(name)
	return blunt(i), err
}

func (r coarseRoot) Stat(name string) (env.Info, error) {
	i, err := r.Root.Stat(name)
	return blunt(i), err
}

func blunt(i env.Info) env.Info {
	const tick = 10 * time.Millisecond
	if i.FileInfo != nil {
		i.Ctime = i.Ctime.Truncate(tick)
		i.FileInfo = bluntInfo{i.FileInfo, i.ModTime().Truncate(tick)}
	}
	return i
}

type bluntInfo struct {
	fs.FileInfo
	mod time.Time
}

func (i bluntInfo) ModTime() time.Time { return i.mod }

func TestChangeWithinATickIsSeen(t *testing.T) {
	dir := t.TempDir()
	l := load.New(&env.Env{Files: coarse{env.System().Files}})
	root := open(t, l, dir)
	for i := range 200 {
		want := string(rune('a'+i%26)) + "\n"
		filetest.Write(t, dir, map[string]string{"a.md": want})
		f, err := l.Load(root, "a.md", 100)
		if err != nil {
			t.Fatal(err)
		}
		if f.Text != want {
			t.Fatalf("round %d: %q, want %q", i, f.Text, want)
		}
	}
}
