package fs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/fs"
)

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

// call returns the text of a result, with "error: " before that of an error.
// Root names become ROOT.
func call(t testing.TB, tl tool.Tool, args string, roots ...string) string {
	t.Helper()
	r, err := tl.Call(context.Background(), json.RawMessage(args))
	filetest.Must(t, err)
	s := r.Text.String()
	for _, root := range roots {
		s = strings.ReplaceAll(s, root, "ROOT")
	}
	if r.IsError {
		return "error: " + s
	}
	return s
}

func args(kv ...any) string {
	m := map[string]any{}
	for i := 0; i < len(kv); i += 2 {
		m[kv[i].(string)] = kv[i+1]
	}
	b, _ := json.Marshal(m)
	return string(b)
}

func TestSpecs(t *testing.T) {
	for i, want := range []string{"read_file", "list_files", "write_file", "edit_file"} {
		spec := fs.All(fs.Config{})[i].Spec()
		if spec.Name != want {
			t.Errorf("tool %d is %s, want %s", i, spec.Name, want)
		}
		var v any
		filetest.Must(t, json.Unmarshal(spec.Parameters, &v))
		canonical, err := json.Marshal(v)
		filetest.Must(t, err)
		if diff := cmp.Diff(string(spec.Parameters), string(canonical)); diff != "" {
			t.Errorf("%s is not canonical (-got +want):\n%s", want, diff)
		}
	}
}

func TestArguments(t *testing.T) {
	dir := tree(t, map[string]string{"a.txt": "A\n"})
	read := fs.ReadFile(fs.Config{Roots: []string{dir}})
	for _, tt := range []struct{ args, want string }{
		{`{"path":"a.txt"}`, "A\n"},
		{`{"path":"a.txt","offset":null,"limit":null}`, "A\n"},
		{` {"path" : "a.txt"} `, "A\n"},
		{``, "error: read_file: the argument path is missing"},
		{`{}`, "error: read_file: the argument path is missing"},
		{`{"path":""}`, `error: read_file: path is empty; give a path relative to the project root, such as "README.md"`},
		{`{"path":null}`, "error: read_file: the argument path is not a string"},
		{`{"path":1}`, "error: read_file: the argument path is not a string"},
		{`{"path":"a.txt","limit":"3"}`, "error: read_file: the argument limit is not an integer"},
		{`{"path":"a.txt","limit":0}`, "error: read_file: the argument limit is 0; it is at least 1"},
		{`{"path":"a.txt","offset":0}`, "error: read_file: the argument offset is 0; it is at least 1"},
		{`{"Path":"a.txt"}`, "error: read_file: there is no argument Path; did you mean path? (arguments: path, offset, limit)"},
		{`{"pth":"a.txt"}`, "error: read_file: there is no argument pth; did you mean path? (arguments: path, offset, limit)"},
		{`{"zzz\n":1}`, `error: read_file: there is no argument "zzz\n" (arguments: path, offset, limit)`},
		{`{"path":"a.txt","path":"b.txt"}`, "error: read_file: the argument path is given twice"},
		{`["a.txt"]`, "error: read_file: the arguments are not a JSON object"},
		{`{"path":"a.txt"`, "error: read_file: the arguments are not valid JSON"},
		{`{"path":"a.txt"} {}`, "error: read_file: something follows the JSON object of the arguments"},
		{"{\"path\":\"a\\u0000b\"}", "error: read_file: path holds a NUL character; no file has such a name"},
	} {
		if diff := cmp.Diff(call(t, read, tt.args, dir), tt.want); diff != "" {
			t.Errorf("%s (-got +want):\n%s", tt.args, diff)
		}
	}
}

