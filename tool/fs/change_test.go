package fs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/vfs"
)

// kit is the four tools by name.
type kit map[string]tool.Tool

func newKit(c fs.Config) kit {
	k := kit{}
	for _, t := range fs.All(c) {
		k[t.Spec().Name] = t
	}
	return k
}

func content(t testing.TB, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	filetest.Must(t, err)
	return string(b)
}

func TestWrite(t *testing.T) {
	dir := tree(t, map[string]string{"a": "old\n", "d/": "", "f": "x"})
	filetest.Must(t, os.Chmod(filepath.Join(dir, "a"), 0o751))
	link(t, "a", filepath.Join(dir, "ln"))
	link(t, "d", filepath.Join(dir, "lndir"))
	link(t, "nowhere", filepath.Join(dir, "broken"))
	link(t, "/etc", filepath.Join(dir, "out"))
	k := newKit(fs.Config{Roots: []string{dir}})
	for _, tt := range []struct{ path, want string }{
		{"new", "created new (4 bytes)\n"},
		{"x/y/z", "created x/y/z (4 bytes)\n"},
		{"a", "overwrote a (4 bytes; it had 4)\n"},
		{filepath.Join(dir, "abs"), "created ROOT/abs (4 bytes)\n"},
		{"d", "error: write_file: d is a directory; name a file in it"},
		{".", "error: write_file: . is a directory; name a file in it"},
		{"f/g", "error: write_file: f/g cannot be written: f is not a directory"},
		{"ln", "error: write_file: ln leads through the link ln, and links are not written through; the file is a"},
		{"lndir/q", "error: write_file: lndir/q leads through the link lndir, and links are not written through; the file is d/q"},
		{"broken", "error: write_file: broken leads through the link broken to a place that cannot be written"},
		{"out/x", "error: write_file: out/x leads through the link out to a place that cannot be written"},
		{"../x", "error: write_file: ../x lies outside what can be used; use a path below ROOT"},
		{"~/x", "error: write_file: ~/x begins with ~, which is not expanded; use a path below ROOT"},
	} {
		same(t, tt.path, call(t, k["write_file"], args("path", tt.path, "content", "new\n"), dir), tt.want)
	}
	same(t, "content", content(t, dir, "a"), "new\n")
	same(t, "parents", content(t, dir, "x/y/z"), "new\n")
	info, err := os.Stat(filepath.Join(dir, "a"))
	filetest.Must(t, err)
	same(t, "mode", info.Mode(), 0o751)
	nothingBeside(t, dir)
}

func nothingBeside(t testing.TB, dir string) {
	t.Helper()
	filetest.Must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if strings.HasSuffix(path, ".tmp") {
			t.Errorf("%s was left behind", path)
		}
		return err
	}))
}

func TestEdit(t *testing.T) {
	dir := tree(t, map[string]string{"a": "one\r\ntwo\r\ntwo\r\n", "bin": "a\x00b", "unread": "x"})
	k := newKit(fs.Config{Roots: []string{dir}})
	edit := func(path, old, new string, all bool) string {
		return call(t, k["edit_file"], args("path", path, "old", old, "new", new, "all", all), dir)
	}
	same(t, "unread", edit("unread", "x", "y", false), "error: edit_file: unread was not read in this session; read it with read_file first")
	call(t, k["read_file"], args("path", "a", "limit", 1))
	call(t, k["read_file"], args("path", "bin"))
	for _, tt := range []struct {
		path, old, new string
		all            bool
		want           string
	}{
		{"a", "one", "1\n1b", false, "edited a at line 1\n"},
		{"a", "two", "2", false, "error: edit_file: old stands in a 2 times, at lines 3, 4; repeat more of the lines around it, or set all"},
		{"a", "two", "2", true, "edited a at lines 3, 4\n"},
		{"a", "2\n2\n", "2\n", false, "edited a at line 3\n"},
		{"a", " 2", "3", false, `error: edit_file: old does not stand in a; line 3 differs in white space only: the file has "2", old has " 2"`},
		{"a", "quite different", "3", false, "error: edit_file: old does not stand in a; nothing in it is like it"},
		{"a", "", "3", false, "error: edit_file: old is empty; repeat the text next to which something shall be inserted, or make a file with write_file"},
		{"a", "3", "3", false, "error: edit_file: old and new are equal; there is nothing to change"},
		{"bin", "a", "3", false, "error: edit_file: bin is not edited: it holds NUL bytes, so it is a binary file"},
		{"b", "a", "3", false, "error: edit_file: b does not exist; write_file makes a file"},
		{"A", "a", "3", false, "error: edit_file: A does not exist; there is a; write_file makes a file"},
	} {
		same(t, fmt.Sprint(tt.path, tt.old), edit(tt.path, tt.old, tt.new, tt.all), tt.want)
	}
	same(t, "file", content(t, dir, "a"), "1\r\n1b\r\n2\r\n")
	nothingBeside(t, dir)
}

