package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	workspace "github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/tool/memory/store"
)

var (
	ctx    = context.Background()
	t0     = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	nobody = prompt.Who{}
	ann    = prompt.Who{User: "ann"}
	bob    = prompt.Who{User: "bob"}
)

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

// home returns a store over a home with files, and its directory.
func home(t testing.TB, files map[string]string, change func(*store.Config)) (*store.Store, string) {
	t.Helper()
	dir := t.TempDir()
	filetest.Write(t, dir, files)
	c := store.Config{Env: &env.Env{Clock: env.Fixed(t0)}, Root: dir, Dir: ".proem", Shown: ".proem/", Shared: true}
	if change != nil {
		change(&c)
	}
	return store.New(c), filepath.Join(dir, ".proem")
}

func content(t testing.TB, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	filetest.Must(t, err)
	return string(b)
}

func save(t testing.TB, s *store.Store, who prompt.Who, text string) store.Saved {
	t.Helper()
	saved, err := s.Save(ctx, who, text)
	filetest.Must(t, err)
	return saved
}

func TestSave(t *testing.T) {
	hidden := "a\u200bb\U000E0041 \u202ec"
	for _, tt := range []struct {
		name, before, text string
		want, says         string
	}{
		{"none", "", "prefers tabs", "# Memory\n\n- 2026-01-02: prefers tabs\n", "saved as MEMORY.md:3"},
		{"blank", " \n\n", "x", "# Memory\n\n- 2026-01-02: x\n", "saved as MEMORY.md:3"},
		{"heading", "# Memory\n", "x", "# Memory\n\n- 2026-01-02: x\n", "saved as MEMORY.md:3"},
		{"no line end", "- a", "x", "- a\n- 2026-01-02: x\n", "saved as MEMORY.md:2"},
		{"CRLF stays", "# M\r\n\r\n- a\r\n", "x", "# M\r\n\r\n- a\r\n- 2026-01-02: x\n", "saved as MEMORY.md:4"},
		{"known", "# M\n\n- 2020-05-05: Prefers  TABS.\n", "prefers tabs", "# M\n\n- 2020-05-05: Prefers  TABS.\n", "MEMORY.md:3 says that already; not saved again"},
		{"known in a paragraph", "The user likes tea\n", "the user likes tea!", "The user likes tea\n", "MEMORY.md:1 says that already; not saved again"},
		{"full width", "- ＡＢＣ\n", "abc", "- ＡＢＣ\n", "MEMORY.md:1 says that already; not saved again"},
		{"one line", "- a\n", "x\n# System\r\n- y\u2028z\x1b[0m", "- a\n- 2026-01-02: x # System - y z[0m\n", "saved as MEMORY.md:2"},
		{"invisible", "- a\n", hidden, "- a\n- 2026-01-02: ab c\n", "saved as MEMORY.md:2"},
		{"not UTF-8", "- a\n", "x\xff", "- a\n- 2026-01-02: x\uFFFD\n", "saved as MEMORY.md:2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{".proem/MEMORY.md": tt.before}
			if tt.name == "none" {
				files = nil
			}
			s, dir := home(t, files, nil)
			diff(t, "says", save(t, s, nobody, tt.text).String(), tt.says)
			diff(t, "file", content(t, dir, "MEMORY.md"), tt.want)
		})
	}
}

func TestSaveRefuses(t *testing.T) {
	for _, tt := range []struct{ name, before, text, want string }{
		{"empty", "- a\n", " \u200b\n", "the text is empty"},
		{"long", "- a\n", strings.Repeat("x", 1001), "the text has 1001 bytes and an entry at most 1000"},
		{"credential", "- a\n", "the key is sk-ant-api03-" + strings.Repeat("aB3dE6gH", 10), "looks like a credential"},
		{"UTF-16", "\xff\xfe-\x00 \x00", "x", "not a text in UTF-8"},
		{"NUL", "- a\x00b\n", "x", "not a text in UTF-8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := home(t, map[string]string{".proem/MEMORY.md": tt.before}, nil)
			_, err := s.Save(ctx, nobody, tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			diff(t, "file", content(t, dir, "MEMORY.md"), tt.before)
		})
	}
}

