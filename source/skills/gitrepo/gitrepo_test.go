package gitrepo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/gitrepo"
	"github.com/proemhq/proem/source/skills/skillstest"
	"github.com/proemhq/proem/span"
)

// git runs the program in a repository that the test owns.
func git(t testing.TB, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
		"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e",
		"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, &said)
	}
	return strings.TrimSpace(string(out))
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("GIT IS NOT INSTALLED: repositories in Git are not tested")
	}
}

// bare makes a bare repository with one commit on main.
func bare(t testing.TB, files map[string]string) string {
	t.Helper()
	needGit(t)
	dir := t.TempDir()
	git(t, dir, "", "init", "-q", "--bare", "-b", "main")
	commit(t, dir, "refs/heads/main", files)
	return dir
}

// commit makes a commit of the files, without a work tree, and lets ref name it.
// A file that begins with "-> " becomes a link.
func commit(t testing.TB, dir, ref string, files map[string]string) string {
	t.Helper()
	t.Setenv("GIT_INDEX_FILE", filepath.Join(t.TempDir(), "index"))
	var index strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		mode, text := "100644", files[name]
		if target, ok := strings.CutPrefix(text, "-> "); ok {
			mode, text = "120000", target
		}
		index.WriteString(mode + " " + git(t, dir, text, "hash-object", "-w", "--stdin", "--no-filters") + "\t" + name + "\x00")
	}
	git(t, dir, index.String(), "update-index", "-z", "--add", "--index-info")
	id := git(t, dir, "", "commit-tree", "-m", "m", git(t, dir, "", "write-tree"))
	git(t, dir, "", "update-ref", ref, id)
	os.Unsetenv("GIT_INDEX_FILE")
	return id
}

func skill(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\nbody of " + name + "\n"
}

