package subagents_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
)

// settled is longer than the loader waits before it trusts a file's times.
const settled = 30 * time.Millisecond

// tree writes files below .proem/subagents of a new directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, ".proem", "subagents"), files)
	return dir
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

func project(dir string) subagents.Config {
	return subagents.Config{Places: []subagents.Place{{Scope: "project", Root: dir, Dir: ".proem/subagents", Trust: span.Workspace}}}
}

func read(t testing.TB, s *subagents.Source) prompt.Fact {
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

// diags returns "severity code name:line" of each diagnostic.
func diags(f prompt.Fact) []string {
	var out []string
	for _, d := range f.Diagnostics {
		d.Message, d.Column, d.Path = "", 0, filepath.Base(d.Path)
		out = append(out, strings.TrimSuffix(d.String(), ": "))
	}
	return out
}

func TestCaseC68(t *testing.T) {
	dir := tree(t, map[string]string{
		"rev.md":  "---\nname: rev\ndescription: reviewer\ninherit: [project, user]\n---\nYou review.\n",
		"none.md": "---\nname: none\ndescription: d\ninherit: []\n---\nAlone.\n",
		"any.md":  "---\nname: any\ndescription: d\n---\nx\n",
	})
	src := subagents.New(project(dir))
	for name, want := range map[string][]string{"rev": {"project", "user"}, "none": {}, "any": nil} {
		d, err := src.Find(context.Background(), name)
		filetest.Must(t, err)
		same(t, name, d.Inherit, want)
	}
	d, err := src.Find(context.Background(), "rev")
	filetest.Must(t, err)
	p := filepath.Join(dir, ".proem", "subagents", "rev.md")
	same(t, "prompt", d.Prompt, span.Text{{Text: "You review.\n", Off: 66, From: &span.Origin{Section: "subagent:rev", Source: "subagent", Path: p, Trust: span.Workspace}}})
	same(t, "lines", lines(read(t, src)), []string{"- any: d", "- none: d", "- rev: reviewer"})
}

func TestKeys(t *testing.T) {
	dir := tree(t, map[string]string{
		"full.md":    "---\nname: full\ndescription: d\nmodel: openai:x\ntools: [read_file, grep]\nsteps: 7\nmaxIters: 9\nhidden: true\nmode: subagent\ncolor: red\n---\nx\n",
		"claude.md":  "---\nname: claude\ndescription: Use when: a, b\nmodel: inherit\ntools: Read, Grep\nmaxIters: 5\n---\nx\n",
		"odd.md":     "---\ndescription: d\nsteps: many\nhidden: 3\nmode: x\ntools: {a: b}\ninherit: [project, moon]\nmodel: [a]\n---\n",
		"primary.md": "---\nname: primary\ndescription: d\nmode: primary\n---\nx\n",
		"open.md":    "---\nname: open\ndescription: d\n",
		"mute.md":    "---\nname: mute\n---\nx\n",
		"plain.md":   "# Notes\n",
		"notes.txt":  "x",
		".hidden.md": "x",
	})
	src := subagents.New(project(dir))
	f := read(t, src)
	same(t, "lines", lines(f), []string{"- claude: Use when: a, b", "- odd: d"})
	same(t, "diagnostics", diags(f), []string{
		"warning subagent.lenient claude.md:3", "error subagent.invalid mute.md:1",
		"warning subagent.value odd.md:7", "warning subagent.value odd.md:6", "warning subagent.value odd.md:8",
		"warning subagent.value odd.md:3", "warning subagent.value odd.md:4", "warning subagent.value odd.md:5",
		"info subagent.empty_body odd.md", "error subagent.invalid open.md:1", "error subagent.invalid plain.md:1",
	})
	var got []string
	for _, name := range []string{"full", "claude", "odd", "primary"} {
		d, err := src.Find(context.Background(), name)
		filetest.Must(t, err)
		got = append(got, fmt.Sprintf("%s %q %q %d %t %q %t", d.Name, d.Model, d.Tools, d.Steps, d.Hidden, d.Mode, d.Listed()))
	}
	same(t, "declarations", got, []string{
		`full "openai:x" ["read_file" "grep"] 7 true "subagent" false`,
		`claude "" ["Read" "Grep"] 5 false "" true`,
		`odd "" [] 0 false "" true`,
		`primary "" [] 0 false "primary" false`,
	})
	if _, err := src.Find(context.Background(), "open"); !errors.Is(err, subagents.ErrUnknown) {
		t.Error(err)
	}
}

func TestPlaces(t *testing.T) {
	dir := tree(t, map[string]string{
		"rev.md":  "---\nname: rev\ndescription: project\n---\nP\n",
		"rev2.md": "---\nname: rev\ndescription: again\n---\nQ\n",
	})
	filetest.Write(t, dir, map[string]string{"u/subagents/rev.md": "---\nname: rev\ndescription: user\n---\nU\n"})
	c := project(dir)
	c.Places = append([]subagents.Place{{Scope: "user", Root: filepath.Join(dir, "u"), Dir: "subagents", Trust: span.User}}, c.Places...)
	c.Builtin = []subagents.Declaration{{Name: "general", Description: "anything"}, {Name: "rev", Description: "builtin"}}
	c.Tool = "agent_spawn"
	src := subagents.New(c)
	f := read(t, src)
	same(t, "lines", lines(f), []string{"- general: anything", "- rev: project"})
	same(t, "tool", strings.Contains(f.Text, "agent_spawn"), true)
	same(t, "diagnostics", diags(f), []string{"warning subagent.duplicate rev2.md"})
	var notes []string
	for _, n := range f.Notes {
		notes = append(notes, n.Name+" "+n.Reason)
	}
	same(t, "notes", notes, []string{"subagent:rev@user shadowed by rev@project", "subagent:rev@builtin shadowed by rev@project"})
	d, err := src.Find(context.Background(), "rev@user")
	filetest.Must(t, err)
	same(t, "user's", d.Prompt.String(), "U\n")
}

func TestConfinement(t *testing.T) {
	dir := tree(t, map[string]string{"ok.md": "---\ndescription: d\n---\nx\n"})
	filetest.Write(t, dir, map[string]string{"w/x": "", "secret.md": "---\nname: s\ndescription: OUT\n---\nOUT\n"})
	w := filepath.Join(dir, ".proem")
	if err := os.Symlink("../../secret.md", filepath.Join(w, "subagents", "evil.md")); err != nil {
		t.Skip(err)
	}
	src := subagents.New(subagents.Config{Places: []subagents.Place{{Scope: "p", Root: w, Dir: "subagents"}, {Scope: "none", Root: filepath.Join(dir, "none"), Dir: "x"}}})
	f := read(t, src)
	same(t, "lines", lines(f), []string{"- ok: d"})
	same(t, "diagnostics", diags(f), []string{"error doc.outside_root evil.md"})
	held, err := src.Held()
	filetest.Must(t, err)
	same(t, "held", held, []string{filepath.Join(w, "subagents", "evil.md"), filepath.Join(w, "subagents", "ok.md")})
	filetest.Must(t, os.Symlink("../..", filepath.Join(w, "out")))
	f = read(t, subagents.New(subagents.Config{Places: []subagents.Place{{Scope: "p", Root: w, Dir: "out"}}}))
	same(t, "place", diags(f), []string{"error doc.outside_root out"})
}

func TestConfig(t *testing.T) {
	for _, c := range []subagents.Config{
		{Places: []subagents.Place{{Scope: "a", Root: "relative"}}},
		{Places: []subagents.Place{{Root: "/w"}}},
		{Places: []subagents.Place{{Scope: "builtin", Root: "/w"}}},
		{Places: []subagents.Place{{Scope: "a", Root: "/w"}, {Scope: "a", Root: "/w"}}},
		{Places: []subagents.Place{{Scope: "a", Root: "/w", Dir: "../x"}}},
		{ListMaxBytes: -1},
	} {
		if _, err := subagents.New(c).Read(context.Background(), source.Query{}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	same(t, "nothing", read(t, subagents.New(subagents.Config{})).None, true)
}

func TestUnchangedCostsStats(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "---\ndescription: d\n---\nx\n", "b.md": "---\ndescription: d\n---\nx\n"})
	time.Sleep(settled)
	counters := &env.Counters{}
	c := project(dir)
	c.Env = &env.Env{Count: counters}
	src := subagents.New(c)
	first := read(t, src)
	before := counters.Load()
	again := read(t, src)
	same(t, "cost", counters.Load().Sub(before), env.Counts{Opens: 1, Stats: 3})
	if &first.Spans[0] != &again.Spans[0] {
		t.Error("the list was made again")
	}
	filetest.Write(t, dir, map[string]string{".proem/subagents/b.md": "---\ndescription: other\n---\nx\n", ".proem/subagents/c.md": "---\ndescription: new\n---\nx\n"})
	same(t, "changed", lines(read(t, src)), []string{"- a: d", "- b: other", "- c: new"})
}

func TestListBudget(t *testing.T) {
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("a%02d.md", i)] = "---\ndescription: " + strings.Repeat("中文", 200) + "\n---\nx\n"
	}
	f := read(t, subagents.New(project(tree(t, files))))
	if len(f.Text) > subagents.DefaultListMaxBytes || len(lines(f)) != 40 {
		t.Errorf("%d bytes, %d lines", len(f.Text), len(lines(f)))
	}
	same(t, "diagnostics", diags(f), []string{"warning subagent.list_truncated subagents"})
}

func ExampleSource_Find() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	text := "---\ndescription: reviews a change\ninherit: [project]\n---\nYou review.\n"
	if err := os.WriteFile(filepath.Join(dir, "rev.md"), []byte(text), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	src := subagents.New(subagents.Config{Places: []subagents.Place{{Scope: "project", Root: dir, Dir: "."}}})
	d, err := src.Find(context.Background(), "rev")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %s %q %q\n", d.Name, d.Description, d.Inherit, d.Prompt)
	// Output: rev: reviews a change ["project"] "You review.\n"
}
