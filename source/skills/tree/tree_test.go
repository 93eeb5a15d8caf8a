package tree_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/source/skills/tree"
)

func TestFS(t *testing.T) {
	fsys, problems := tree.New([]tree.File{
		tree.Bytes("b/SKILL.md", []byte("text")), tree.Bytes("a/x/y.md", []byte("y")), tree.Bytes("a/x/z.md", nil), tree.Bytes("top.md", []byte("t")),
	})
	if len(problems) > 0 {
		t.Error(problems)
	}
	filetest.Must(t, fstest.TestFS(fsys, "b/SKILL.md", "a/x/y.md", "a/x/z.md", "top.md"))
}

func TestEmpty(t *testing.T) {
	fsys, _ := tree.New(nil)
	filetest.Must(t, fstest.TestFS(fsys))
}

func TestProblems(t *testing.T) {
	long := strings.Repeat("x", 5000)
	fsys, problems := tree.New([]tree.File{
		tree.Bytes("a/b", nil), tree.Bytes("a/b", nil), tree.Bytes("a/b/c", nil), tree.Bytes("a", nil),
		tree.Bytes("../x", nil), tree.Bytes("/x", nil), tree.Bytes(`a\x`, nil), tree.Bytes("", nil), tree.Bytes(".", nil),
		tree.Bytes("x\xff", nil), tree.Bytes("x\x00", nil), tree.Bytes(long, nil), tree.Bytes(strings.Repeat("d/", 65)+"x", nil), tree.Bytes("ok", nil),
	})
	var got []string
	for _, p := range problems {
		got = append(got, p[max(0, len(p)-60):])
	}
	if len(got) != 12 {
		t.Errorf("%d problems: %q", len(got), got)
	}
	for i, want := range []string{"twice", "which is a file", "directory too", "no path"} {
		if !strings.Contains(problems[i], want) {
			t.Errorf("%q, want %q", problems[i], want)
		}
	}
	filetest.Must(t, fstest.TestFS(fsys, "a/b", "ok"))
}

func TestLinks(t *testing.T) {
	fsys, problems := tree.New([]tree.File{
		tree.Bytes("a/real.md", []byte("REAL")), tree.Bytes("b/secret.md", []byte("OUT")),
		{Name: "a/ref/in.md", Link: "../real.md"},
		{Name: "a/twice.md", Link: "ref/in.md"},
		{Name: "a/out.md", Link: "../b/secret.md"},
		{Name: "a/abs.md", Link: "/a/real.md"},
		{Name: "a/around.md", Link: "../a/real.md"},
		{Name: "a/loop.md", Link: "loop.md"},
		{Name: "a/none.md", Link: "nothing.md"},
		{Name: "a/dir", Link: "ref"},
		{Name: "top.md", Link: "a/real.md"},
	})
	if len(problems) > 0 {
		t.Error(problems)
	}
	got := map[string]string{}
	for _, name := range []string{"a/ref/in.md", "a/twice.md", "a/out.md", "a/abs.md", "a/around.md", "a/loop.md", "a/none.md", "a/dir", "top.md"} {
		b, err := fs.ReadFile(fsys, name)
		info, lerr := fsys.Lstat(name)
		filetest.Must(t, lerr)
		if (err == nil) != info.Mode().IsRegular() {
			t.Errorf("%s: %v, mode %v", name, err, info.Mode())
		}
		got[name] = string(b)
	}
	want := map[string]string{"a/ref/in.md": "REAL", "a/twice.md": "REAL", "a/around.md": "REAL",
		"a/out.md": "", "a/abs.md": "", "a/loop.md": "", "a/none.md": "", "a/dir": "", "top.md": ""}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("(-got +want):\n%s", diff)
	}
}

