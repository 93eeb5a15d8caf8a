package search_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/search"
	"github.com/proemhq/proem/vfs"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func tree(t testing.TB, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, s := range content {
		p := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(p), 0o777))
		must(t, os.WriteFile(p, []byte(s), 0o666))
	}
	return dir
}

func in(dir string) vfs.Space { return vfs.Space{Roots: []vfs.Root{{Dir: dir}}} }

// call returns the text of a result, with "error: " before that of an error.
func call(t testing.TB, tl tool.Tool, kv ...any) string {
	t.Helper()
	m := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1]
	}
	args, err := json.Marshal(m)
	must(t, err)
	r, err := tl.Call(t.Context(), args)
	must(t, err)
	s := r.Text.String()
	if !utf8.ValidString(s) {
		t.Errorf("%s: not valid UTF-8: %q", args, s)
	}
	if r.IsError {
		return "error: " + s
	}
	return s
}

func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

var project = map[string]string{
	".gitignore": "*.log\nbuild/\n", ".git/config": "needle", "a.go": "package a\n// needle\n", "b.txt": "x\n",
	"sub/c.go": "needle\r\nneedle two\r\n", "sub/.gitignore": "secret\n", "sub/secret": "needle", "build/out.go": "needle\n", "x.log": "needle\n",
	"bin": "needle\x00", "docs/deep/d.md": "Needle\n",
}

func TestGlob(t *testing.T) {
	glob := search.Glob(search.Config{Space: in(tree(t, project))})
	for _, tt := range []struct {
		pattern, path, want string
	}{
		{"*.go", ".", "a.go\nsub/c.go\n"},
		{"**/*.go", ".", "a.go\nsub/c.go\n"},
		{"./*.go", ".", "a.go\nsub/c.go\n"},
		{"sub/*", ".", "sub/.gitignore\nsub/c.go\n"},
		{"c.*", "sub", "sub/c.go\n"},
		{"*.{txt,md}", ".", "b.txt\ndocs/deep/d.md\n"},
		{"d*/", ".", "docs/\ndocs/deep/\n"},
		{"*.log", ".", "[no file fits *.log]\n[.gitignore excludes 3 names; to look there, name one in path]\n"},
		{"*", "build", "build/out.go\n"},
		{"config", ".", "[no file fits config]\n[.gitignore excludes 3 names; to look there, name one in path]\n"},
		{"*", "a.go", "error: glob: a.go is not a directory; leave path out or name the directory"},
		{"*", "none", "error: glob: none does not exist; list_files shows what there is"},
		{"", ".", `error: glob: pattern is empty; "**" finds every file`},
		{"[a", ".", "error: glob: the pattern [a is not valid; * stands for any part of a name, ** for any directories, ? for one character, {a,b} for one of both"},
		{"/etc/*", ".", "error: glob: the pattern /etc/* is not relative; it is matched with names below path"},
		{strings.Repeat("{a,b}", 7), ".", "error: glob: a pattern has at most 1024 bytes, and its braces at most 100 choices"},
	} {
		same(t, tt.pattern+" in "+tt.path, call(t, glob, "pattern", tt.pattern, "path", tt.path), tt.want)
	}
}

func TestGrep(t *testing.T) {
	grep := search.Grep(search.Config{Space: in(tree(t, project))})
	for _, tt := range []struct {
		pattern, path, glob, want string
	}{
		{"needle", ".", "", "a.go:2:// needle\nsub/c.go:1:needle\nsub/c.go:2:needle two\n"},
		{"needle$", ".", "", "a.go:2:// needle\nsub/c.go:1:needle\n"},
		{"(?i)NEEDLE", ".", "*.md", "docs/deep/d.md:1:Needle\n"},
		{"^n.*(two|three)", ".", "sub/**", "sub/c.go:2:needle two\n"},
		{"needle", "sub/c.go", "", "sub/c.go:1:needle\nsub/c.go:2:needle two\n"},
		{"needle", "build", "", "build/out.go:1:needle\n"},
		{"needle", "sub/secret", "", "sub/secret:1:needle\n"},
		{"absent", ".", "*.go", "[no line fits; 2 files were searched]\n[.gitignore excludes 3 names; to look there, name one in path]\n"},
		{"a(", ".", "", "error: grep: the pattern a( is no regular expression: error parsing regexp: missing closing ): `a(`; write \\ before characters that stand for themselves"},
		{"", ".", "", "error: grep: pattern is empty; give a regular expression"},
		{"x", "../..", "", "error: grep: ../.. lies outside what can be used; use a path below ROOT"},
	} {
		got := call(t, grep, "pattern", tt.pattern, "path", tt.path, "glob", tt.glob)
		same(t, tt.pattern+" in "+tt.path, regexp.MustCompile(`below /.*`).ReplaceAllString(got, "below ROOT"), tt.want)
	}
}

