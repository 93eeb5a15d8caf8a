package env_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
)

func openRoot(t *testing.T, e *env.Env, dir string) env.Root {
	t.Helper()
	r, err := env.OrSystem(e).Files.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func write(t *testing.T, r env.Root, name, text string) {
	t.Helper()
	f, err := r.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, r env.Root, name string) string {
	t.Helper()
	f, err := r.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestRoot(t *testing.T) {
	r := openRoot(t, nil, t.TempDir())
	if err := r.MkdirAll("a/b", 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, r, "a/b/two", "2")
	write(t, r, "a/b/one", "1")
	if err := r.Rename("a/b/two", "a/b/three"); err != nil {
		t.Fatal(err)
	}
	write(t, r, "a/b/x", "")
	if err := r.Remove("a/b/x"); err != nil {
		t.Fatal(err)
	}
	if err := r.SyncDir("a/b"); err != nil {
		t.Fatal(err)
	}
	entries, err := r.ReadDir("a/b")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name()+"="+read(t, r, "a/b/"+e.Name()))
	}
	if d := cmp.Diff(got, []string{"one=1", "three=2"}); d != "" {
		t.Errorf("entries (-got +want):\n%s", d)
	}
}

func TestOpenRefusesDirectories(t *testing.T) {
	r := openRoot(t, nil, t.TempDir())
	if err := r.MkdirAll("d", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []int{os.O_RDONLY, os.O_RDWR, os.O_WRONLY | os.O_CREATE} {
		if _, err := r.OpenFile("d", flag, 0o600); !errors.Is(err, env.ErrNotRegular) {
			t.Errorf("flag %#x: got %v, want ErrNotRegular", flag, err)
		}
	}
	if _, err := r.Open("missing"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing: got %v, want ErrNotExist", err)
	}
}

func TestRootKeepsInside(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("s"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../secret", filepath.Join(dir, "in", "link")); err != nil {
		t.Skip(err)
	}
	r := openRoot(t, nil, filepath.Join(dir, "in"))
	for _, name := range []string{"link", "../secret", filepath.Join(dir, "secret")} {
		if _, err := r.Open(name); err == nil {
			t.Errorf("%s: opened a file outside the root", name)
		}
	}
	if got, err := r.Readlink("link"); got != "../secret" || err != nil {
		t.Errorf("readlink: got %q, %v", got, err)
	}
	if i, err := r.Lstat("link"); err != nil || i.Mode()&os.ModeSymlink == 0 {
		t.Errorf("lstat: got %v, %v, want a link", i.FileInfo, err)
	}
}

func TestInfoChanges(t *testing.T) {
	r := openRoot(t, nil, t.TempDir())
	write(t, r, "f", "one")
	write(t, r, "g", "one")
	a, err := r.Stat("f")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := r.Stat("f")
	if !a.Unchanged(b) {
		t.Errorf("the same file: got changed")
	}
	write(t, r, "f", "longer")
	if b, _ = r.Stat("f"); a.Unchanged(b) {
		t.Errorf("a longer file: got unchanged")
	}
	if (env.Info{}).Unchanged(env.Info{}) {
		t.Errorf("two unknown files: got unchanged")
	}
}

func TestLock(t *testing.T) {
	r := openRoot(t, nil, t.TempDir())
	write(t, r, "f", "x")
	open := func() env.File {
		f, err := r.OpenFile("f", os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a, b := open(), open()
	defer b.Close()
	if err := a.Lock(); err != nil {
		t.Fatal(err)
	}
	if err := b.Lock(); !errors.Is(err, env.ErrLocked) {
		t.Errorf("second lock: got %v, want ErrLocked", err)
	}
	if got := read(t, r, "f"); got != "x" {
		t.Errorf("reading a locked file: got %q", got)
	}
	a.Close()
	if err := b.Lock(); err != nil {
		t.Errorf("lock after close: %v", err)
	}
}

func TestCounters(t *testing.T) {
	c := &env.Counters{}
	r := openRoot(t, &env.Env{Count: c}, t.TempDir())
	write(t, r, "f", "12345")
	before := c.Load()
	read(t, r, "f")
	r.Stat("f")
	r.ReadDir(".")
	got := c.Load().Sub(before)
	want := env.Counts{Opens: 1, Reads: 2, BytesRead: 5, Stats: 1, ReadDirs: 1}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("counts (-got +want):\n%s", d)
	}
}

func TestShortWrite(t *testing.T) {
	full := errors.New("no space left")
	dir := t.TempDir()
	fail := &env.Failpoints{At: 1, Only: []env.Effect{env.EffectWrite}, Err: &env.ShortWrite{N: 3, Err: full}}
	r := openRoot(t, &env.Env{Fail: fail}, dir)
	f, err := r.OpenFile("f", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, err := f.Write([]byte("abcdef"))
	if n != 3 || !errors.Is(err, full) {
		t.Errorf("write: got %d, %v, want 3 bytes and %v", n, err, full)
	}
	if got := read(t, r, "f"); got != "abc" {
		t.Errorf("file: got %q, want abc", got)
	}
}

func TestFailpointsReachEveryEffect(t *testing.T) {
	run := func(fail *env.Failpoints) error {
		e := env.OrSystem(&env.Env{Fail: fail})
		dir := t.TempDir()
		r, err := e.Files.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer r.Close()
		if err := r.MkdirAll("d", 0o700); err != nil {
			return err
		}
		f, err := r.OpenFile("d/f", os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		defer f.Close()
		for _, do := range []func() error{
			f.Lock,
			func() error { _, err := f.Write([]byte("x")); return err },
			f.Sync,
			func() error { return f.Truncate(0) },
			func() error { return r.Rename("d/f", "d/g") },
			func() error { return r.SyncDir("d") },
			func() error { return e.Clock.Sleep(t.Context(), 1) },
			func() error { return e.Process("true") },
		} {
			if err := do(); err != nil {
				return err
			}
		}
		f.Close()
		return r.Remove("d/g")
	}
	var got []string
	for k := 1; ; k++ {
		fail := &env.Failpoints{At: k}
		err := run(fail)
		if fail.Hits() < k {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if !errors.Is(err, env.ErrInjected) {
			t.Fatalf("effect %d: got %v, want the injected fault", k, err)
		}
		kind, _, _ := strings.Cut(err.Error(), " ")
		got = append(got, kind)
	}
	want := []string{"open", "mkdir", "open", "lock", "write", "sync", "truncate", "rename", "sync", "sleep", "process", "remove"}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("effects (-got +want):\n%s", d)
	}
}