func FuzzNew(f *testing.F) {
	f.Add("a/SKILL.md\na/link>SKILL.md\n../x\na")
	f.Fuzz(func(t *testing.T, list string) {
		var files []tree.File
		for _, l := range strings.Split(list, "\n") {
			name, link, _ := strings.Cut(l, ">")
			file := tree.Bytes(name, []byte(name))
			file.Link = link
			files = append(files, file)
		}
		fsys, _ := tree.New(files)
		err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			b, err := fs.ReadFile(fsys, name)
			first, _, _ := strings.Cut(name, "/")
			if err == nil && string(b) != name && !strings.HasPrefix(string(b), first+"/") {
				t.Errorf("%q reads %q", name, b)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestLongChain: how many links are followed does not depend on the order in
// which they are looked at.
func TestLongChain(t *testing.T) {
	for range 50 {
		files := []tree.File{tree.Bytes("a/0", []byte("END"))}
		for i := 1; i <= 12; i++ {
			files = append(files, tree.File{Name: "a/" + string(rune('0'+i)), Link: string(rune('0' + i - 1))})
		}
		fsys, _ := tree.New(files)
		n := 0
		for _, f := range files {
			if _, err := fs.ReadFile(fsys, f.Name); err == nil {
				n++
			}
		}
		if n != 8 {
			t.Fatalf("%d files can be read", n)
		}
	}
}

// TestWhole: in a project, links lead to files and directories wherever they are,
// and never out of it or in circles.
func TestWhole(t *testing.T) {
	fsys, problems := tree.Whole([]tree.File{
		tree.Bytes("docs/rules.md", []byte("RULES")), tree.Bytes("skills/a/SKILL.md", []byte("SKILL")),
		{Name: "AGENTS.md", Link: "docs/rules.md"}, {Name: "svc/AGENTS.md", Link: "../AGENTS.md"},
		{Name: ".agents/skills", Link: "../skills"}, {Name: "svc/dir.md", Link: "../.agents/skills/a/SKILL.md"},
		{Name: "svc/dots.md", Link: "./..//svc/../.agents/skills/../docs/rules.md"},
		{Name: "out.md", Link: "../out.md"}, {Name: "svc/abs.md", Link: "/docs/rules.md"}, {Name: "svc/up.md", Link: "../../docs/rules.md"},
		{Name: "loop.md", Link: "loop.md"}, {Name: "self", Link: "."}, {Name: "no.md", Link: "nothing.md"},
		{Name: "file.md", Link: "docs/rules.md/x"}, {Name: "slash.md", Link: "docs/rules.md/"},
	})
	if len(problems) > 0 {
		t.Error(problems)
	}
	for name, want := range map[string]string{
		"AGENTS.md": "RULES", "svc/AGENTS.md": "RULES", ".agents/skills/a/SKILL.md": "SKILL", "svc/dir.md": "SKILL", "svc/dots.md": "RULES",
		"self/self/AGENTS.md": "RULES", "out.md": "", "svc/abs.md": "", "svc/up.md": "", "loop.md": "", "no.md": "", "file.md": "",
	} {
		got, err := fs.ReadFile(fsys, name)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	if fi, err := fsys.Stat("AGENTS.md"); err != nil || fi.Name() != "AGENTS.md" || !fi.Mode().IsRegular() {
		t.Errorf("Stat: %v, %v", fi, err)
	}
	for _, name := range []string{"svc/AGENTS.md", "docs/rules.md", "svc/dots.md"} {
		fi, err := fs.Stat(fsys, name)
		filetest.Must(t, err)
		if r, ok := fi.(interface{ RealName() string }); !ok || r.RealName() != "docs/rules.md" {
			t.Errorf("%s is not known as docs/rules.md", name)
		}
	}
	if link, err := fsys.ReadLink(".agents/skills"); err != nil || link != "../skills" {
		t.Errorf("ReadLink: %q, %v", link, err)
	}
	n := 0
	filetest.Must(t, fs.WalkDir(fsys, ".", func(string, fs.DirEntry, error) error { n++; return nil }))
	if n != 21 {
		t.Errorf("a walk sees %d files, links and directories", n)
	}
}
