package vfs_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	toolfs "github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/vfs"
)

// kind is what somebody can tell of an error.
func kind(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, fs.ErrNotExist):
		return "not exist"
	case errors.Is(err, fs.ErrExist):
		return "exist"
	case errors.Is(err, env.ErrNotRegular):
		return "not regular"
	}
	return "error"
}

func readAll(r env.Root, name string) string {
	f, err := r.Open(name)
	if err != nil {
		return kind(err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return fmt.Sprint(string(b), err)
}

func write(r env.Root, name, data string, flag int) string {
	f, err := r.OpenFile(name, flag, 0o640)
	if err != nil {
		return kind(err)
	}
	n, err := f.Write([]byte(data))
	return fmt.Sprint(n, kind(err), kind(f.Close()))
}

func list(r env.Root, name string) string {
	entries, err := r.ReadDir(name)
	if err != nil {
		return kind(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name()+" "+e.Type().String())
	}
	return strings.Join(out, ",")
}

func stat(r env.Root, name string) string {
	info, err := r.Stat(name)
	if err != nil {
		return kind(err)
	}
	if info.IsDir() {
		return "directory"
	}
	return fmt.Sprint(info.Name(), info.Mode(), info.Size())
}

// Memory, and an overlay over nothing, do what the system does.
func TestLikeTheSystem(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for round := range 60 {
		dir := t.TempDir()
		memory, upper := vfs.Memory(), vfs.Memory()
		must(t, memory.MkdirAll("/m", 0o777))
		must(t, upper.MkdirAll("/lower", 0o777))
		over := vfs.Overlay{At: "/o", Upper: upper, UpperDir: "/upper", Lower: upper, LowerDir: "/lower"}.Files()
		var roots []env.Root
		for _, at := range []struct {
			files env.Files
			dir   string
		}{{env.System().Files, dir}, {memory, "/m"}, {over, "/o"}} {
			root, err := at.files.OpenRoot(at.dir)
			must(t, err)
			defer root.Close()
			roots = append(roots, root)
		}
		names := []string{"a", "b", "d/a", "d/b", "d/e/a", "d", "d/e", "a/x", "../x", "."}
		pick := func() string { return names[r.IntN(len(names))] }
		var log []string
		for range 60 {
			a, b, flags := pick(), pick(), []int{os.O_WRONLY, os.O_WRONLY | os.O_CREATE, os.O_WRONLY | os.O_CREATE | os.O_EXCL,
				os.O_RDWR | os.O_CREATE | os.O_TRUNC, os.O_WRONLY | os.O_APPEND, os.O_WRONLY | os.O_TRUNC}
			flag, op := flags[r.IntN(len(flags))], r.IntN(7)
			var got []string
			for _, root := range roots {
				var s string
				switch op {
				case 0:
					s = "write " + a + " " + write(root, a, a+b, flag)
				case 1:
					s = "read " + a + " " + readAll(root, a)
				case 2:
					s = "list " + a + " " + list(root, a)
				case 3:
					s = "stat " + a + " " + stat(root, a)
				case 4:
					s = "mkdir " + a + " " + kind(root.MkdirAll(a, 0o777))
				case 5:
					s = "remove " + a + " " + kind(root.Remove(a))
				case 6:
					if from, err := root.Stat(a); a == "." || b == "." || a == b || err == nil && from.IsDir() {
						continue // systems differ
					}
					s = "rename " + a + " " + b + " " + kind(root.Rename(a, b))
				}
				got = append(got, s)
			}
			log = append(log, got...)
			for i := range got {
				// What is no error's own kind may be another word for the same refusal.
				if d := cmp.Diff(blur(got[i]), blur(got[0])); d != "" {
					log = log[max(0, len(log)-12):]
					t.Fatalf("round %d, %T after\n%s\n(-got +want):\n%s", round, roots[i], strings.Join(log, "\n"), d)
				}
			}
		}
	}
}

func blur(s string) string {
	if strings.HasPrefix(s, "rename ") && !strings.HasSuffix(s, " ok") {
		return "refused" // which of two names is looked at first differs
	}
	for _, k := range []string{" error", " exist", " not regular"} {
		if head, ok := strings.CutSuffix(s, k); ok && !strings.HasSuffix(s, "not exist") {
			return head + " refused"
		}
	}
	return s
}

func TestOverlay(t *testing.T) {
	base := t.TempDir()
	lower, upper := filepath.Join(base, "lower"), filepath.Join(base, "upper")
	must(t, os.MkdirAll(filepath.Join(lower, "d"), 0o777))
	must(t, os.WriteFile(filepath.Join(lower, "d", "f"), []byte("lower\n"), 0o640))
	must(t, os.WriteFile(filepath.Join(lower, "g"), []byte("g"), 0o666))
	files := vfs.Overlay{At: "/w", Upper: env.System().Files, Lower: env.System().Files, UpperDir: upper, LowerDir: lower}.Files()
	tools := toolfs.All(toolfs.Config{Env: &env.Env{Files: files}, Roots: []string{"/w"}})
	do := func(i int, args string) string {
		r, err := tools[i].Call(context.Background(), []byte(args))
		must(t, err)
		return r.Text.String()
	}
	for _, tt := range []struct {
		tool       int
		args, want string
	}{
		{0, `{"path":"/w/d/f"}`, "lower\n"},
		{3, `{"path":"d/f","old":"lower","new":"upper"}`, "edited d/f at line 1\n"},
		{0, `{"path":"d/f"}`, "upper\n"},
		{2, `{"path":"d/new","content":"x"}`, "created d/new (1 bytes)\n"},
		{1, `{"path":"d"}`, "f\nnew\n"},
		{1, `{"path":"."}`, "d/\ng\n"},
	} {
		if diff := cmp.Diff(do(tt.tool, tt.args), tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.args, diff)
		}
	}
	b, err := os.ReadFile(filepath.Join(lower, "d", "f"))
	if err != nil || string(b) != "lower\n" {
		t.Errorf("the lower tree holds %q, %v", b, err)
	}
	if _, err := os.Stat(filepath.Join(lower, "d", "new")); err == nil {
		t.Error("the lower tree was written")
	}
	root, err := files.OpenRoot("/w")
	must(t, err)
	defer root.Close()
	if got := write(root, "g", "h", os.O_WRONLY|os.O_APPEND); got != "1okok" && got != "1 ok ok" {
		t.Errorf("appending: %s", got)
	}
	if got := readAll(root, "g"); got != "gh<nil>" && got != "gh <nil>" {
		t.Errorf("after appending: %s", got)
	}
	info, err := os.Stat(filepath.Join(upper, "d", "f"))
	if err != nil || info.Mode() != 0o640 {
		t.Errorf("mode %v, %v", info, err)
	}
	if err := root.Remove("d/f"); !errors.Is(err, vfs.ErrLower) {
		t.Errorf("removing: %v", err)
	}
	if err := root.Rename("g", "h"); !errors.Is(err, vfs.ErrLower) {
		t.Errorf("renaming: %v", err)
	}
	if err := root.Remove("d/new"); err != nil {
		t.Errorf("removing: %v", err)
	}
	if _, err := files.OpenRoot("/elsewhere"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("elsewhere: %v", err)
	}
	if _, err := files.OpenRoot("/w/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
}

func TestMemoryFiles(t *testing.T) {
	m := vfs.Memory()
	must(t, m.MkdirAll("/d", 0o777))
	root, err := m.OpenRoot("/d")
	must(t, err)
	f, err := root.OpenFile("f", os.O_RDWR|os.O_CREATE, 0o666)
	must(t, err)
	must(t, f.Lock())
	g, err := root.OpenFile("f", os.O_RDWR, 0)
	must(t, err)
	if err := g.Lock(); !errors.Is(err, env.ErrLocked) {
		t.Errorf("a second lock: %v", err)
	}
	_, err = f.Write([]byte("0123456789"))
	must(t, err)
	must(t, f.Truncate(5))
	at, err := f.Seek(-2, io.SeekEnd)
	must(t, err)
	rest, err := io.ReadAll(f)
	must(t, err)
	if diff := cmp.Diff(fmt.Sprint(at, " ", string(rest)), "3 34"); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	before, err := g.Stat()
	must(t, err)
	must(t, env.Chmod(f, 0o600))
	_, err = f.Write([]byte("x"))
	must(t, err)
	after, err := g.Stat()
	must(t, err)
	if before.Unchanged(after) || after.Mode() != 0o600 {
		t.Errorf("%v and %v", before, after)
	}
	must(t, f.Close())
	must(t, g.Lock())
	if _, err := f.Read(nil); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
}
