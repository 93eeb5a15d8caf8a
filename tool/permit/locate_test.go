package permit_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/permit"
)

// tree makes files below a new root and returns it without links.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Join(root, f)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestRequest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	root, out := tree(t, "a", "secret/key", "docs/b", "sub/x/c"), tree(t, "far")
	must(t, os.Symlink("secret/key", root+"/link"))
	must(t, os.Symlink(root+"/secret", root+"/dir"))
	must(t, os.Symlink(out, root+"/out"))
	must(t, os.Symlink("loop", root+"/loop"))
	must(t, os.Symlink("none", root+"/dangling"))
	must(t, os.Symlink("../x", root+"/sub/x/up"))
	must(t, os.Symlink("sub/x", root+"/deep"))
	must(t, os.Link(root+"/secret/key", root+"/hard"))
	must(t, os.Link(out+"/far", root+"/shared"))
	p, err := permit.New(permit.Config{Mode: permit.Bypass, Roots: []string{root}, Rules: []permit.Rule{{Action: "deny", Tool: "*", Path: "secret/**"}}})
	must(t, err)
	files := env.OrSystem(nil).Files

	type found struct {
		Real      []string
		Elsewhere bool
		Action    permit.Action
	}
	rel := func(name string) string {
		return strings.NewReplacer(root+"/", "", root, ".", out+"/", "out:", out, "out:").Replace(name)
	}
	for asked, want := range map[string]found{
		"a":                                      {[]string{"a"}, false, permit.Allow},
		"secret/key":                             {[]string{"secret/key", "hard"}, false, permit.Deny},
		"link":                                   {[]string{"secret/key", "hard"}, false, permit.Deny},
		"dir/key":                                {[]string{"secret/key", "hard"}, false, permit.Deny},
		"dir/new":                                {[]string{"secret/new"}, false, permit.Deny},
		"dir":                                    {[]string{"secret"}, false, permit.Deny},
		"hard":                                   {[]string{"hard", "secret/key"}, false, permit.Deny},
		"out/far":                                {[]string{"out:far", "shared"}, false, permit.Allow},
		"shared":                                 {[]string{"shared"}, true, permit.Allow},
		"dangling":                               {[]string{"none"}, false, permit.Allow},
		"new/er":                                 {[]string{"new/er"}, false, permit.Allow},
		"deep/../a":                              {[]string{"sub/a", "a"}, false, permit.Allow}, // both ways to read ".."
		"sub/x/up/c":                             {[]string{"sub/x/c"}, false, permit.Allow},
		"none/../link":                           {[]string{"secret/key", "hard"}, false, permit.Deny},
		"a/x":                                    {[]string{"a/x"}, false, permit.Allow},
		"/proc/self/root" + root + "/secret/key": {[]string{"secret/key", "hard"}, false, permit.Deny},
		"/proc/self/cwd/../../x":                 {nil, false, permit.Allow},
	} {
		if strings.HasPrefix(asked, "/proc") && runtime.GOOS != "linux" {
			continue
		}
		path := asked
		if !filepath.IsAbs(path) {
			path = root + "/" + path
		}
		r := p.Request(files, "x", nil, tool.Effect{ReadOnly: true, Paths: []string{path}}, "")
		got := found{Action: p.Decide(r, permit.Grants{}).Action}
		for _, at := range r.Resolved {
			for _, name := range append([]string{at.Real}, at.Aliases...) {
				got.Real = append(got.Real, rel(name))
			}
			got.Elsewhere = got.Elsewhere || at.Elsewhere
		}
		if want.Real == nil {
			got.Real = nil
		}
		slices.Sort(got.Real) // the same target may be reached in two ways
		got.Real = slices.Compact(got.Real)
		slices.Sort(want.Real)
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("%s: %s", asked, d)
		}
	}
	if r := p.Request(files, "x", nil, tool.Effect{Paths: []string{root + "/loop"}}, ""); r.Unsure == "" || p.Decide(r, permit.Grants{}).Action != permit.Deny {
		t.Errorf("a loop: %+v", r)
	}
	for command, want := range map[string]permit.Action{"cat link": permit.Deny, "cat hard": permit.Deny, "cat dir/key": permit.Deny, "cat a": permit.Allow, "cat -- 'a'>link": permit.Deny} {
		r := p.Request(files, "shell", nil, tool.Effect{Command: command}, "")
		if d := p.Decide(r, permit.Grants{}); d.Action != want {
			t.Errorf("%q: %s by %s", command, d.Action, d.Rule)
		}
	}
	if r := p.Request(files, "shell", nil, tool.Effect{Command: "cat key"}, root+"/dir"); r.Cwd != root+"/secret" {
		t.Errorf("runs in %q", r.Cwd)
	}
	if r := p.Request(files, "x", nil, tool.Effect{Refused: true, Command: "rm x", Paths: []string{"a"}}, ""); !r.ReadOnly || r.Command != "" || r.Paths != nil {
		t.Errorf("refused: %+v", r)
	}
}

