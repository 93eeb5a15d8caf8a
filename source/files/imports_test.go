package files_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/files"
)

func TestImportCases(t *testing.T) {
	t.Run("C28", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "R\n@a.md\n", "a.md": "A\n@b.md\n", "b.md": "B\n@a.md\n@AGENTS.md\n"})
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: R\nA\nB\n@a.md\n@AGENTS.md\n"})
		same(t, "diagnostics", diags(dir, f), []string{"warning import.cycle b.md", "warning import.cycle b.md"})
		same(t, "chain", f.Diagnostics[0].Message, "@a.md closes a circle: a.md → b.md → a.md")
		same(t, "chain", f.Diagnostics[1].Message, "@AGENTS.md closes a circle: AGENTS.md → a.md → b.md → AGENTS.md")
	})
	t.Run("C29", func(t *testing.T) {
		text := "mail ops@example.com/oncall.md\n```py\n@app.route/x.md\n@secret.md\n```\nUse `@secret.md` literally. Ping @team-lead now.\n"
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": text, "secret.md": "secret\n"})
		counters := &env.Counters{}
		f, err := files.New(files.Config{Env: &env.Env{Count: counters}, Cwd: dir}).Read(context.Background(), source.Query{})
		filetest.Must(t, err)
		same(t, "docs", docs(f), []string{"project:AGENTS.md: " + text})
		same(t, "diagnostics", diags(dir, f), nil)
		same(t, "bytes read", counters.BytesRead.Load(), int64(len(text)))
	})
	t.Run("C32", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "see @docs/none.md for more\n"})
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: see @docs/none.md for more\n"})
		same(t, "diagnostics", diags(dir, f), []string{"warning import.missing AGENTS.md"})
		same(t, "message", f.Diagnostics[0].String(), "warning import.missing "+filepath.Join(dir, "AGENTS.md")+":1:5: @docs/none.md does not exist")
	})
	t.Run("C33", func(t *testing.T) {
		dir := tree(t, map[string]string{"outside.md": "OUT\n", "h/s.md": "HOMESECRET\n", "proj/.git/config.md": "[core]\n"})
		proj := filepath.Join(dir, "proj")
		link(t, "../outside.md", filepath.Join(proj, "link.md"))
		text := fmt.Sprintf("@../outside.md\n@%s/outside.md\n@~/s.md\n@link.md\n@.git/config.md\n", filepath.ToSlash(dir))
		write(t, proj, "AGENTS.md", text)
		counters := &env.Counters{}
		f, err := files.New(files.Config{Env: &env.Env{Count: counters}, Cwd: proj}).Read(context.Background(), source.Query{})
		filetest.Must(t, err)
		same(t, "docs", docs(f), []string{"project:AGENTS.md: " + text})
		w := "warning import.outside_root proj/AGENTS.md"
		same(t, "diagnostics", diags(dir, f), []string{w, w, w, w, w})
		same(t, "bytes read", counters.BytesRead.Load(), int64(len(text)))
	})
	t.Run("C34", func(t *testing.T) {
		content := map[string]string{".git/": ""}
		var all strings.Builder
		for i := range 500 {
			fmt.Fprintf(&all, "@f%d.md\n", i)
			content[fmt.Sprintf("f%d.md", i)] = strings.Repeat("y", 65536) + "\n"
		}
		content["AGENTS.md"] = all.String()
		dir := tree(t, content)
		counters := &env.Counters{}
		start := time.Now()
		f, err := files.New(files.Config{Env: &env.Env{Count: counters}, Cwd: dir}).Read(context.Background(), source.Query{})
		filetest.Must(t, err)
		if d := time.Since(start); d > 200*time.Millisecond {
			t.Errorf("took %v", d)
		}
		if n := len(f.Docs[0].Text); n > 32768 {
			t.Errorf("%d bytes", n)
		}
		if n := counters.BytesRead.Load() - int64(all.Len()); n > 32768+65537 {
			t.Errorf("read %d bytes of imports", n)
		}
		same(t, "diagnostics", diags(dir, f), []string{"warning doc.truncated AGENTS.md"})
		if !strings.HasSuffix(f.Diagnostics[0].Message, "; 499 imports were not read") {
			t.Errorf("message %q", f.Diagnostics[0].Message)
		}
	})
	t.Run("C86", func(t *testing.T) {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "R\n@x.md\n", "x.md": "X\n"})
		f := read(t, files.Config{Cwd: dir})
		same(t, "docs", docs(f), []string{"project:AGENTS.md: R\nX\n"})
		s := f.Docs[0].Spans
		same(t, "paths", []string{s[0].From.Path, s[1].From.Path}, []string{filepath.Join(dir, "AGENTS.md"), filepath.Join(dir, "x.md")})
		same(t, "section", s[1].From.Section, "project:AGENTS.md")
	})
}