func TestChangedBySomebodyElse(t *testing.T) {
	dir := tree(t, map[string]string{"a": "one\n", "b": "b\n"})
	a := filepath.Join(dir, "a")
	k := newKit(fs.Config{Roots: []string{dir}})
	one := tool.WithSession(t.Context(), "one")
	do := func(ctx context.Context, name, in string) string {
		r, err := k[name].Call(ctx, json.RawMessage(in))
		filetest.Must(t, err)
		return r.Text.String()
	}
	do(one, "read_file", args("path", "a"))
	filetest.Must(t, os.WriteFile(a, []byte("two\n"), 0o666))
	const stale = "a was changed since it was read, by somebody else or by a command; read it again first"
	same(t, "edit", do(one, "edit_file", args("path", "a", "old", "two", "new", "2")), "edit_file: "+stale)
	same(t, "write", do(one, "write_file", args("path", "a", "content", "mine")), "write_file: "+stale)
	same(t, "kept", content(t, a), "two\n")
	do(one, "read_file", args("path", "a"))
	same(t, "other session", do(tool.WithSession(t.Context(), "two"), "edit_file", args("path", "a", "old", "two", "new", "2")),
		"edit_file: a was not read in this session; read it with read_file first")
	same(t, "read again", do(one, "edit_file", args("path", "a", "old", "two", "new", "2")), "edited a at line 1\n")
	same(t, "own edits count", do(one, "edit_file", args("path", "a", "old", "2", "new", "3")), "edited a at line 1\n")
	filetest.Must(t, os.Rename(a, filepath.Join(dir, "moved")))
	same(t, "moved", do(one, "edit_file", args("path", "moved", "old", "3", "new", "4")), "edited moved at line 1\n")
	filetest.Must(t, os.WriteFile(a+"2", []byte("b\n"), 0o666))
	do(one, "read_file", args("path", "b"))
	filetest.Must(t, os.Rename(a+"2", filepath.Join(dir, "b")))
	same(t, "replaced by the same", do(one, "edit_file", args("path", "b", "old", "b", "new", "c")), "edited b at line 1\n")
}

// Every effect of a write fails once: the file is whole, old or new, and nothing
// is left beside it unless removing it failed.
func TestWriteFailures(t *testing.T) {
	for k := 1; ; k++ {
		dir := tree(t, map[string]string{"a": "old"})
		fail := &env.Failpoints{At: k}
		write := fs.WriteFile(fs.Config{Roots: []string{dir}, Env: &env.Env{Fail: fail}})
		r, err := write.Call(t.Context(), json.RawMessage(args("path", "a", "content", "new")))
		filetest.Must(t, err)
		got := content(t, dir, "a")
		if got != "old" && got != "new" || !r.IsError && got != "new" {
			t.Fatalf("effect %d: the file holds %q, the tool said %s", k, got, r.Text)
		}
		nothingBeside(t, dir)
		if fail.Hits() < k {
			break
		}
		if !r.IsError {
			t.Errorf("effect %d failed and the tool said %s", k, r.Text)
		}
	}
}

