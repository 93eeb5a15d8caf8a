package files_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/span"
)

// settled is longer than the loader waits before it trusts a file's times.
const settled = 30 * time.Millisecond

// tree writes files below a new directory; a name that ends in a slash is a
// directory.
func tree(t testing.TB, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	filetest.Write(t, dir, content)
	return dir
}

func link(t testing.TB, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		t.Skip(err)
	}
}

func read(t testing.TB, c files.Config) prompt.Fact {
	t.Helper()
	f, err := files.New(c).Read(context.Background(), source.Query{})
	filetest.Must(t, err)
	for _, d := range f.Docs {
		if d.Spans.String() != d.Text || !utf8.ValidString(d.Text) {
			t.Errorf("%s: spans read %q, the text %q", d.Name, d.Spans.String(), d.Text)
		}
	}
	return f
}

// docs returns "name: text" of each document.
func docs(f prompt.Fact) []string {
	var out []string
	for _, d := range f.Docs {
		out = append(out, d.Name+": "+d.Text)
	}
	return out
}

// diags returns "severity code name" of each diagnostic.
func diags(dir string, f prompt.Fact) []string {
	var out []string
	for _, d := range f.Diagnostics {
		rel, err := filepath.Rel(dir, d.Path)
		if err != nil {
			rel = d.Path
		}
		out = append(out, d.Severity.String()+" "+d.Code+" "+filepath.ToSlash(rel))
	}
	return out
}

func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

func TestEmpty(t *testing.T) {
	same(t, "zero config", read(t, files.Config{}).None, true)
	dir := tree(t, map[string]string{".git/": ""})
	f := read(t, files.Config{Cwd: dir, UserFile: filepath.Join(dir, "none", "AGENTS.md")})
	same(t, "nothing found", f.None, true)
	same(t, "diagnostics", len(f.Diagnostics), 0)
}

func TestConfigErrors(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "sub/": ""})
	for _, c := range []files.Config{
		{Cwd: "relative"},
		{Cwd: filepath.Join(dir, "none")},
		{Cwd: dir, Names: []string{"../x"}},
		{Cwd: dir, Fallbacks: []string{"/etc/passwd"}},
		{Cwd: dir, Markers: []string{"../.git"}},
		{Cwd: dir, Root: filepath.Join(dir, "sub")},
		{UserFile: filepath.Join(dir, "a"), UserDir: filepath.Join(dir, "sub")},
	} {
		if _, err := files.New(c).Read(context.Background(), source.Query{}); err == nil || !strings.HasPrefix(err.Error(), "source files: ") {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestFindRoot(t *testing.T) {
	dir := tree(t, map[string]string{"a/.git/": "", "a/b/c/": "", "a/m/.git": "gitdir: x\n", "a/m/d/": "", "a/.mark": "", "a/dir/.mark/": ""})
	for _, tt := range []struct {
		cwd     string
		markers []string
		want    string
	}{
		{"a", nil, "a"},
		{"a/b/c", nil, "a"},
		{"a/m/d", nil, "a/m"},
		{"a/m/d", []string{".mark"}, "a"},
		{"a/dir", []string{".mark"}, "a/dir"},
		{"a/b/c", []string{"no-such-marker"}, "a/b/c"},
		{"a/b/c", []string{}, "a/b/c"},
	} {
		got, err := files.FindRoot(nil, filepath.Join(dir, filepath.FromSlash(tt.cwd)), tt.markers)
		filetest.Must(t, err)
		same(t, tt.cwd, got, filepath.Join(dir, filepath.FromSlash(tt.want)))
	}
}

func TestNames(t *testing.T) {
	dir := tree(t, map[string]string{
		".git/": "", "AGENTS.override.md": "OV", "AGENTS.md": "MAIN", "CLAUDE.md": "FALL",
		"sub/CLAUDE.md": "SUB", "docs/x.md": "DOC",
	})
	sub := filepath.Join(dir, "sub")
	first := read(t, files.Config{Cwd: sub, Fallbacks: []string{"CLAUDE.md", "docs/x.md"}})
	same(t, "first", docs(first), []string{"project:AGENTS.override.md: OV", "project:sub/CLAUDE.md: SUB"})
	same(t, "notes", first.Notes, []prompt.Note{
		{Name: "project:AGENTS.md", Path: filepath.Join(dir, "AGENTS.md"), Stage: "source files", Reason: "shadowed by AGENTS.override.md"},
		{Name: "project:CLAUDE.md", Path: filepath.Join(dir, "CLAUDE.md"), Stage: "source files", Reason: "shadowed by AGENTS.override.md"},
		{Name: "project:docs/x.md", Path: filepath.Join(dir, "docs", "x.md"), Stage: "source files", Reason: "shadowed by AGENTS.override.md"},
	})
	all := read(t, files.Config{Cwd: sub, Fallbacks: []string{"CLAUDE.md", "docs/x.md"}, LoadAll: true})
	same(t, "all", docs(all), []string{"project:AGENTS.override.md: OV", "project:AGENTS.md: MAIN", "project:CLAUDE.md: FALL", "project:docs/x.md: DOC", "project:sub/CLAUDE.md: SUB"})
	same(t, "notes of all", len(all.Notes), 0)
}

func TestDoc(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "R\r\n", "user/AGENTS.md": "U"})
	f := read(t, files.Config{Cwd: dir, UserFile: filepath.Join(dir, "user", "AGENTS.md")})
	user := &span.Origin{Section: "user:AGENTS.md", Source: "file", Path: filepath.Join(dir, "user", "AGENTS.md"), Trust: span.User}
	proj := &span.Origin{Section: "project:AGENTS.md", Source: "file", Path: filepath.Join(dir, "AGENTS.md"), Trust: span.Project}
	same(t, "docs", f.Docs, []prompt.Doc{
		{Name: "user:AGENTS.md", Text: "U", Spans: span.Text{{Text: "U", From: user}}, Path: user.Path,
			SHA256: "a25513c7e0f6eaa80a3337ee18081b9e2ed09e00af8531c8f7bb2542764027e7", Class: prompt.Session, Trust: span.User,
			Rule: "the user's own instruction file"},
		{Name: "project:AGENTS.md", Text: "R\n", Spans: span.Text{{Text: "R", From: proj}, {Text: "\n", From: proj, Off: 2}}, Path: proj.Path,
			SHA256: f.Docs[1].SHA256, Class: prompt.Session, Trust: span.Project,
			Rule: "the first of AGENTS.override.md, AGENTS.md in the project's root that is not blank"},
	})
	same(t, "class", f.Class, prompt.Session)
}