func TestConfinement(t *testing.T) {
	base := tree(t, map[string]string{"w/a.txt": "A\n", "w/sub/b.txt": "B\n", "secret": "TOPSECRET", "w-evil/x": "TOPSECRET", "second/c.txt": "C\n"})
	w, second := filepath.Join(base, "w"), filepath.Join(base, "second")
	link(t, "../secret", filepath.Join(w, "out"))
	link(t, "..", filepath.Join(w, "up"))
	link(t, filepath.Join(w, "a.txt"), filepath.Join(w, "abs"))
	link(t, filepath.Join(w, "sub"), filepath.Join(w, "absdir"))
	c := fs.Config{Roots: []string{w, second}}
	read, list := fs.ReadFile(c), fs.ListFiles(c)
	const where = " lies outside what can be used; use a path below "
	for _, tt := range []struct {
		tool tool.Tool
		path string
		want string
	}{
		{read, "a.txt", "A\n"},
		{read, "./sub/../a.txt", "A\n"},
		{read, filepath.Join(w, "a.txt"), "A\n"},
		{read, filepath.Join(second, "c.txt"), "C\n"},
		{read, "abs", "A\n"},
		{read, "absdir/b.txt", "B\n"},
		{list, "absdir", "b.txt\n"},
		{read, "../secret", "error: read_file: ../secret" + where + "ROOT or " + second},
		{read, "sub/../../w-evil/x", "error: read_file: sub/../../w-evil/x" + where + "ROOT or " + second},
		{read, w + "-evil/x", "error: read_file: ROOT-evil/x" + where + "ROOT or " + second},
		{read, "/etc/passwd", "error: read_file: /etc/passwd" + where + "ROOT or " + second},
		{list, "..", "error: list_files: .." + where + "ROOT or " + second},
		{read, "out", "error: read_file: out leads through a link to a place outside ROOT and is not read"},
		{read, "up/secret", "error: read_file: up/secret leads through a link to a place outside ROOT and is not read"},
		{list, "up", "error: list_files: up leads through a link to a place outside ROOT and is not read"},
		{read, "sub", "error: read_file: sub is a directory; list_files shows what is in it"},
		{list, "a.txt", "error: list_files: a.txt is not a directory; read_file shows a file"},
		{read, "A.TXT", "error: read_file: A.TXT does not exist; there is a.txt; list_files shows what there is"},
		{read, "sub/bb.txt", "error: read_file: sub/bb.txt does not exist; there is sub/b.txt; list_files shows what there is"},
		{read, "nothing/like/it", "error: read_file: nothing/like/it does not exist; list_files shows what there is"},
		{list, "nothing", "error: list_files: nothing does not exist; list_files shows what there is"},
	} {
		if got := call(t, tt.tool, args("path", tt.path), w); got != tt.want {
			t.Errorf("%s %s:\n got %s\nwant %s", tt.tool.Spec().Name, tt.path, got, tt.want)
		}
	}
	none := fs.ReadFile(fs.Config{})
	same(t, "no roots", call(t, none, args("path", "a.txt")), "error: read_file: a.txt: this tool has no directory it may use")
}