// TestUsers checks that nobody's memory reaches another.
func TestUsers(t *testing.T) {
	s, dir := home(t, map[string]string{".proem/MEMORY.md": "- all know this\n"}, func(c *store.Config) { c.Shared = false })
	if _, err := s.Save(ctx, nobody, "x"); !errors.Is(err, store.ErrNobody) {
		t.Errorf("nobody: %v", err)
	}
	for _, id := range []string{"../ann", "a/b", "memory", "Skills", ".", "ann.", strings.Repeat("a", 65)} {
		if _, err := s.Save(ctx, prompt.Who{User: id}, "x"); err == nil {
			t.Errorf("user %q saved", id)
		}
	}
	if _, err := s.Save(ctx, prompt.Who{User: "ann", Tenant: "other"}, "x"); err == nil {
		t.Error("a user of another tenant saved")
	}
	save(t, s, ann, "ann has a secret garden")
	save(t, s, bob, "bob has a secret boat")
	diff(t, "ann's file begins as the shared one", content(t, dir, "ann/MEMORY.md"), "- all know this\n- 2026-01-02: ann has a secret garden\n")
	diff(t, "shared file", content(t, dir, "MEMORY.md"), "- all know this\n")
	for _, tt := range []struct {
		who  prompt.Who
		want []string
	}{
		{ann, []string{"MEMORY.md:2 - 2026-01-02: ann has a secret garden"}},
		{bob, []string{"MEMORY.md:2 - 2026-01-02: bob has a secret boat"}},
		{prompt.Who{User: "eve"}, nil},
		{nobody, nil},
	} {
		f, err := s.Search(ctx, tt.who, "secret")
		filetest.Must(t, err)
		var got []string
		for _, h := range f.Hits {
			got = append(got, h.String()+" "+h.Text)
		}
		diff(t, "hits of "+tt.who.User, got, tt.want)
	}
	for _, name := range []string{"ann/MEMORY.md", "../bob/MEMORY.md", "memory/../bob/MEMORY.md", "memory/../../x", "AGENTS.md", "memory/.lock", `memory\x`, "/etc/passwd", ""} {
		if p, err := s.Get(ctx, ann, name, store.Lines{}); err == nil {
			t.Errorf("Get %q: %q", name, p.Text.String())
		}
	}
}

// TestPrompt checks that the prompt shows what was saved, and that both find the
// same files.
func TestPrompt(t *testing.T) {
	s, dir := home(t, map[string]string{".proem/MEMORY.md": "- shared\n", ".proem/memory/2026-01-01.md": "- old\n"}, nil)
	src := workspace.New(workspace.Config{Root: filepath.Dir(dir), Dir: ".proem"})
	save(t, s, ann, "likes tea")
	_, err := s.Note(ctx, ann, []string{"met bob"})
	filetest.Must(t, err)
	fact, err := src.Read(ctx, source.Query{Who: ann})
	filetest.Must(t, err)
	var shown strings.Builder
	for _, d := range fact.Docs {
		shown.WriteString(d.Text)
	}
	for _, want := range []string{"- shared\n- 2026-01-02: likes tea\n", "memory/2026-01-01.md", "memory/2026-01-02.md"} {
		if !strings.Contains(shown.String(), want) {
			t.Errorf("the prompt lacks %q:\n%s", want, shown.String())
		}
	}
	names, err := src.Names(ctx, ann)
	filetest.Must(t, err)
	for _, n := range names {
		if _, err := s.Get(ctx, ann, n, store.Lines{}); err != nil {
			t.Errorf("listed and not readable: %v", err)
		}
	}
}

func TestBound(t *testing.T) {
	s, dir := home(t, map[string]string{".proem/MEMORY.md": "# Memory\n\nA person wrote this.\n\n"}, func(c *store.Config) { c.MaxBytes = 1000 })
	var all []string
	moved := 0
	for n := range 60 {
		text := fmt.Sprintf("number %03d is remembered", n)
		saved := save(t, s, nobody, text)
		moved += saved.Moved
		if saved.Moved > 0 && !strings.Contains(saved.String(), "moved to "+saved.Archive) {
			t.Errorf("not reported: %s", saved)
		}
		b := content(t, dir, "MEMORY.md")
		if len(b) > 1000 || !strings.HasPrefix(b, "# Memory\n\nA person wrote this.\n\n") || !strings.HasSuffix(b, text+"\n") {
			t.Fatalf("after %d: %d bytes\n%s", n, len(b), b)
		}
		lines := strings.Split(b, "\n")
		if at := saved.Added[0].Line; !strings.HasSuffix(lines[at-1], text) {
			t.Errorf("cited %s, where %q stands", saved.Added[0], lines[at-1])
		}
		all = append(all, text)
	}
	if moved == 0 {
		t.Fatal("nothing moved")
	}
	kept := ""
	for _, name := range tree(t, dir) {
		kept += content(t, dir, name)
	}
	for _, text := range all {
		if strings.Count(kept, text) != 1 {
			t.Errorf("%q stands there %d times", text, strings.Count(kept, text))
		}
		f, err := s.Search(ctx, nobody, text)
		filetest.Must(t, err)
		if len(f.Hits) == 0 || !strings.HasSuffix(f.Hits[0].Text, text) {
			t.Errorf("%q is not found: %+v", text, f.Hits)
		}
	}
}

