package skills_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/skillstest"
	"github.com/proemhq/proem/span"
)

// settled is longer than the loader waits before it trusts a file's times.
const settled = 30 * time.Millisecond

// tree writes files below a new directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	filetest.Write(t, dir, files)
	return dir
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

func link(t testing.TB, to, at string) {
	t.Helper()
	filetest.Must(t, os.MkdirAll(filepath.Dir(at), 0o777))
	if err := os.Symlink(to, at); err != nil {
		t.Skip(err)
	}
}

// project returns a set of the skills below .proem/skills.
func project(dir string) *skills.Set {
	return skills.New(skills.Config{Tiers: []skills.Tier{
		{Scope: "project", Repo: skills.NewFolder(skills.FolderConfig{Root: dir, Dir: ".proem/skills", Trust: span.Workspace})},
	}})
}

func read(t testing.TB, s *skills.Set) prompt.Fact {
	t.Helper()
	f, err := s.Read(context.Background(), source.Query{})
	filetest.Must(t, err)
	if f.Spans.String() != f.Text {
		t.Errorf("spans read %q, the text %q", f.Spans, f.Text)
	}
	return f
}

// lines returns the lines of the list.
func lines(f prompt.Fact) []string {
	var out []string
	for l := range strings.SplitSeq(f.Text, "\n") {
		if strings.HasPrefix(l, "- ") {
			out = append(out, l)
		}
	}
	return out
}

// diags returns "severity code path:line" of each diagnostic.
func diags(dir string, ds []prompt.Diagnostic) []string {
	var out []string
	for _, d := range ds {
		d.Message, d.Column = "", 0
		rel, err := filepath.Rel(dir, d.Path)
		if err == nil {
			d.Path = filepath.ToSlash(rel)
		}
		out = append(out, strings.TrimSuffix(d.String(), ": "))
	}
	return out
}

func body(t testing.TB, s *skills.Set, name string) string {
	t.Helper()
	l, err := s.Load(context.Background(), prompt.Who{}, name)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return ""
	}
	return l.Body.String()
}

func TestFolder(t *testing.T) {
	skillstest.Run(t, func(t *testing.T, files map[string]string) skills.Repository {
		return skills.NewFolder(skills.FolderConfig{Root: tree(t, files), Dir: ".", Trust: span.User})
	})
}

func TestFS(t *testing.T) {
	skillstest.Run(t, func(t *testing.T, files map[string]string) skills.Repository {
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys["skills/"+name] = &fstest.MapFile{Data: []byte(text)}
		}
		return skills.NewFS(fsys, "skills", "/embedded", span.Builtin)
	})
}

func TestFSLinks(t *testing.T) {
	dir := tree(t, map[string]string{"secret.md": "OUT\n", "s/a/SKILL.md": "---\nname: a\ndescription: d\n---\nx\n"})
	link(t, "../../secret.md", filepath.Join(dir, "s", "a", "link.md"))
	link(t, "../../secret.md", filepath.Join(dir, "s", "evil", "SKILL.md"))
	r := skills.NewFS(os.DirFS(filepath.Join(dir, "s")), ".", "/x", span.User)
	if _, err := r.Open(context.Background(), prompt.Who{}, "a", "link.md"); code(err) != skills.CodeOutside {
		t.Error(err)
	}
	l, err := r.List(context.Background(), prompt.Who{})
	filetest.Must(t, err)
	same(t, "diagnostics", diags("/x", l.Diagnostics), []string{"warning skill.outside_root evil/SKILL.md"})
	same(t, "skills", len(l.Skills), 1)
}