func TestImports(t *testing.T) {
	deep := map[string]string{".git/": "", "AGENTS.md": "0\n@d1.md\n"}
	for i := 1; i <= 7; i++ {
		deep[fmt.Sprintf("d%d.md", i)] = fmt.Sprintf("%d\n@d%d.md\n", i, i+1)
	}
	for _, tt := range []struct {
		name    string
		content map[string]string
		want    []string
		codes   []string
	}{
		{"inside a sentence", map[string]string{"AGENTS.md": "See @docs/a.md, please.\n", "docs/a.md": "A\n"},
			[]string{"project:AGENTS.md: See @docs/a.md, please.\n", "project:docs/a.md: A\n"}, nil},
		{"block in a block", map[string]string{"AGENTS.md": "See @a.md now\n", "a.md": "A, see @b.md now\n", "b.md": "B\n"},
			[]string{"project:AGENTS.md: See @a.md now\n", "project:a.md: A, see @b.md now\n", "project:b.md: B\n"}, nil},
		{"relative to the importing file", map[string]string{"AGENTS.md": "@docs/a.md\n", "docs/a.md": "A\n@b.md\n@../c.md\n", "docs/b.md": "B\n", "c.md": "C\n"},
			[]string{"project:AGENTS.md: A\nB\nC\n"}, nil},
		{"without line ends", map[string]string{"AGENTS.md": "@a.md", "a.md": "A"}, []string{"project:AGENTS.md: A"}, nil},
		{"line end kept once", map[string]string{"AGENTS.md": "  @a.md  \nx\n", "a.md": "A"}, []string{"project:AGENTS.md: A  \nx\n"}, nil},
		{"empty import", map[string]string{"AGENTS.md": "x\n@a.md\ny\n", "a.md": ""}, []string{"project:AGENTS.md: x\ny\n"}, nil},
		{"no extension, but there", map[string]string{"AGENTS.md": "@LICENSE\n", "LICENSE": "free\n"}, []string{"project:AGENTS.md: free\n"}, nil},
		{"a directory's bare name", map[string]string{"AGENTS.md": "@docs\n", "docs/": ""}, []string{"project:AGENTS.md: @docs\n"}, nil},
		{"a directory", map[string]string{"AGENTS.md": "@docs/\n", "docs/": ""}, []string{"project:AGENTS.md: @docs/\n"}, []string{"warning import.not_regular AGENTS.md"}},
		{"twice", map[string]string{"AGENTS.md": "@a.md\n@a.md\n", "a.md": "A\n"}, []string{"project:AGENTS.md: A\n@a.md\n"}, []string{"info import.repeated AGENTS.md"}},
		{"too deep", deep, []string{"project:AGENTS.md: 0\n1\n2\n3\n4\n5\n@d6.md\n"}, []string{"warning import.depth d5.md"}},
		{"braces and CR LF", map[string]string{"AGENTS.md": "x\r\n@a.md\r\ny\r\n", "a.md": "A\r\n"}, []string{"project:AGENTS.md: x\nA\ny\n"}, nil},
		{"addresses", map[string]string{"AGENTS.md": "@ a@b.md (@x.md) @, @...\n"}, []string{"project:AGENTS.md: @ a@b.md (@x.md) @, @...\n"}, nil},
		{"tilde fence in a list", map[string]string{"AGENTS.md": "- ~~~\n  @x.md\n  ~~~\n@a.md\n", "a.md": "A\n", "x.md": "X"}, []string{"project:AGENTS.md: - ~~~\n  @x.md\n  ~~~\nA\n"}, nil},
		{"open fence", map[string]string{"AGENTS.md": "```\n@a.md\n``\n@a.md\n", "a.md": "A\n"}, []string{"project:AGENTS.md: ```\n@a.md\n``\n@a.md\n"}, nil},
		{"span over lines", map[string]string{"AGENTS.md": "`x\n@a.md\ny` ok\n", "a.md": "A\n"}, []string{"project:AGENTS.md: `x\n@a.md\ny` ok\n"}, nil},
		{"backtick without end", map[string]string{"AGENTS.md": "it`s\n@a.md\n", "a.md": "A\n"}, []string{"project:AGENTS.md: it`s\nA\n"}, nil},
		{"longer span", map[string]string{"AGENTS.md": "``a ` @a.md `` b\n@a.md\n", "a.md": "A\n"}, []string{"project:AGENTS.md: ``a ` @a.md `` b\nA\n"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := tree(t, tt.content)
			f := read(t, files.Config{Cwd: dir})
			same(t, "docs", docs(f), tt.want)
			same(t, "diagnostics", diags(dir, f), tt.codes)
		})
	}
	off := read(t, files.Config{Cwd: tree(t, map[string]string{"AGENTS.md": "@a.md\n", "a.md": "A\n"}), ImportDepth: -1})
	same(t, "off", docs(off), []string{"project:AGENTS.md: @a.md\n"})
}