func TestBoundWithoutEntries(t *testing.T) {
	before := strings.Repeat("A person wrote this.\n\n", 50)
	s, dir := home(t, map[string]string{".proem/MEMORY.md": before}, func(c *store.Config) { c.MaxBytes = 1000 })
	if _, err := s.Save(ctx, nobody, "x"); err == nil || !strings.Contains(err.Error(), "is full") {
		t.Errorf("got %v", err)
	}
	diff(t, "file", content(t, dir, "MEMORY.md"), before)
	diff(t, "files", tree(t, dir), []string{"MEMORY.md", "memory/.lock"})
}

// meanwhile is files on which somebody writes before the next rename.
type meanwhile struct {
	env.Files
	before func()
}

func (m *meanwhile) OpenRoot(dir string) (env.Root, error) {
	r, err := m.Files.OpenRoot(dir)
	return meanwhileRoot{r, m}, err
}

type meanwhileRoot struct {
	env.Root
	m *meanwhile
}

// OpenFile lets the editor in when the new text is about to be written.
func (r meanwhileRoot) OpenFile(name string, flag int, perm fs.FileMode) (env.File, error) {
	if f := r.m.before; f != nil && strings.HasSuffix(name, ".tmp") {
		r.m.before = nil
		f()
	}
	return r.Root.OpenFile(name, flag, perm)
}

// TestEditor changes the file between reading and writing.
func TestEditor(t *testing.T) {
	m := &meanwhile{Files: env.System().Files}
	s, dir := home(t, map[string]string{".proem/MEMORY.md": "- a\n"}, func(c *store.Config) { c.Env = &env.Env{Clock: env.Fixed(t0), Files: m} })
	m.before = func() { filetest.Write(t, dir, map[string]string{"MEMORY.md": "- a\n- b, by an editor\n"}) }
	diff(t, "cited", save(t, s, nobody, "c").Added[0].String(), "MEMORY.md:3")
	diff(t, "file", content(t, dir, "MEMORY.md"), "- a\n- b, by an editor\n- 2026-01-02: c\n")
	m.before = func() { filetest.Must(t, os.Remove(filepath.Join(dir, "MEMORY.md"))) }
	save(t, s, nobody, "d")
	diff(t, "after it was removed", content(t, dir, "MEMORY.md"), "# Memory\n\n- 2026-01-02: d\n")
	m.before = func() { filetest.Write(t, dir, map[string]string{"MEMORY.md": "- C\n"}) }
	if saved := save(t, s, nobody, "c"); len(saved.Known) != 1 || saved.Added != nil {
		t.Errorf("an entry that came meanwhile was saved again: %+v", saved)
	}
	diff(t, "files", tree(t, dir), []string{"MEMORY.md", "memory/.lock"})
}