func TestBounds(t *testing.T) {
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("f%d", i)] = "x1\nx2\n"
	}
	c := search.Config{Space: in(tree(t, files)), MaxResults: 3}
	same(t, "glob", call(t, search.Glob(c), "pattern", "*"), "f0\nf1\nf2\n[3 of 10 names are shown; a narrower pattern or path shows the others]\n")
	same(t, "grep", call(t, search.Grep(c), "pattern", "x"),
		"f0:1:x1\nf0:2:x2\nf1:1:x1\n[3 of 20 lines are shown, of 10 files; a narrower pattern, path or glob shows the others]\n")
	c.MaxResults, c.MaxBytes = 0, 20
	same(t, "bytes", call(t, search.Grep(c), "pattern", "x"),
		"f0:1:x1\nf0:2:x2\n[2 of 20 lines are shown, of 10 files; a narrower pattern, path or glob shows the others]\n")
	c.MaxBytes, c.MaxVisits = 0, 2
	same(t, "visits", call(t, search.Glob(c), "pattern", "*"), "f0\nf1\n[the search ended after 2 names; name a directory in path]\n")
	c.MaxVisits, c.MaxFile = 0, 3
	same(t, "large", call(t, search.Grep(c), "pattern", "x"), "[no line fits; 0 files were searched]\n[10 files were of more than 0 MiB not looked into]\n")
}

func TestLongLines(t *testing.T) {
	dir := tree(t, map[string]string{
		"a": strings.Repeat("中", 300) + "needle" + strings.Repeat("文", 300) + "\n", "b": "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00", "c": "\xff needle \u200b\n",
		"d": "\xef\xbb\xbfneedle\n",
	})
	got := call(t, search.Grep(search.Config{Space: in(dir)}), "pattern", "needle")
	want := "a:1:…" + strings.Repeat("中", 33) + "needle" + strings.Repeat("文", 98) + "…\nb:1:needle\nc:1:\ufffd needle \nd:1:needle\n"
	same(t, "long", got, want)
}

func TestOrigins(t *testing.T) {
	dir := tree(t, map[string]string{"d/f": "one\r\ntwo\r\n"})
	r, err := search.Grep(search.Config{Space: in(dir)}).Call(t.Context(), []byte(`{"pattern":"tw"}`))
	must(t, err)
	path := filepath.Join(dir, "d", "f")
	by := &span.Origin{Section: "grep", Source: "generated:place", Path: path}
	same(t, "spans", r.Text, span.Text{
		{Text: "d/f:2:", From: by, Off: span.NoOffset},
		{Text: "two", From: &span.Origin{Section: "grep", Source: "file", Path: path, Trust: span.Tool}, Off: 5},
		{Text: "\n", From: by, Off: span.NoOffset},
	})
}

func TestLinksAreNotFollowed(t *testing.T) {
	base := tree(t, map[string]string{"w/a": "x", "out/f": "needle"})
	for to, at := range map[string]string{"../out": "w/d", "../out/f": "w/f", ".": "w/loop"} {
		if err := os.Symlink(to, filepath.Join(base, at)); err != nil {
			t.Skip(err)
		}
	}
	c := search.Config{Space: in(filepath.Join(base, "w"))}
	same(t, "grep", call(t, search.Grep(c), "pattern", "needle"), "[no line fits; 1 file was searched]\n")
	same(t, "glob", call(t, search.Glob(c), "pattern", "**/f"), "f\n")
	same(t, "out", call(t, search.Grep(c), "pattern", "needle", "path", "d"),
		"error: grep: d leads through a link to a place outside "+filepath.Join(base, "w"))
}