// seen returns a line for each skill and each diagnostic, or the error.
func seen(t testing.TB, r skills.Repository) []string {
	t.Helper()
	l, err := r.List(context.Background(), prompt.Who{})
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	out := []string{}
	for _, s := range l.Skills {
		out = append(out, s.Name+": "+s.Description)
	}
	for _, d := range l.Diagnostics {
		out = append(out, d.Severity.String()+" "+d.Code)
	}
	return out
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

func TestBare(t *testing.T) {
	skillstest.Run(t, func(t *testing.T, files map[string]string) skills.Repository {
		return gitrepo.New(gitrepo.Config{Repo: bare(t, files), Ref: "main", Trust: span.User})
	})
}

// TestWorkTree: of a repository with a work tree the commit counts, not what lies
// in the folder. The skills lie in a folder of it.
func TestWorkTree(t *testing.T) {
	needGit(t)
	skillstest.Run(t, func(t *testing.T, files map[string]string) skills.Repository {
		dir := t.TempDir()
		git(t, dir, "", "init", "-q", "-b", "main")
		in := map[string]string{"README.md": "x"}
		for name, text := range files {
			in["team skills/"+name] = text
		}
		if files == nil {
			in["team skills/README.md"] = "x"
		}
		filetest.Write(t, dir, in)
		git(t, dir, "", "add", "-A")
		git(t, dir, "", "commit", "-q", "-m", "m")
		filetest.Write(t, dir, map[string]string{"team skills/new/SKILL.md": skill("new", "not committed"), "team skills/deploy/SKILL.md": "changed"})
		return gitrepo.New(gitrepo.Config{Repo: dir, Dir: "./team skills/", Trust: span.User})
	})
}

// TestRefresh: another commit is seen without a restart, the same one is not read
// again, and a hash stays what it is.
func TestRefresh(t *testing.T) {
	dir := bare(t, map[string]string{"a/SKILL.md": skill("a", "one"), "a/ref.md": "1"})
	first := git(t, dir, "", "rev-parse", "main")
	counters := &env.Counters{}
	e := &env.Env{Count: counters}
	moving := gitrepo.New(gitrepo.Config{Env: e, Repo: dir, Ref: "main"})
	pinned := gitrepo.New(gitrepo.Config{Env: e, Repo: dir, Ref: first})
	cost := func(what string, want int64, f func()) {
		t.Helper()
		before := counters.Load().Processes
		f()
		same(t, what, counters.Load().Processes-before, want)
	}
	cost("first", 3, func() { same(t, "first", seen(t, moving), []string{"a: one"}) })
	cost("unchanged", 1, func() { same(t, "unchanged", seen(t, moving), []string{"a: one"}) })
	cost("open", 1, func() { open(t, moving, "a", "ref.md") })
	cost("opened again", 0, func() { open(t, moving, "a", "ref.md") })
	cost("first of pinned", 3, func() { seen(t, pinned) })
	cost("pinned", 0, func() { seen(t, pinned) })
	commit(t, dir, "refs/heads/main", map[string]string{"a/SKILL.md": skill("a", "two"), "b/SKILL.md": skill("b", "new"), "a/ref.md": "2"})
	same(t, "changed", seen(t, moving), []string{"a: two", "b: new"})
	same(t, "pinned", seen(t, pinned), []string{"a: one"})
	same(t, "files", []string{open(t, moving, "a", "ref.md"), open(t, pinned, "a", "ref.md")}, []string{"2", "1"})
	git(t, dir, "", "update-ref", "-d", "refs/heads/main")
	same(t, "gone", seen(t, moving), []string{"a: two", "b: new", "warning skill.stale"})

	clock := env.NewFakeClock(time.Unix(0, 0))
	rare := gitrepo.New(gitrepo.Config{Env: &env.Env{Count: counters, Clock: clock}, Repo: dir, Ref: first, Every: time.Minute})
	seen(t, rare)
	cost("within the minute", 0, func() { seen(t, rare) })
}

func open(t testing.TB, r skills.Repository, skill, path string) string {
	t.Helper()
	res, err := r.Open(context.Background(), prompt.Who{}, skill, path)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return res.Text
}

// TestPaths: where a text comes from says the revision.
func TestPaths(t *testing.T) {
	dir := bare(t, map[string]string{"s/a/SKILL.md": skill("a", "d")})
	r := gitrepo.New(gitrepo.Config{Repo: dir, Dir: "s", Trust: span.Project})
	l, err := r.List(context.Background(), prompt.Who{})
	filetest.Must(t, err)
	want := dir + "@" + git(t, dir, "", "rev-parse", "HEAD")[:12] + "/s"
	if runtime.GOOS != "windows" {
		same(t, "paths", []string{l.Path, l.Skills[0].Path}, []string{want, want + "/a/SKILL.md"})
	}
	same(t, "trust", l.Skills[0].Trust, span.Project)
}

func TestRefused(t *testing.T) {
	dir := bare(t, map[string]string{"a/SKILL.md": skill("a", "d"), "file": "x"})
	for _, c := range []struct {
		cfg  gitrepo.Config
		want string
	}{
		{gitrepo.Config{Repo: "relative"}, "not an absolute path"},
		{gitrepo.Config{Repo: filepath.Join(dir, "none")}, "there is no repository"},
		{gitrepo.Config{Repo: t.TempDir()}, "not a git repository"},
		{gitrepo.Config{Repo: dir, Ref: "--output=x"}, "not the name of one"},
		{gitrepo.Config{Repo: dir, Ref: "main:a"}, "not the name of one"},
		{gitrepo.Config{Repo: dir, Ref: "main@{yesterday}"}, "not the name of one"},
		{gitrepo.Config{Repo: dir, Ref: "main..other"}, "not the name of one"},
		{gitrepo.Config{Repo: dir, Ref: "none"}, "there is no commit"},
		{gitrepo.Config{Repo: dir, Ref: strings.Repeat("0", 39) + "1"}, "there is no commit"},
		{gitrepo.Config{Repo: dir, Dir: "../x"}, "leads out"},
		{gitrepo.Config{Repo: dir, Dir: "/x"}, "leads out"},
		{gitrepo.Config{Repo: dir, Dir: "none"}, "has no folder"},
		{gitrepo.Config{Repo: dir, Dir: "file"}, "has no folder"},
		{gitrepo.Config{Repo: dir, Git: filepath.Join(dir, "no-git")}, "no-git"},
	} {
		got := seen(t, gitrepo.New(c.cfg))
		if len(got) != 1 || !strings.HasPrefix(got[0], "error: git ") || !strings.Contains(got[0], c.want) {
			t.Errorf("%q: %q", c.want, got)
		}
	}
	fail := gitrepo.New(gitrepo.Config{Env: &env.Env{Fail: &env.Failpoints{At: 1, Only: []env.Effect{env.EffectProcess}}}, Repo: dir})
	if got := seen(t, fail); !strings.Contains(got[0], env.ErrInjected.Error()) {
		t.Errorf("%q", got)
	}
}

// TestLinks: a link within a skill is the file, and none leads out of it.
func TestLinks(t *testing.T) {
	dir := bare(t, map[string]string{
		"secret.md": "OUT", "a/SKILL.md": skill("a", "d"), "a/ref/ok.md": "OK", "b/SKILL.md": skill("b", "d"), "b/own.md": "OUT",
		"a/in.md": "-> ref/ok.md", "a/ref/up.md": "-> ../ref/ok.md", "a/out.md": "-> ../secret.md", "a/other.md": "-> ../b/own.md",
		"a/abs.md": "-> /etc/passwd", "a/folder": "-> ref", "evil/SKILL.md": "-> ../secret.md", "whole": "-> a", "CLAUDE.md": "-> secret.md", "none": "-> nothing",
	})
	r := gitrepo.New(gitrepo.Config{Repo: dir})
	same(t, "list", seen(t, r), []string{"a: d", "b: d", "warning skill.outside_root", "warning skill.outside_root"}) // evil and whole
	same(t, "links", []string{open(t, r, "a", "in.md"), open(t, r, "a", "ref/up.md")}, []string{"OK", "OK"})
	for _, p := range []string{"out.md", "other.md", "abs.md", "folder/ok.md"} {
		res, err := r.Open(context.Background(), prompt.Who{}, "a", p)
		var e *skills.Error
		if !errors.As(err, &e) || e.Code != skills.CodeOutside || res.Text != "" {
			t.Errorf("%s: %q, %v", p, res.Text, err)
		}
	}
	files, all, err := r.Files(context.Background(), prompt.Who{}, "a")
	filetest.Must(t, err)
	same(t, "files", files, []string{"in.md", "ref/ok.md", "ref/up.md"})
	same(t, "all", all, true)
}

// TestBounds: of a long file the beginning is used, and names that are none are
// left out.
func TestBounds(t *testing.T) {
	dir := bare(t, map[string]string{
		"a/SKILL.md": skill("a", "d"), "a/long.md": strings.Repeat("x", 3<<20), "b/SKILL.md": skill("b", "d") + strings.Repeat("y", 2<<20),
		"a/new\nline.md": "x", "a/back\\slash.md": "x", "c/SKILL.md": "\x00\xff", "a/long-link": "-> " + strings.Repeat("z", 5000),
	})
	r := gitrepo.New(gitrepo.Config{Repo: dir})
	same(t, "list", seen(t, r), []string{"a: d", "b: d", "warning skill.file", "warning skill.file", "warning skill.file", "warning doc.truncated",
		"warning doc.binary", "error skill.invalid"})
	res, err := r.Open(context.Background(), prompt.Who{}, "a", "long.md")
	filetest.Must(t, err)
	same(t, "long", []any{len(res.Text), res.Size, res.Partial}, []any{1 << 20, int64(3 << 20), true})
}

// TestHostile: a repository whose configuration and files name programs starts
// none of them, and a missing object is not fetched.
func TestHostile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the canary is a shell script")
	}
	needGit(t)
	dir := t.TempDir()
	canary := filepath.Join(t.TempDir(), "PWNED")
	evil := filepath.Join(t.TempDir(), "evil")
	filetest.Must(t, os.WriteFile(evil, []byte("#!/bin/sh\necho \"$0 $@\" >> '"+canary+"'\ncat\n"), 0o755))
	git(t, dir, "", "init", "-q", "-b", "main")
	commit(t, dir, "refs/heads/main", map[string]string{
		"a/SKILL.md": skill("a", "!`touch "+canary+"`"), "a/x.md": "plain\n", ".gitattributes": "* filter=evil diff=evil text eol=crlf\n",
		"a/.gitattributes": "* filter=evil\n", "gone/SKILL.md": skill("gone", "d"), ".gitmodules": "[submodule \"x\"]\n\tpath = x\n\turl = ext::" + evil + "\n\tupdate = !" + evil + "\n",
	})
	git(t, dir, "", "update-ref", "refs/heads/--output="+canary, "main")
	for _, kv := range [][2]string{
		{"filter.evil.smudge", evil}, {"filter.evil.clean", evil}, {"filter.evil.process", evil}, {"diff.evil.textconv", evil},
		{"core.fsmonitor", evil}, {"core.pager", evil}, {"pager.ls-tree", evil}, {"core.sshCommand", evil}, {"core.hooksPath", filepath.Dir(evil)},
		{"core.editor", evil}, {"core.gitProxy", evil}, {"credential.helper", "!" + evil}, {"alias.cat-file", "!" + evil}, {"alias.ls-tree", "!" + evil},
		{"core.alternateRefsCommand", evil}, {"gpg.program", evil}, {"protocol.ext.allow", "always"}, {"protocol.file.allow", "always"},
	} {
		git(t, dir, "", "config", kv[0], kv[1])
	}
	for _, hook := range []string{"post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc"} {
		filetest.Must(t, os.WriteFile(filepath.Join(dir, ".git", "hooks", hook), []byte("#!/bin/sh\n"+evil+"\n"), 0o755))
	}
	// The user's own environment has no say either.
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "core.pager")
	t.Setenv("GIT_CONFIG_VALUE_0", evil)
	r := gitrepo.New(gitrepo.Config{Repo: dir})
	same(t, "list", seen(t, r), []string{"a: !`touch " + canary + "`", "gone: d", "warning skill.lenient"})
	same(t, "text", open(t, r, "a", "x.md"), "plain\n")
	named := gitrepo.New(gitrepo.Config{Repo: dir, Ref: "refs/heads/--output=" + canary})
	same(t, "list of the ref that looks like an option", seen(t, named), seen(t, r))
	os.Unsetenv("GIT_DIR")
	os.Unsetenv("GIT_CONFIG_COUNT")

	// An object is missing, and its place says how to get it.
	for _, kv := range [][2]string{
		{"extensions.partialClone", "origin"}, {"core.repositoryFormatVersion", "1"}, {"remote.origin.promisor", "true"},
		{"remote.origin.url", dir}, {"remote.origin.uploadpack", evil}, {"remote.origin.partialclonefilter", "blob:none"},
	} {
		git(t, dir, "", "config", kv[0], kv[1])
	}
	id := git(t, dir, "", "rev-parse", "main:gone/SKILL.md")
	for _, url := range []string{dir, "ext::" + evil + " x", "ssh://example.invalid/x"} {
		git(t, dir, "", "config", "remote.origin.url", url)
		object := filepath.Join(dir, ".git", "objects", id[:2], id[2:])
		if err := os.Remove(object); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if got := seen(t, gitrepo.New(gitrepo.Config{Repo: dir})); len(got) != 1 || !strings.HasPrefix(got[0], "error: git") {
			t.Errorf("%s: %q", url, got)
		}
	}
	if b, err := os.ReadFile(canary); err == nil {
		t.Errorf("a program of the repository was started: %s", b)
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("the canary is there")
	}
}