func code(err error) string {
	var e *skills.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestLenient(t *testing.T) {
	dir := tree(t, map[string]string{
		".proem/skills/Upper/SKILL.md":   "---\nname: Upper Case\ndescription: d\n---\nx\n",
		".proem/skills/noname/SKILL.md":  "---\ndescription: |\n  two\n  lines\n---\nx\n",
		".proem/skills/number/SKILL.md":  "---\nname: number\ndescription: 42\n---\nx\n",
		".proem/skills/twin/SKILL.md":    "---\nname: number\ndescription: again\n---\nx\n",
		".proem/skills/long/SKILL.md":    "---\nname: long\ndescription: " + strings.Repeat("x", 1025) + "\n---\nx\n",
		".proem/skills/list/SKILL.md":    "---\nname: list\ndescription: [a]\n---\nx\n",
		".proem/skills/case/skill.md":    "---\nname: case\ndescription: d\n---\nx\n",
		".proem/skills/hidden/SKILL.md":  "---\nname: hidden\ndescription: \"a\\U000E0041\\u200b\\nb\"\n---\nx\n",
		".proem/skills/alias/SKILL.md":   "---\nname: alias\ndescription: &x d\nmore: *x\n---\nx\n",
		".proem/skills/.system/SKILL.md": "---\nname: system\ndescription: d\n---\nx\n",
		".proem/skills/README.md":        "not a skill\n",
	})
	f := read(t, project(dir))
	same(t, "lines", lines(f), []string{"- Upper Case: d", "- hidden: a b", "- long: " + strings.Repeat("x", 1025), "- noname: two lines", "- number: 42"})
	same(t, "diagnostics", diags(filepath.Join(dir, ".proem", "skills"), f.Diagnostics), []string{
		"warning skill.name Upper/SKILL.md:2",
		"warning skill.name Upper/SKILL.md:2",
		"error skill.invalid alias/SKILL.md:3",
		"info skill.case case/skill.md",
		"warning skill.lenient hidden/SKILL.md:3",
		"error skill.invalid list/SKILL.md:3",
		"warning skill.description long/SKILL.md:3",
		"warning skill.name noname/SKILL.md:1",
		"warning skill.name twin/SKILL.md:2",
		"warning skill.duplicate twin/SKILL.md",
	})
}

func TestSpans(t *testing.T) {
	dir := tree(t, map[string]string{".proem/skills/a/SKILL.md": "\xef\xbb\xbf---\r\nname: a\r\ndescription: words of a\r\n---\r\nBody.\r\n"})
	p := filepath.Join(dir, ".proem", "skills", "a", "SKILL.md")
	f := read(t, project(dir))
	for _, s := range f.Spans {
		if s.From.Path == "" {
			continue
		}
		want := span.Origin{Section: "skill:a", Source: "skill", Path: p, Trust: span.Workspace}
		same(t, "origin", *s.From, want)
		at := map[string]int32{"a": 14, "words of a": 30}[s.Text]
		if s.Off != at {
			t.Errorf("%q is at %d, want %d", s.Text, s.Off, at)
		}
	}
	l, err := project(dir).Load(context.Background(), prompt.Who{}, "a")
	filetest.Must(t, err)
	same(t, "body", []any{l.Body.String(), l.Body[0].Off, l.Body[0].From.Path}, []any{"Body.\n", int32(47), p})
}

func TestUnchangedCostsStats(t *testing.T) {
	files := map[string]string{}
	for _, n := range []string{"a", "b", "c"} {
		files[".proem/skills/"+n+"/SKILL.md"] = "---\nname: " + n + "\ndescription: d\n---\nx\n"
	}
	dir := tree(t, files)
	time.Sleep(settled)
	counters := &env.Counters{}
	set := skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "project", Repo: skills.NewFolder(skills.FolderConfig{
		Env: &env.Env{Count: counters}, Root: dir, Dir: ".proem/skills", Trust: span.Workspace})}}})
	first := read(t, set)
	before := counters.Load()
	again := read(t, set)
	same(t, "cost", counters.Load().Sub(before), env.Counts{Opens: 1, Stats: 4})
	if &first.Spans[0] != &again.Spans[0] {
		t.Error("the list was made again")
	}
	filetest.Write(t, dir, map[string]string{".proem/skills/d/SKILL.md": "---\nname: d\ndescription: new\n---\nx\n"})
	same(t, "added", len(lines(read(t, set))), 4)
	filetest.Must(t, os.RemoveAll(filepath.Join(dir, ".proem", "skills", "a")))
	filetest.Write(t, dir, map[string]string{".proem/skills/b/SKILL.md": "---\nname: b\ndescription: other\n---\nx\n"})
	same(t, "changed", lines(read(t, set)), []string{"- b: other", "- c: d", "- d: new"})
}

func TestConfig(t *testing.T) {
	repo := skills.NewFolder(skills.FolderConfig{Root: "relative", Dir: "x"})
	for _, c := range []skills.Config{
		{Tiers: []skills.Tier{{Scope: "a"}}},
		{Tiers: []skills.Tier{{Repo: repo}}},
		{Tiers: []skills.Tier{{Scope: "a@b", Repo: repo}}},
		{Tiers: []skills.Tier{{Scope: "a", Repo: repo}, {Scope: "a", Repo: repo}}},
	} {
		if _, err := skills.New(c).Read(context.Background(), source.Query{}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	f := read(t, skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "a", Repo: repo}}}))
	same(t, "relative root", f.Diagnostics[0].Code, "skill.repository")
	same(t, "nothing", read(t, skills.New(skills.Config{})).None, true)
}

func TestHeld(t *testing.T) {
	dir := tree(t, map[string]string{".proem/skills/a/SKILL.md": "x", ".proem/skills/b/README.md": "x"})
	counters := &env.Counters{}
	f := skills.NewFolder(skills.FolderConfig{Env: &env.Env{Count: counters}, Root: dir, Dir: ".proem/skills"})
	got, err := f.Held(context.Background(), prompt.Who{})
	filetest.Must(t, err)
	same(t, "held", got, []string{filepath.Join(dir, ".proem", "skills", "a", "SKILL.md")})
	same(t, "read", counters.Load().Reads, int64(0))
}