func TestAllow(t *testing.T) {
	dir := tree(t, map[string]string{"a": "needle", "secret/b": "needle", ".env": "needle"})
	c := search.Config{Space: in(dir), Allow: func(_ context.Context, path string) error {
		if base := filepath.Base(path); base == ".env" || base == "secret" {
			return errors.New("denied by a rule")
		}
		return nil
	}}
	same(t, "grep", call(t, search.Grep(c), "pattern", "needle"), "a:1:needle\n[2 names may not be looked at]\n")
	same(t, "glob", call(t, search.Glob(c), "pattern", "**"), "a\n[2 names may not be looked at]\n")
	same(t, "direct", call(t, search.Grep(c), "pattern", "needle", "path", ".env"), "error: grep: denied by a rule")
}

func TestEffects(t *testing.T) {
	dir := tree(t, map[string]string{"d/a": ""})
	for _, tl := range search.Tools(search.Config{Space: in(dir)}) {
		same(t, "here", tool.EffectOf(t.Context(), tl, []byte(`{"pattern":"x"}`)), tool.Effect{ReadOnly: true, Idempotent: true, Paths: []string{dir}})
		same(t, "there", tool.EffectOf(t.Context(), tl, []byte(`{"pattern":"x","path":"d"}`)),
			tool.Effect{ReadOnly: true, Idempotent: true, Paths: []string{filepath.Join(dir, "d")}})
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tl := range search.Tools(search.Config{Space: in(t.TempDir())}) {
		if _, err := tl.Call(ctx, []byte(`{"pattern":"x"}`)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v", tl.Spec().Name, err)
		}
	}
}

// The prefilter never hides a line that the expression fits.
func TestPrefilter(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	atoms := []string{"a", "b", "ab", "(a|b)", "(ab)+", "b*", "a?", "[ab]", "(?i:ab)", "a{2}", "(ab){0,2}", "^", "$", "c|ab", ".", "(a)(b)", "\xef\xbf\xbd"}
	texts := map[string]string{}
	for i := range 40 {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteString([]string{"a", "b", "A", "c", "\n", "\xff"}[r.IntN(6)])
		}
		texts[fmt.Sprintf("f%02d", i)] = b.String()
	}
	grep := search.Grep(search.Config{Space: in(tree(t, texts)), MaxResults: 1 << 20})
	for range 200 {
		var p strings.Builder
		for range 1 + r.IntN(3) {
			p.WriteString(atoms[r.IntN(len(atoms))])
		}
		re := regexp.MustCompile(p.String())
		want := 0
		for _, s := range texts {
			for line := range strings.SplitSeq(strings.TrimSuffix(s, "\n"), "\n") {
				if s != "" && re.MatchString(line) {
					want++
				}
			}
		}
		got := strings.Count("\n"+call(t, grep, "pattern", p.String()), "\nf")
		if got != want {
			t.Errorf("%q: %d lines, want %d", p.String(), got, want)
		}
	}
}

// FuzzGlob checks that no pattern takes long or finds what lies elsewhere.
func FuzzGlob(f *testing.F) {
	base := tree(f, map[string]string{"w/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab/aaaaaaaaaaaaaaaaaaaab": "", "w/b": "", "TOPSECRET": ""})
	glob := search.Glob(search.Config{Space: in(filepath.Join(base, "w"))})
	f.Add("**/*a*a*a*a*a*a*a*a*a*a*a*a*a*c")
	f.Add("{a*,a*}{a*,a*}{a*,a*}{a*,a*}{a*,a*}{a*,a*}c")
	f.Add("{*,*,*,*,*,*}{*,*,*,*,*,*}{*,*,*,*,*,*}{*,*,*,*,*,*}{*,*,*,*,*,*}{*,*,*,*,*,*}c")
	f.Add("../*")
	f.Fuzz(func(t *testing.T, pattern string) {
		start := time.Now()
		got := call(t, glob, "pattern", pattern)
		if strings.Contains(got, "TOPSECRET") && !strings.Contains(pattern, "TOPSECRET") {
			t.Errorf("%q found %s", pattern, got)
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("%q took %v", pattern, d)
		}
	})
}

func ExampleGrep() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\nthree\n"), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	grep := search.Grep(search.Config{Space: vfs.Space{Roots: []vfs.Root{{Dir: dir}}}})
	r, err := grep.Call(context.Background(), []byte(`{"pattern":"^t"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(r.Text)
	// Output:
	// a.txt:2:two
	// a.txt:3:three
}