// TestOtherOwner: whose the repository is does not matter, as its configuration
// starts nothing.
func TestOtherOwner(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to give a repository to somebody else")
	}
	dir := bare(t, map[string]string{"a/SKILL.md": skill("a", "d")})
	filetest.Must(t, filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(p, 65534, 65534)
	}))
	same(t, "list", seen(t, gitrepo.New(gitrepo.Config{Repo: dir})), []string{"a: d"})
}

// TestLinkedWorkTree: the .git of a linked work tree is a file that leads to the
// repository.
func TestLinkedWorkTree(t *testing.T) {
	dir := bare(t, map[string]string{"a/SKILL.md": skill("a", "d")})
	work := filepath.Join(t.TempDir(), "work")
	git(t, dir, "", "worktree", "add", "-q", work, "main")
	same(t, "list", seen(t, gitrepo.New(gitrepo.Config{Repo: work})), []string{"a: d"})
}

// TestSubmodule: what is no part of the repository is passed over.
func TestSubmodule(t *testing.T) {
	dir := bare(t, nil)
	blob := git(t, dir, skill("a", "d"), "hash-object", "-w", "--stdin")
	sub := git(t, dir, "040000 tree "+git(t, dir, "100644 blob "+blob+"\tSKILL.md\n", "mktree")+"\ta\n160000 commit "+strings.Repeat("1", 40)+"\tsub\n", "mktree", "--missing")
	git(t, dir, "", "update-ref", "refs/heads/main", git(t, dir, "", "commit-tree", "-m", "m", sub))
	same(t, "list", seen(t, gitrepo.New(gitrepo.Config{Repo: dir})), []string{"a: d"})
}