func same[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

func TestPages(t *testing.T) {
	var b strings.Builder
	for i := range 10 {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	dir := tree(t, map[string]string{
		"ten": b.String(), "noend": "a\nb", "empty": "", "long": strings.Repeat("x", 100) + "\nend\n",
		"wide": "\xff\xfea\x00\r\x00\n\x00b\x00\n\x00c\x00", "cjk": strings.Repeat("中", 40) + "\n",
	})
	read := fs.ReadFile(fs.Config{Roots: []string{dir}, MaxLines: 4, MaxBytes: 50})
	for _, tt := range []struct {
		path          string
		offset, limit int
		want          string
	}{
		{"ten", 1, 4, "line 1\nline 2\nline 3\nline 4\n[lines 1 to 4 are shown; the file goes on: read on with offset 5]\n"},
		{"ten", 1, 100, "line 1\nline 2\nline 3\nline 4\n[lines 1 to 4 are shown; the file goes on: read on with offset 5]\n"},
		{"ten", 5, 2, "line 5\nline 6\n[lines 5 to 6 are shown; the file goes on: read on with offset 7]\n"},
		{"ten", 7, 4, "line 7\nline 8\nline 9\nline 10\n"},
		{"ten", 10, 4, "line 10\n"},
		{"ten", 11, 4, "error: read_file: ten has 10 lines; offset 11 is after its end"},
		{"ten", 99, 4, "error: read_file: ten has 10 lines; offset 99 is after its end"},
		{"noend", 1, 4, "a\nb"},
		{"noend", 2, 1, "b"},
		{"noend", 3, 1, "error: read_file: noend has 2 lines; offset 3 is after its end"},
		{"empty", 1, 4, "[the file is empty]\n"},
		{"long", 1, 4, strings.Repeat("x", 50) + "\n[line 1 is longer than 50 bytes and cut here; the next line is offset 2]\n"},
		{"long", 2, 4, "end\n"},
		{"cjk", 1, 4, strings.Repeat("中", 16) + "\n[line 1 is longer than 50 bytes and cut here; the next line is offset 2]\n"},
		{"wide", 1, 1, "a\n[line 1 is shown; the file goes on: read on with offset 2]\n"},
		{"wide", 2, 4, "b\nc"},
		{"wide", 4, 4, "error: read_file: wide has 3 lines; offset 4 is after its end"},
	} {
		same(t, fmt.Sprint(tt.path, tt.offset, tt.limit), call(t, read, args("path", tt.path, "offset", tt.offset, "limit", tt.limit)), tt.want)
	}
	fifty := fs.ReadFile(fs.Config{Roots: []string{dir}, MaxBytes: 30})
	same(t, "bytes", call(t, fifty, args("path", "ten")), "line 1\nline 2\nline 3\nline 4\n[lines 1 to 4 are shown; the file goes on: read on with offset 5]\n")
}

func TestReadingOnShowsEverything(t *testing.T) {
	var b strings.Builder
	for i := range 5000 {
		b.WriteString(strings.Repeat("y", i*37%120) + "\n")
	}
	dir := tree(t, map[string]string{"f": b.String()})
	read := fs.ReadFile(fs.Config{Roots: []string{dir}})
	var got strings.Builder
	for offset := 1; offset > 0; {
		r, err := read.Call(context.Background(), json.RawMessage(args("path", "f", "offset", offset)))
		filetest.Must(t, err)
		next := 0
		for _, s := range r.Text {
			if s.From.Path != "" {
				got.WriteString(s.Text)
			} else if _, err := fmt.Sscanf(s.Text[strings.LastIndex(s.Text, "offset"):], "offset %d", &next); err != nil {
				t.Fatal(err)
			}
		}
		offset = next
	}
	if got.String() != b.String() {
		t.Errorf("pages read %d bytes, the file has %d", got.Len(), b.Len())
	}
}

func TestOrigins(t *testing.T) {
	dir := tree(t, map[string]string{"d/f": "one\r\ntwo\xff\r\nthree\n"})
	r, err := fs.ReadFile(fs.Config{Roots: []string{dir}}).Call(context.Background(), []byte(`{"path":"d/f","offset":2,"limit":1}`))
	filetest.Must(t, err)
	from := &span.Origin{Section: "read_file", Source: "file", Path: filepath.Join(dir, "d", "f"), Trust: span.Tool}
	changed := *from
	changed.Stage = "normalise"
	by := span.Generated("notice")
	same(t, "spans", r.Text, span.Text{
		{Text: "two", From: from, Off: 5},
		{Text: "\ufffd", From: &changed, Off: 8},
		{Text: "\n", From: from, Off: 10},
		{Text: "[not valid UTF-8 at byte 3; 1 place replaced with U+FFFD; these offsets count from byte 5]\n", From: by, Off: span.NoOffset},
		{Text: "[line 2 is shown; the file goes on: read on with offset 3]\n", From: by, Off: span.NoOffset},
	})
}

func TestContent(t *testing.T) {
	dir := tree(t, map[string]string{
		"png":   "\x89PNG\r\n\x1a\n\x00\x00",
		"nul":   "text\n\x00more",
		"tags":  "a\U000E0049\U000E0047b\n",
		"bom":   "\xef\xbb\xbfx\n",
		"later": "a\n\xef\xbb\xbfx\n",
		"key":   "sk-" + strings.Repeat("a1", 20) + "\n",
	})
	read := fs.ReadFile(fs.Config{Roots: []string{dir}})
	for name, want := range map[string]string{
		"png":   "error: read_file: png is a binary file; it has no text to show",
		"nul":   "text\n[NUL at byte 5; the text ends before it]\n",
		"tags":  "ab\n[removed invisible characters: 2 tag characters that spell \"IG\" at byte 1]\n",
		"bom":   "x\n",
		"later": "a\n\ufeffx\n[kept U+FEFF inside the text at byte 2, 1 place]\n",
		"key":   "sk-" + strings.Repeat("a1", 20) + "\n",
	} {
		same(t, name, call(t, read, args("path", name)), want)
	}
	same(t, "second line", call(t, read, args("path", "later", "offset", 2)),
		"\ufeffx\n[kept U+FEFF inside the text at byte 0, 1 place; these offsets count from byte 2]\n")
}

func TestList(t *testing.T) {
	dir := tree(t, map[string]string{"b/x": "", "a.txt": "", "Z": "", "empty/": ""})
	link(t, "a.txt", filepath.Join(dir, "ln"))
	list := fs.ListFiles(fs.Config{Roots: []string{dir}})
	same(t, "root", call(t, list, `{"path":"."}`), "Z\na.txt\nb/\nempty/\nln -> a.txt\n")
	same(t, "absolute", call(t, list, args("path", dir)), "Z\na.txt\nb/\nempty/\nln -> a.txt\n")
	same(t, "slash", call(t, list, `{"path":"b/"}`), "x\n")
	same(t, "empty", call(t, list, `{"path":"empty"}`), "[the directory is empty]\n")
	few := fs.ListFiles(fs.Config{Roots: []string{dir}, MaxEntries: 2})
	same(t, "few", call(t, few, `{"path":"."}`), "Z\na.txt\n[2 of 5 names are shown; 3 are left out]\n")
	short := fs.ListFiles(fs.Config{Roots: []string{dir}, MaxBytes: 9})
	same(t, "short", call(t, short, `{"path":"."}`), "Z\na.txt\n[2 of 5 names are shown; 3 are left out]\n")
}

func TestCancelled(t *testing.T) {
	dir := tree(t, map[string]string{"a": "x\n"})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tl := range fs.Tools(fs.Config{Roots: []string{dir}}) {
		name := map[string]string{"read_file": "a", "list_files": "."}[tl.Spec().Name]
		if _, err := tl.Call(ctx, json.RawMessage(args("path", name))); err != context.Canceled {
			t.Errorf("%s: %v", tl.Spec().Name, err)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"path":"a","offset":2}`)
	f.Add(`{"path":"../x"}`)
	dir := tree(f, map[string]string{"w/a": "one\ntwo\n", "x": "TOPSECRET"})
	read := fs.ReadFile(fs.Config{Roots: []string{filepath.Join(dir, "w")}})
	f.Fuzz(func(t *testing.T, in string) {
		r, err := read.Call(context.Background(), json.RawMessage(in))
		if err != nil {
			t.Fatal(err)
		}
		if s := r.Text.String(); strings.Contains(s, "TOPSECRET") || s == "" {
			t.Errorf("%q: %q", in, s)
		}
	})
}