func TestUserLink(t *testing.T) {
	dir := tree(t, map[string]string{"home/dotfiles/AGENTS.md": "U", "home/.config/proem/": ""})
	file := filepath.Join(dir, "home", ".config", "proem", "AGENTS.md")
	link(t, "../../dotfiles/AGENTS.md", file)
	same(t, "confined", diags(dir, read(t, files.Config{UserFile: file})), []string{"error doc.outside_root home/.config/proem/AGENTS.md"})
	f := read(t, files.Config{UserFile: file, UserDir: filepath.Join(dir, "home")})
	same(t, "home", docs(f), []string{"user:AGENTS.md: U"})
}

func TestLinkedDirectoryLeadsOut(t *testing.T) {
	dir := tree(t, map[string]string{"w/.git/": "", "w/AGENTS.md": "R", "out/AGENTS.md": "OUT"})
	link(t, "../out", filepath.Join(dir, "w", "sub"))
	f := read(t, files.Config{Cwd: filepath.Join(dir, "w", "sub")})
	// The working directory has no marker of its own, so it is searched for by name.
	same(t, "docs", docs(f), []string{"project:AGENTS.md: R"})
	for _, d := range diags(dir, f) {
		if !strings.HasPrefix(d, "error doc.outside_root w/sub/") {
			t.Errorf("diagnostic %s", d)
		}
	}
}

func TestUnchanged(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "R\n", "a/b/AGENTS.md": "B\n"})
	time.Sleep(settled)
	counters := &env.Counters{}
	src := files.New(files.Config{Env: &env.Env{Count: counters}, Cwd: filepath.Join(dir, "a", "b")})
	get := func() prompt.Fact {
		f, err := src.Read(context.Background(), source.Query{})
		filetest.Must(t, err)
		return f
	}
	first := get()
	before := counters.Load()
	again := get()
	// The root is opened; each directory has two names to look at.
	// One stat more is the listing of a directory without a file.
	same(t, "cost", counters.Load().Sub(before), env.Counts{Opens: 1, Stats: 7})
	if &first.Docs[0] != &again.Docs[0] {
		t.Error("the fact was made again")
	}
	filetest.Must(t, os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("S\n"), 0o666))
	changed := get()
	same(t, "changed", docs(changed), []string{"project:AGENTS.md: S\n", "project:a/b/AGENTS.md: B\n"})
	filetest.Must(t, os.WriteFile(filepath.Join(dir, "a", "AGENTS.md"), []byte("A\n"), 0o666))
	same(t, "added", docs(get()), []string{"project:AGENTS.md: S\n", "project:a/AGENTS.md: A\n", "project:a/b/AGENTS.md: B\n"})
	filetest.Must(t, os.Remove(filepath.Join(dir, "AGENTS.md")))
	same(t, "removed", docs(get()), []string{"project:a/AGENTS.md: A\n", "project:a/b/AGENTS.md: B\n"})
}

func write(t testing.TB, dir, name, s string) {
	t.Helper()
	filetest.Must(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(s), 0o666))
}

func TestHeld(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "R", "AGENTS.override.md": "O", "sub/AGENTS.md/": "", "sub/CLAUDE.md": "C"})
	counters := &env.Counters{}
	got, err := files.Held(files.Config{Env: &env.Env{Count: counters}, Cwd: filepath.Join(dir, "sub"), Fallbacks: []string{"CLAUDE.md"}})
	filetest.Must(t, err)
	same(t, "held", got, []string{filepath.Join(dir, "AGENTS.override.md"), filepath.Join(dir, "AGENTS.md"), filepath.Join(dir, "sub", "CLAUDE.md")})
	same(t, "reads", counters.Reads.Load(), 0)
}

func TestConcurrent(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "R\n@a.md\n", "a.md": "A\n"})
	src := files.New(files.Config{Cwd: dir})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				f, err := src.Read(context.Background(), source.Query{})
				if err != nil || docs(f)[0] != "project:AGENTS.md: R\nA\n" {
					t.Errorf("%v, %v", docs(f), err)
				}
			}
		})
	}
	wg.Wait()
}

func TestCommentsOnly(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "<!-- x -->\n"})
	f := read(t, files.Config{Cwd: dir, StripComments: true})
	same(t, "none", f.None, true)
	same(t, "reason", f.Notes[0].Reason, "it says nothing")
}