// TestSet: a Git repository that is not there hides no other.
func TestSet(t *testing.T) {
	dir := bare(t, map[string]string{"a/SKILL.md": skill("a", "of git")})
	set := skills.New(skills.Config{Tiers: []skills.Tier{
		{Scope: "gone", Repo: gitrepo.New(gitrepo.Config{Repo: filepath.Join(dir, "none")})},
		{Scope: "team", Repo: gitrepo.New(gitrepo.Config{Repo: dir})},
	}})
	f, err := set.Read(context.Background(), source.Query{})
	filetest.Must(t, err)
	if !strings.Contains(f.Text, "- a: of git") || len(f.Diagnostics) != 1 || f.Diagnostics[0].Code != "skill.repository" {
		t.Errorf("%q %v", f.Text, f.Diagnostics)
	}
}

// TestTree: of a project every link is followed, and it may hold more files than a
// folder of skills.
func TestTree(t *testing.T) {
	dir := bare(t, map[string]string{"docs/rules.md": "RULES", "AGENTS.md": "-> docs/rules.md", "svc/AGENTS.md": "-> ../lnk/rules.md", "lnk": "-> docs"})
	var in strings.Builder
	in.WriteString("commit refs/heads/main\ncommitter a <a@b.example> 1 +0000\ndata 0\nfrom refs/heads/main^0\n")
	for i := range 50_001 {
		fmt.Fprintf(&in, "M 100644 inline many/%d\ndata 1\nx\n", i)
	}
	git(t, dir, in.String(), "fast-import", "--quiet")
	fsys, _, problems, err := gitrepo.Tree(context.Background(), gitrepo.Config{Repo: dir, Ref: "main"})
	filetest.Must(t, err)
	same(t, "problems", len(problems), 0)
	for _, name := range []string{"AGENTS.md", "svc/AGENTS.md"} {
		text, err := fs.ReadFile(fsys, name)
		filetest.Must(t, err)
		same(t, name, string(text), "RULES")
	}
	same(t, "skills", seen(t, gitrepo.New(gitrepo.Config{Repo: dir}))[0], "error: git "+dir+": there are more than 50000 files; name a folder with less in it")
}