// TestOutside checks that another name of a file outside of the roots is found if
// a rule is about that place.
func TestOutside(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	root, home := tree(t, "a"), tree(t, ".ssh/id")
	must(t, os.Link(home+"/.ssh/id", root+"/hard"))
	for _, glob := range []string{"~/.ssh/**", "~/.ssh", home + "/.ssh/*", home + "/.ssh/id"} {
		p, err := permit.New(permit.Config{Mode: permit.Bypass, Roots: []string{root}, Home: home, Rules: []permit.Rule{{Action: "deny", Tool: "*", Path: glob}}})
		must(t, err)
		r := p.Request(env.OrSystem(nil).Files, "read_file", nil, tool.Effect{ReadOnly: true, Paths: []string{root + "/hard"}}, "")
		if d := p.Decide(r, permit.Grants{}); d.Action != permit.Deny {
			t.Errorf("%s: %s by %s", glob, d.Action, d.Rule)
		}
	}
	p, err := permit.New(permit.Config{Roots: []string{root}, MaxPaths: 3})
	must(t, err)
	files := env.OrSystem(nil).Files
	if r := p.Request(files, "x", nil, tool.Effect{Paths: []string{"/", "."}}, ""); r.Resolved[0].Real != "/" || r.Resolved[0].ID == (permit.ID{}) || r.Resolved[1].Real != root {
		t.Errorf("%+v", r)
	}
	if r := p.Request(files, "x", nil, tool.Effect{Paths: []string{"a", "b", "c", "d"}}, ""); p.Decide(r, permit.Grants{}).Action != permit.Deny {
		t.Errorf("%+v", r)
	}
	must(t, os.Symlink("loop", root+"/loop"))
	if r := p.Request(files, "shell", nil, tool.Effect{Command: "ls"}, root+"/loop"); p.Decide(r, permit.Grants{}).Action != permit.Deny {
		t.Errorf("%+v", r)
	}
}

// TestProtectedFile is row 4 by identity: another name of a protected file is
// protected, whatever it is called, and so is a link to it.
func TestProtectedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege")
	}
	root := tree(t, ".git/config", "a")
	must(t, os.Link(root+"/.git/config", root+"/innocent"))
	must(t, os.Symlink(".git", root+"/g"))
	p, err := permit.New(permit.Config{Mode: permit.AcceptEdits, Roots: []string{root}})
	must(t, err)
	for name, want := range map[string]permit.Action{"a": permit.Allow, "innocent": permit.Ask, "g/hooks/x": permit.Ask, "g/../a": permit.Allow, ".git/hooks/new": permit.Ask, "new": permit.Allow} {
		r := p.Request(env.OrSystem(nil).Files, "write_file", nil, tool.Effect{Paths: []string{root + "/" + name}}, "")
		if d := p.Decide(r, permit.Grants{}); d.Action != want {
			t.Errorf("%s: %s by %s", name, d.Action, d.Rule)
		}
	}
	// The swap after the question: the answer holds for the file that was there.
	ask, err := permit.New(permit.Config{Roots: []string{root}})
	must(t, err)
	request := func() permit.Request {
		return ask.Request(env.OrSystem(nil).Files, "write_file", nil, tool.Effect{Paths: []string{root + "/a"}}, "")
	}
	q := asked(t, ask, request())
	yes := permit.Answer{Digest: q.Digest, Verdict: permit.Once}
	if d := ask.Resume(request(), permit.Grants{}, yes); d.Action != permit.Allow {
		t.Errorf("unchanged: %s", d.Action)
	}
	must(t, os.Rename(root+"/a", root+"/old"))
	must(t, os.Symlink("old", root+"/a"))
	if d := ask.Resume(request(), permit.Grants{}, yes); d.Action != permit.Ask {
		t.Errorf("a link: %s", d.Action)
	}
	must(t, os.Remove(root+"/a"))
	must(t, os.WriteFile(root+"/a", nil, 0o600))
	if d := ask.Resume(request(), permit.Grants{}, yes); d.Action != permit.Ask {
		t.Errorf("another file: %s", d.Action)
	}
}

func BenchmarkRequest(b *testing.B) {
	root := b.TempDir()
	if err := os.WriteFile(root+"/a", nil, 0o600); err != nil {
		b.Fatal(err)
	}
	p, err := permit.New(permit.Config{Roots: []string{root}})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Request(env.OrSystem(nil).Files, "x", nil, tool.Effect{Paths: []string{root + "/a"}}, "")
	}
}

// A file system that opens nothing but one folder is judged all the same, and its
// links are followed.
func TestNoVolume(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"a.txt": "A", "secret/k": "K"})
	filetest.Must(t, os.Symlink("secret/k", filepath.Join(dir, "link")))
	p, err := permit.New(permit.Config{Roots: []string{"/srv/w"}, Rules: []permit.Rule{{Action: permit.Deny, Tool: "read_file", Path: "secret/**"}}})
	filetest.Must(t, err)
	for path, want := range map[string]permit.Action{"/srv/w/a.txt": permit.Allow, "/srv/w/link": permit.Deny, "/srv/w/new": permit.Allow, "/etc/passwd": permit.Allow} {
		r := p.Request(onlyRoot{dir}, "read_file", nil, tool.Effect{ReadOnly: true, Paths: []string{path}}, "")
		if d := p.Decide(r, permit.Grants{}); d.Action != want {
			t.Errorf("%s: %s, because %s", path, d.Action, d.Why)
		}
	}
}

// onlyRoot opens /srv/w, which is another directory, and nothing else.
type onlyRoot struct{ dir string }

func (f onlyRoot) OpenRoot(dir string) (env.Root, error) {
	if dir != "/srv/w" {
		return nil, fs.ErrNotExist
	}
	return env.System().Files.OpenRoot(f.dir)
}

func (onlyRoot) MkdirAll(string, fs.FileMode) error { return fs.ErrPermission }