func TestImportOfADocument(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "R\n@sub/AGENTS.md\n", "sub/AGENTS.md": "S\n"})
	f := read(t, files.Config{Cwd: filepath.Join(dir, "sub")})
	same(t, "docs", docs(f), []string{"project:AGENTS.md: R\n@sub/AGENTS.md\n", "project:sub/AGENTS.md: S\n"})
	same(t, "diagnostics", diags(dir, f), []string{"info import.repeated AGENTS.md"})
}

func TestUnchangedImports(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "@a.md\n@missing.md\nsee @maybe\n@docs/\n", "a.md": "A\n", "docs/": ""})
	time.Sleep(settled)
	counters := &env.Counters{}
	src := files.New(files.Config{Env: &env.Env{Count: counters}, Cwd: dir})
	get := func() string {
		f, err := src.Read(context.Background(), source.Query{})
		filetest.Must(t, err)
		return strings.Join(docs(f), "|")
	}
	first := get()
	before := counters.Load()
	same(t, "again", get(), first)
	same(t, "cost", counters.Load().Sub(before), env.Counts{Opens: 1, Stats: 6})
	write(t, dir, "a.md", "B\n")
	same(t, "changed", get(), "project:AGENTS.md: B\n@missing.md\nsee @maybe\n@docs/\n")
	write(t, dir, "missing.md", "M\n")
	same(t, "appeared", get(), "project:AGENTS.md: B\nM\nsee @maybe\n@docs/\n")
	write(t, dir, "maybe", "?\n")
	same(t, "named", get(), "project:AGENTS.md: B\nM\nsee @maybe\n@docs/\n|project:maybe: ?\n")
}

func TestStripComments(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"a\n<!-- x -->\nb\n", "a\nb\n"},
		{"a <!-- x\n\n```\ny --> b\n", "a  b\n"},
		{"`<!-- x -->` and\n```\n<!-- y -->\n```\n", "`<!-- x -->` and\n```\n<!-- y -->\n```\n"},
		{"<!-- it`s -->\n`@a.md`\n@a.md\n", "`@a.md`\nA\n"},
		{"<!-- @a.md -->\n<!--\n@a.md\n-->\nx\n", "x\n"},
		{"<!-- open\nb\n", "<!-- open\nb\n"},
		{"@a.md <!-- x -->\n", "@a.md \n"},
	} {
		dir := tree(t, map[string]string{".git/": "", "AGENTS.md": tt.in, "a.md": "A\n"})
		f := read(t, files.Config{Cwd: dir, StripComments: true})
		same(t, tt.in, f.Docs[0].Text, tt.want)
	}
	dir := tree(t, map[string]string{".git/": "", "AGENTS.md": "<!-- x -->\n"})
	same(t, "kept", docs(read(t, files.Config{Cwd: dir})), []string{"project:AGENTS.md: <!-- x -->\n"})
}

func TestImportThroughAStub(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "CLAUDE.md": "AGENTS.md", "AGENTS.md": "REAL, see @CLAUDE.md and @x.md now\n", "x.md": "y.md", "y.md": "Y\n"})
	f := read(t, files.Config{Cwd: dir, Names: []string{"CLAUDE.md"}})
	same(t, "docs", docs(f), []string{"project:CLAUDE.md: REAL, see @CLAUDE.md and @x.md now\n", "project:y.md: Y\n"})
	same(t, "diagnostics", diags(dir, f), []string{"warning doc.symlink_stub CLAUDE.md", "warning import.cycle AGENTS.md"})
}

func TestUserImports(t *testing.T) {
	dir := tree(t, map[string]string{"h/AGENTS.md": "H\n", "h/c/AGENTS.md": "U, see @../AGENTS.md and @s.md and @../../out.md now\n", "h/c/s.md": "S\n", "out.md": "OUT"})
	file := filepath.Join(dir, "h", "c", "AGENTS.md")
	want := "user:AGENTS.md: U, see @../AGENTS.md and @s.md and @../../out.md now\n"
	same(t, "confined", docs(read(t, files.Config{UserFile: file})), []string{want, "user:s.md: S\n"})
	f := read(t, files.Config{UserFile: file, UserDir: filepath.Join(dir, "h")})
	same(t, "home", docs(f), []string{want, "user:../AGENTS.md: H\n", "user:s.md: S\n"})
	same(t, "diagnostics", diags(dir, f), []string{"warning import.outside_root h/c/AGENTS.md"})
}

// A name that is no file is looked up once, however often it stands there.
func TestRepeatedNameIsLookedUpOnce(t *testing.T) {
	dir := tree(t, map[string]string{".git/": "", "AGENTS.md": strings.Repeat("@x ", 5000)})
	counters := &env.Counters{}
	read(t, files.Config{Cwd: dir, Env: &env.Env{Count: counters}})
	if n := counters.Load().Stats; n > 50 {
		t.Errorf("%d stats", n)
	}
}
