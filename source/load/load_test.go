package load_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

// settled is longer than the loader waits before it trusts a file's times.
const settled = 30 * time.Millisecond

func link(t testing.TB, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip(err)
	}
}

func open(t testing.TB, l *load.Loader, dir string) env.Root {
	t.Helper()
	root, err := l.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return root
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"a/x.md": "caf\xe9\r\nok\r\n"})
	l := load.New(nil)
	f, err := l.Load(open(t, l, dir), "a/x.md", 100)
	if err != nil {
		t.Fatal(err)
	}
	p := filepath.Join(dir, "a", "x.md")
	got := map[string]any{"Name": f.Name, "Real": f.Real, "Path": f.Path, "Text": f.Text, "Size": f.Size, "Partial": f.Partial}
	want := map[string]any{"Name": "a/x.md", "Real": "a/x.md", "Path": p, "Text": "caf\ufffd\nok\n", "Size": int64(10), "Partial": false}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	from := span.Origin{Section: "s", Path: p, Trust: span.Project}
	changed := from
	changed.Stage = load.Stage
	spans := span.Text{
		{Text: "caf", From: &from},
		{Text: "\ufffd", From: &changed, Off: 3},
		{Text: "\nok", From: &from, Off: 5},
		{Text: "\n", From: &from, Off: 9},
	}
	if diff := cmp.Diff(f.Spans(from), spans); diff != "" {
		t.Errorf("spans (-got +want):\n%s", diff)
	}
	diags := []prompt.Diagnostic{{Severity: prompt.Warning, Code: "doc.invalid_utf8", Path: p, Line: 1, Column: 4, Offset: 3,
		Message: "not valid UTF-8 at byte 3; 1 place replaced with U+FFFD"}}
	if diff := cmp.Diff(f.Diagnostics, diags); diff != "" {
		t.Errorf("diagnostics (-got +want):\n%s", diff)
	}
}

func TestLoadBounds(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"five": "12345", "cjk": "中中"})
	counters := &env.Counters{}
	l := load.New(&env.Env{Count: counters})
	root := open(t, l, dir)
	for _, tt := range []struct {
		name    string
		max     int
		text    string
		partial bool
		sha     string
	}{
		{"five", 5, "12345", false, "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"},
		{"five", 6, "12345", false, "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"},
		{"five", 4, "1234", true, "03ac674216f3e15c761ee1a5e255f067953623c8b388b4459e13f978d7c846f4"},
		{"cjk", 4, "中", true, ""},
	} {
		before := counters.Load()
		f, err := l.Load(root, tt.name, tt.max)
		if err != nil {
			t.Fatal(err)
		}
		if f.Text != tt.text || f.Partial != tt.partial {
			t.Errorf("Load(%s, %d) = %q, partial %t", tt.name, tt.max, f.Text, f.Partial)
		}
		if tt.sha != "" && f.SHA256 != tt.sha {
			t.Errorf("Load(%s, %d).SHA256 = %s", tt.name, tt.max, f.SHA256)
		}
		if len(f.Diagnostics) > 0 {
			t.Errorf("Load(%s, %d) reports %v", tt.name, tt.max, f.Diagnostics)
		}
		if n := counters.Load().Sub(before).BytesRead; n > int64(tt.max)+1 {
			t.Errorf("Load(%s, %d) read %d bytes", tt.name, tt.max, n)
		}
	}
}

func TestRefusal(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{
		"out/secret.md":    "TOPSECRET",
		"w/.git/config":    "[core]",
		"w/sub/real.md":    "REAL",
		"w/plain":          "x",
		"w-evil/secret.md": "TOPSECRET",
	})
	w := filepath.Join(dir, "w")
	link(t, "../out/secret.md", filepath.Join(w, "up.md"))
	link(t, filepath.Join(dir, "out", "secret.md"), filepath.Join(w, "abs.md"))
	link(t, filepath.Join(dir, "w-evil", "secret.md"), filepath.Join(w, "sibling.md"))
	link(t, filepath.Join(w, "sub", "real.md"), filepath.Join(w, "inside.md"))
	link(t, "../out", filepath.Join(w, "dir"))
	link(t, ".git/config", filepath.Join(w, "git.md"))
	link(t, "nothing.md", filepath.Join(w, "broken.md"))
	link(t, "../out/nothing.md", filepath.Join(w, "brokenout.md"))
	link(t, "loop.md", filepath.Join(w, "loop.md"))
	link(t, "sub", filepath.Join(w, "alias"))
	tests := []struct{ name, code, text string }{
		{"up.md", "doc.outside_root", ""},
		{"abs.md", "doc.outside_root", ""},
		{"sibling.md", "doc.outside_root", ""},
		{"dir/secret.md", "doc.outside_root", ""},
		{"brokenout.md", "doc.outside_root", ""},
		{"../w-evil/secret.md", "doc.outside_root", ""},
		{"git.md", "doc.outside_root", ""},
		{"sub", "doc.not_regular", ""},
		{"broken.md", "doc.broken_link", ""},
		{"loop.md", "doc.unreadable", ""},
		{"none.md", "missing", ""},
		{"none/none.md", "missing", ""},
		{"inside.md", "", "REAL"},
		{"alias/real.md", "", "REAL"},
		{"sub/../sub/real.md", "", "REAL"},
	}
	l := load.New(nil)
	root := open(t, l, w)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := l.Load(root, tt.name, 100)
			code, text := "", ""
			var no *load.Refusal
			switch {
			case errors.As(err, &no):
				code = no.Diagnostic.Code
				if want := filepath.Join(w, filepath.FromSlash(tt.name)); no.Diagnostic.Path != want {
					t.Errorf("path %s, want %s", no.Diagnostic.Path, want)
				}
				if strings.Contains(err.Error(), "TOPSECRET") {
					t.Errorf("the error shows content: %v", err)
				}
			case errors.Is(err, fs.ErrNotExist):
				code = "missing"
			case err != nil:
				t.Fatal(err)
			default:
				text = f.Text
			}
			if diff := cmp.Diff([]string{code, text}, []string{tt.code, tt.text}); diff != "" {
				t.Errorf("%v (-got +want):\n%s", err, diff)
			}
		})
	}
}

