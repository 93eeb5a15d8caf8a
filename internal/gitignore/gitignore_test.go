package gitignore_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/internal/gitignore"
)

func TestIgnored(t *testing.T) {
	for _, tt := range []struct {
		rules, name string
		dir, want   bool
	}{
		{"*.log", "a/b.log", false, true},
		{"*.log\n!b.log", "a/b.log", false, false},
		{"/a", "a", false, true},
		{"/a", "b/a", false, false},
		{"b/a", "c/b/a", false, false},
		{"a/", "a", false, false},
		{"a/", "x/a", true, true},
		{"**/x/**", "a/x/b", false, true},
		{"**/x/**", "x/b/c", false, true},
		{"**/x/**", "x", true, false},
		{"a/**/b", "a/b", false, true},
		{"a/**/b", "a/x/y/b", false, true},
		{"a/**", "a", true, false},
		{"# c\n\\#x", "#x", false, true},
		{"a \nb\\ ", "b ", false, true},
		{"a \n", "a", false, true},
		{"[a-c]?[!x]", "bzy", false, true},
		{"[[:digit:]]]", "1]", false, true},
		{"[a", "[a", false, false},
		{"a\\", "a\\", false, false},
		{"\xef\xbb\xbfa\r\n", "a", false, true},
		{"/\n!\n", "a", false, false},
	} {
		s := (*gitignore.Stack)(nil).Push(".", gitignore.Parse([]byte(tt.rules)))
		if got := s.Ignored(tt.name, tt.dir); got != tt.want {
			t.Errorf("%q on %q: got %v", tt.rules, tt.name, got)
		}
	}
	s := (*gitignore.Stack)(nil).Push(".", gitignore.Parse([]byte("*.a"))).Push("d", gitignore.Parse([]byte("!x.a\n/y")))
	for name, want := range map[string]bool{"x.a": true, "d/x.a": false, "d/z.a": true, "d/y": true, "y": false, "dd/y": false} {
		if got := s.Ignored(name, false); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

// A walk over random trees with random rules finds the files that git finds.
func TestLikeGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	name := func() string { return pick("a", "b", "ab", "a.b", "x", "abc", "A", "-") }
	part := func() string {
		return pick(name(), name(), "*", "?", "a*", "*b", "**", "[ab]", "[!a]*", "[^a-b]", "[[:alpha:]]", "[]-]", "\\a", "*.*", "[[:no:]]", "[\\a]", "a\\")
	}
	for range 60 {
		root := t.TempDir()
		for range 25 {
			p := root
			for range 1 + r.IntN(4) {
				p = filepath.Join(p, name())
			}
			if os.MkdirAll(filepath.Dir(p), 0o777) == nil {
				os.WriteFile(p, nil, 0o666)
			}
		}
		rules := func() string {
			var b strings.Builder
			for range 1 + r.IntN(5) {
				b.WriteString(pick("", "", "", "!", "# ") + pick("", "", "/"))
				for i := range 1 + r.IntN(4) {
					if i > 0 {
						b.WriteString("/")
					}
					b.WriteString(part())
				}
				b.WriteString(pick("", "", "/", " ", "\\ ") + pick("\n", "\r\n"))
			}
			return b.String()
		}
		os.WriteFile(filepath.Join(root, ".gitignore"), []byte(rules()), 0o666)
		os.WriteFile(filepath.Join(root, "a", ".gitignore"), []byte(rules()), 0o666)
		for _, a := range [][]string{{"init", "-q"}, {"ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"}} {
			cmd := exec.Command(git, a...)
			cmd.Dir = root
			out, err := cmd.Output()
			if err != nil {
				t.Skip(err)
			}
			if a[0] == "init" {
				continue
			}
			want := strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
			got := walk(t, root, ".", nil)
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(strings.Join(got, "\n"), strings.Join(want, "\n")); diff != "" {
				b, _ := os.ReadFile(filepath.Join(root, ".gitignore"))
				c, _ := os.ReadFile(filepath.Join(root, "a", ".gitignore"))
				t.Fatalf("rules %q, in a %q (-got +want):\n%s", b, c, diff)
			}
		}
	}
}

func walk(t *testing.T, root, dir string, s *gitignore.Stack) (files []string) {
	b, err := os.ReadFile(filepath.Join(root, dir, ".gitignore"))
	if err == nil {
		s = s.Push(dir, gitignore.Parse(b))
	}
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.Name() == ".git" || s.Ignored(name, e.IsDir()) {
			continue
		}
		if e.IsDir() {
			files = append(files, walk(t, root, name, s)...)
		} else {
			files = append(files, name)
		}
	}
	return files
}

func FuzzIgnored(f *testing.F) {
	f.Add("**/a*/[b-c]\n!x/\n", "a/b/c")
	f.Fuzz(func(t *testing.T, rules, name string) {
		s := (*gitignore.Stack)(nil).Push(".", gitignore.Parse([]byte(rules)))
		s.Ignored(name, false)
		s.Ignored(name, true)
	})
}