func TestAllow(t *testing.T) {
	dir := tree(t, map[string]string{"secret/key": "k", "a": "x"})
	link(t, "secret/key", filepath.Join(dir, "ln"))
	asked := errors.New("denied by a rule")
	k := newKit(fs.Config{Roots: []string{dir}, Allow: func(_ context.Context, path string) error {
		if strings.HasPrefix(path, filepath.Join(dir, "secret")) {
			return asked
		}
		return nil
	}})
	same(t, "read", call(t, k["read_file"], args("path", "secret/key")), "error: read_file: denied by a rule")
	same(t, "through a link", call(t, k["read_file"], args("path", "ln")), "error: read_file: denied by a rule")
	same(t, "list", call(t, k["list_files"], args("path", "secret")), "error: list_files: denied by a rule")
	same(t, "write", call(t, k["write_file"], args("path", "secret/new", "content", "")), "error: write_file: denied by a rule")
	same(t, "other", call(t, k["read_file"], args("path", "a")), "x")
}

func TestEffects(t *testing.T) {
	dir := tree(t, map[string]string{"a": "x", "d/": ""})
	link(t, "a", filepath.Join(dir, "ln"))
	link(t, "d", filepath.Join(dir, "lndir"))
	k := newKit(fs.Config{Roots: []string{dir}})
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, tt := range []struct {
		tool, args string
		want       tool.Effect
	}{
		{"read_file", args("path", "a"), tool.Effect{ReadOnly: true, Idempotent: true, Paths: []string{at("a")}}},
		{"read_file", args("path", "ln"), tool.Effect{ReadOnly: true, Idempotent: true, Paths: []string{at("ln"), at("a")}}},
		{"read_file", args("path", "../x"), tool.Effect{ReadOnly: true, Idempotent: true, Refused: true}},
		{"list_files", args("path", "d"), tool.Effect{ReadOnly: true, Idempotent: true, Paths: []string{at("d")}}},
		{"write_file", args("path", "lndir/new", "content", ""), tool.Effect{Idempotent: true, Paths: []string{at("lndir/new"), at("d/new")}}},
		{"edit_file", args("path", "a", "old", "x", "new", "y"), tool.Effect{Paths: []string{at("a")}}},
		{"edit_file", `{}`, tool.Effect{ReadOnly: true, Idempotent: true, Refused: true}},
	} {
		same(t, tt.tool+tt.args, tool.EffectOf(t.Context(), k[tt.tool], json.RawMessage(tt.args)), tt.want)
	}
}

func TestReadOnlyRoot(t *testing.T) {
	dir, ref := tree(t, nil), tree(t, map[string]string{"a": "x"})
	k := newKit(fs.Config{Space: vfs.Space{Roots: []vfs.Root{{Dir: dir}, {Dir: ref, ReadOnly: true}}}})
	path := filepath.Join(ref, "a")
	same(t, "read", call(t, k["read_file"], args("path", path)), "x")
	same(t, "write", call(t, k["write_file"], args("path", path, "content", ""), ref), "error: write_file: ROOT/a is read-only for these tools")
}

func TestImages(t *testing.T) {
	files := map[string]string{
		"a.txt": "\x89PNG\r\n\x1a\n\x00rest", "b": "\xff\xd8\xff\xe0", "c": "GIF89a..", "d": "RIFF\x00\x00\x00\x00WEBPVP8 ", "e.png": "text",
	}
	dir := tree(t, files)
	read := fs.ReadFile(fs.Config{Roots: []string{dir}, Images: true})
	for name, kind := range map[string]string{"a.txt": "image/png", "b": "image/jpeg", "c": "image/gif", "d": "image/webp"} {
		r, err := read.Call(t.Context(), json.RawMessage(args("path", name)))
		filetest.Must(t, err)
		if r.IsError || len(r.Images) != 1 {
			t.Errorf("%s: got %v", name, r)
			continue
		}
		same(t, name, r.Images[0].MediaType, kind)
		same(t, name, string(r.Images[0].Data), files[name])
		same(t, name, r.Text.String(), fmt.Sprintf("[%s: %s, %d bytes]\n", name, kind, len(files[name])))
	}
	same(t, "by its bytes", call(t, read, args("path", "e.png")), "text")
	same(t, "not asked", call(t, fs.ReadFile(fs.Config{Roots: []string{dir}}), args("path", "a.txt")),
		"error: read_file: a.txt is a binary file; it has no text to show")
	filetest.Must(t, os.WriteFile(filepath.Join(dir, "big"), append([]byte("GIF89a"), make([]byte, fs.MaxImage)...), 0o666))
	same(t, "big", call(t, read, args("path", "big")), "error: read_file: big is an image of more than 5 MiB; make it smaller first")
}