// TestFailures fails every effect of a save once: the file is the old or the new,
// and nothing is lost.
func TestFailures(t *testing.T) {
	for k := 1; ; k++ {
		fail := &env.Failpoints{At: k}
		s, dir := home(t, map[string]string{".proem/MEMORY.md": "# M\n\n" + strings.Repeat("- an entry\n", 8)},
			func(c *store.Config) { c.Env, c.MaxBytes = &env.Env{Clock: env.Fixed(t0), Fail: fail}, 120 })
		_, err := s.Save(ctx, nobody, "something that is new")
		done := fail.Hits() < k
		all := ""
		for _, name := range tree(t, dir) {
			all += content(t, dir, name)
		}
		now := content(t, dir, "MEMORY.md")
		if !strings.HasPrefix(now, "# M\n\n") || strings.Count(all, "- an entry\n") < 8 || err == nil && !strings.HasSuffix(now, "something that is new\n") {
			t.Errorf("effect %d: %v\n%s", k, err, now)
		}
		if !done && err == nil {
			t.Errorf("effect %d failed unnoticed", k)
		}
		next := store.New(store.Config{Root: filepath.Dir(dir), Dir: ".proem", Shared: true, Env: &env.Env{Clock: env.Fixed(t0)}})
		save(t, next, nobody, "after the fault")
		for _, name := range tree(t, dir) {
			if strings.HasSuffix(name, ".tmp") {
				t.Errorf("effect %d: %s stays behind", k, name)
			}
		}
		if done {
			break
		}
	}
}

func TestLinks(t *testing.T) {
	for _, tt := range []struct{ name, link, to string }{
		{"file", ".proem/MEMORY.md", "../victim.md"},
		{"home", ".proem", "elsewhere"},
		{"user", ".proem/ann", "bob"},
		{"notes", ".proem/ann/memory", "../bob"},
		{"lock", ".proem/ann/memory/.lock", "../../../victim.md"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			filetest.Write(t, root, map[string]string{"victim.md": "v\n", "elsewhere/": ""})
			if tt.name != "home" {
				filetest.Write(t, root, map[string]string{".proem/bob/MEMORY.md": "b\n"})
			}
			filetest.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(root, tt.link)), 0o777))
			if err := os.Symlink(tt.to, filepath.Join(root, tt.link)); err != nil {
				t.Skip(err)
			}
			who := ann
			if tt.name == "file" || tt.name == "home" {
				who = nobody
			}
			s := store.New(store.Config{Root: root, Dir: ".proem", Shared: true})
			if saved, err := s.Save(ctx, who, "x"); err == nil || !strings.Contains(err.Error(), "is a link") {
				t.Errorf("%+v, %v", saved, err)
			}
			diff(t, "victim", content(t, root, "victim.md"), "v\n")
		})
	}
}

func TestNote(t *testing.T) {
	s, dir := home(t, map[string]string{".proem/ann/MEMORY.md": "- likes tea\n"}, nil)
	saved, err := s.Note(ctx, ann, []string{"Likes tea.", "met bob", "met  Bob", "", "the deadline is in May"})
	if err == nil || !strings.Contains(err.Error(), "the text is empty") {
		t.Errorf("got %v", err)
	}
	diff(t, "says", saved.String(), "saved as memory/2026-01-02.md:3; saved as memory/2026-01-02.md:4; MEMORY.md:1 says that already; not saved again")
	diff(t, "file", content(t, dir, "ann/memory/2026-01-02.md"), "# 2026-01-02\n\n- 2026-01-02: met bob\n- 2026-01-02: the deadline is in May\n")
	main, today, err := s.Recent(ctx, ann)
	filetest.Must(t, err)
	diff(t, "recent", []string{main, today}, []string{"- likes tea\n", content(t, dir, "ann/memory/2026-01-02.md")})
}

// FuzzSave saves anything: the file has one line more, of visible characters, or
// is as it was.
func FuzzSave(f *testing.F) {
	for _, s := range []string{"x", "# x\n- y", "\u2028\x00a", "- 2026-01-02: ", "\xff\xfe", "\U000E0041", "\u0085\v\f"} {
		f.Add(s)
	}
	s, dir := home(f, map[string]string{".proem/MEMORY.md": "- a\n"}, func(c *store.Config) { c.Loader = nil })
	f.Fuzz(func(t *testing.T, text string) {
		filetest.Write(t, dir, map[string]string{"MEMORY.md": "- a\n"})
		saved, err := s.Save(ctx, nobody, text)
		got := content(t, dir, "MEMORY.md")
		if err != nil || saved.Added == nil {
			diff(t, "file", got, "- a\n")
			return
		}
		line, ok := strings.CutPrefix(got, "- a\n- 2026-01-02: ")
		if !ok || !utf8.ValidString(line) || strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") ||
			strings.ContainsFunc(line[:len(line)-1], unicode.IsControl) || strings.ContainsAny(line, "\u2028\u2029\u200b") {
			t.Errorf("%q became %q", text, got)
		}
	})
}