func TestUnchangedCostsOneStat(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"a.md": "v1\n"})
	time.Sleep(settled)
	counters := &env.Counters{}
	l := load.New(&env.Env{Count: counters})
	root := open(t, l, dir)
	first, err := l.Load(root, "a.md", 100)
	if err != nil {
		t.Fatal(err)
	}
	before := counters.Load()
	again, err := l.Load(root, "a.md", 100)
	if err != nil || again != first {
		t.Errorf("the second load is another file: %v", err)
	}
	if diff := cmp.Diff(counters.Load().Sub(before), env.Counts{Stats: 1}); diff != "" {
		t.Errorf("cost (-got +want):\n%s", diff)
	}
}

// TestChangeIsSeen changes a file in ways that leave its size, and often its
// times, as they were.
func TestChangeIsSeen(t *testing.T) {
	dir := t.TempDir()
	l := load.New(nil)
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

func TestTouchedFileIsTheSame(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"a.md": "v1\n"})
	l := load.New(nil)
	root := open(t, l, dir)
	first, err := l.Load(root, "a.md", 100)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "a.md"), time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	again, err := l.Load(root, "a.md", 100)
	if err != nil || again != first {
		t.Errorf("a touched file was made again: %v", err)
	}
	filetest.Write(t, dir, map[string]string{"a.md": "v2\n"})
	changed, err := l.Load(root, "a.md", 100)
	if err != nil || changed.Text != "v2\n" || !changed.Same(first) {
		t.Errorf("after a change: %v, %v", changed, err)
	}
}

func TestList(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"d/b": "", "d/a": "", "d/c/x": ""})
	time.Sleep(settled)
	counters := &env.Counters{}
	l := load.New(&env.Env{Count: counters})
	root := open(t, l, dir)
	list := func() []string {
		entries, err := l.List(root, "d")
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if diff := cmp.Diff(list(), []string{"a", "b", "c"}); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
	before := counters.Load()
	list()
	if diff := cmp.Diff(counters.Load().Sub(before), env.Counts{Stats: 1}); diff != "" {
		t.Errorf("cost (-got +want):\n%s", diff)
	}
	filetest.Write(t, dir, map[string]string{"d/aa": ""})
	if diff := cmp.Diff(list(), []string{"a", "aa", "b", "c"}); diff != "" {
		t.Errorf("after a change (-got +want):\n%s", diff)
	}
}

func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"a.md": "0\n"})
	l := load.New(nil)
	root := open(t, l, dir)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				if _, err := l.Load(root, "a.md", 100); err != nil {
					t.Error(err)
				}
				if _, err := l.List(root, "."); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 50 {
		filetest.Write(t, dir, map[string]string{"a.md": "12345\n"})
	}
	wg.Wait()
}

// TestLinkSwap exchanges a file for a link that leads out, over and over, while
// it is being read.
func TestLinkSwap(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"secret": "TOPSECRET", "w/in": "IN"})
	w := filepath.Join(dir, "w")
	link(t, "../secret", filepath.Join(w, "probe"))
	l := load.New(nil)
	root := open(t, l, w)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 2000 {
			to := "in"
			if i%2 == 0 {
				to = "../secret"
			}
			os.Symlink(to, filepath.Join(w, "next"))
			os.Rename(filepath.Join(w, "next"), filepath.Join(w, "a.md"))
		}
	}()
	for {
		if f, err := l.Load(root, "a.md", 100); err == nil && f.Text != "IN" {
			t.Fatalf("read %q", f.Text)
		}
		select {
		case <-done:
			return
		default:
		}
	}
}

func FuzzSpans(f *testing.F) {
	f.Add([]byte("a\r\nb\xff\u200b\x00"), 5)
	dir := f.TempDir()
	p := filepath.Join(dir, "f")
	f.Fuzz(func(t *testing.T, b []byte, max int) {
		max = max & 0xfff
		if err := os.WriteFile(p, b, 0o666); err != nil {
			t.Fatal(err)
		}
		l := load.New(nil)
		file, err := l.Load(open(t, l, dir), "f", max)
		if err != nil {
			t.Fatal(err)
		}
		text := file.Spans(span.Origin{})
		if text.String() != file.Text {
			t.Errorf("spans read %q, the text %q", text.String(), file.Text)
		}
		for _, s := range text {
			if s.From.Stage == "" && string(b[s.Off:int(s.Off)+len(s.Text)]) != s.Text {
				t.Errorf("span %q is not at %d", s.Text, s.Off)
			}
		}
	})
}

// TestOnce reads files that were just changed: for one assembly they are read
// once, so that what it cost is the same whenever it is made.
func TestOnce(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"a.md": "v1\n"})
	counters := &env.Counters{}
	l := load.New(&env.Env{Count: counters})
	l.Once = true
	root := open(t, l, dir)
	for range 3 {
		if _, err := l.Load(root, "a.md", 100); err != nil {
			t.Fatal(err)
		}
		if _, err := l.List(root, "."); err != nil {
			t.Fatal(err)
		}
	}
	if n := counters.Load().BytesRead; n != 3 {
		t.Errorf("read %d bytes", n)
	}
}
