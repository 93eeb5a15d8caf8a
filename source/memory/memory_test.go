package memory_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/span"
)

// settled is longer than the loader waits before it trusts a file's times.
const settled = 30 * time.Millisecond

// tree writes files below .proem of a new directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	filetest.Write(t, filepath.Join(dir, ".proem"), files)
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

// words counts four bytes as a token, so that budgets are easy to see.
func words(s string) int { return (len(s) + 3) / 4 }

func config(dir string) memory.Config {
	return memory.Config{Root: dir, Dir: ".proem", Count: words}
}

func readAs(t testing.TB, s *memory.Source, c memory.Config, user string) prompt.Fact {
	t.Helper()
	f, err := s.Read(context.Background(), source.Query{Who: prompt.Who{User: user}})
	filetest.Must(t, err)
	budget, around := c.MaxTokens, c.Overhead
	if budget == 0 {
		budget = memory.DefaultMaxTokens
	}
	if around == 0 {
		around = memory.DefaultOverhead
	}
	total := 0
	for _, d := range f.Docs {
		if d.Spans.String() != d.Text || !utf8.ValidString(d.Text) || d.Text == "" {
			t.Errorf("%s: spans read %q, the text %q", d.Name, d.Spans.String(), d.Text)
		}
		if d.Trust != span.Workspace || d.Class != prompt.Session {
			t.Errorf("%s: %v, %v", d.Name, d.Trust, d.Class)
		}
		total += words(d.Text) + max(around, 0)
	}
	if total > budget {
		t.Errorf("%d tokens of %d", total, budget)
	}
	return f
}

func read(t testing.TB, c memory.Config) prompt.Fact {
	t.Helper()
	return readAs(t, memory.New(c), c, "")
}

// docs returns "name: text" of each document.
func docs(f prompt.Fact) []string {
	var out []string
	for _, d := range f.Docs {
		out = append(out, strings.TrimPrefix(d.Name, "workspace:")+": "+d.Text)
	}
	return out
}

// diags returns "severity code path" of each diagnostic.
func diags(dir string, f prompt.Fact) []string {
	var out []string
	for _, d := range f.Diagnostics {
		d.Message, d.Line, d.Column = "", 0, 0
		if rel, err := filepath.Rel(dir, d.Path); err == nil {
			d.Path = filepath.ToSlash(rel)
		}
		out = append(out, strings.TrimSuffix(d.String(), ": "))
	}
	return out
}

func TestDocs(t *testing.T) {
	dir := tree(t, map[string]string{
		"AGENTS.md":              "\xef\xbb\xbfBe brief.\r\n",
		"MEMORY.md":              "- likes tabs\n",
		"memory/2026-01-01.md":   "x\n",
		"memory/2026-01-02.md":   "x\n",
		"knowledge/KNOWLEDGE.md": "Look here first.\n",
		"knowledge/b.md":         "x",
		"knowledge/a/c.md":       "x",
		"knowledge/.hidden":      "x",
		"docs/SOUL.md":           "Soul.\n",
	})
	c := config(dir)
	c.ExtraFiles = []string{"docs/SOUL.md", "./docs/SOUL.md", "none.md", "../x.md", "AGENTS.md"}
	f := read(t, c)
	same(t, "docs", docs(f), []string{
		"AGENTS.md: Be brief.\n",
		"MEMORY.md: - likes tabs\n",
		"memory: Memory files:\n- memory/2026-01-01.md\n- memory/2026-01-02.md",
		"knowledge: Look here first.\n\nKnowledge files:\n- knowledge/a/c.md\n- knowledge/b.md",
		"docs/SOUL.md: Soul.\n",
	})
	same(t, "diagnostics", diags(filepath.Join(dir, ".proem"), f), []string{"error doc.outside_root ../x.md", "info doc.missing none.md"})
	same(t, "offset", f.Docs[0].Spans[0].Off, int32(3))
	same(t, "path", f.Docs[3].Path, filepath.Join(dir, ".proem", "knowledge", "KNOWLEDGE.md"))
	held, err := memory.New(c).Held()
	filetest.Must(t, err)
	same(t, "held", len(held), 4)
}

func TestAbsent(t *testing.T) {
	same(t, "no workspace", read(t, config(t.TempDir())).None, true)
	c := config(filepath.Join(t.TempDir(), "none"))
	same(t, "no root", read(t, c).None, true)
	f := read(t, config(tree(t, map[string]string{"AGENTS.md": " \n\t\n", "MEMORY.md": ""})))
	same(t, "blank", f.None, true)
	same(t, "diagnostics", len(f.Diagnostics), 2)
	for _, c := range []memory.Config{{Root: "relative"}, {Root: "/w", Dir: "../x"}, {Root: "/w", MaxListed: -1}} {
		if _, err := memory.New(c).Read(context.Background(), source.Query{}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

func TestConfined(t *testing.T) {
	dir := tree(t, map[string]string{"knowledge/x.md": "x"})
	filetest.Write(t, dir, map[string]string{"secret": "TOPSECRET\n"})
	w := filepath.Join(dir, ".proem")
	for _, name := range []string{"AGENTS.md", "MEMORY.md", "EXTRA.md"} {
		link(t, "../secret", filepath.Join(w, name))
	}
	link(t, "../../secret", filepath.Join(w, "knowledge", "KNOWLEDGE.md"))
	f := read(t, memory.Config{Root: w, Dir: ".", ExtraFiles: []string{"EXTRA.md"}, Count: words})
	if s := fmt.Sprint(f); strings.Contains(s, "TOPSECRET") {
		t.Error(s)
	}
	same(t, "diagnostics", diags(w, f), []string{"error doc.outside_root AGENTS.md", "error doc.outside_root MEMORY.md",
		"error doc.outside_root knowledge/KNOWLEDGE.md", "error doc.outside_root EXTRA.md"})
}

func TestUnchangedCostsStats(t *testing.T) {
	dir := tree(t, map[string]string{"AGENTS.md": "A\n", "MEMORY.md": "M\n", "knowledge/a/x.md": "x", "knowledge/b/y.md": "y", "u1/MEMORY.md": "U\n"})
	time.Sleep(settled)
	counters := &env.Counters{}
	c := config(dir)
	c.Env = &env.Env{Count: counters}
	src := memory.New(c)
	first := readAs(t, src, c, "u1")
	before := counters.Load()
	again := readAs(t, src, c, "u1")
	// The workspace, three files of which two are looked for twice, and seven
	// folders of which four are not there.
	same(t, "cost", counters.Load().Sub(before), env.Counts{Opens: 1, Stats: 12})
	if &first.Docs[0] != &again.Docs[0] {
		t.Error("the documents were made again")
	}
	filetest.Write(t, dir, map[string]string{".proem/knowledge/b/z.md": "z", ".proem/u1/MEMORY.md": "changed\n"})
	same(t, "changed", docs(readAs(t, src, c, "u1")), []string{"AGENTS.md: A\n", "MEMORY.md: changed\n",
		"knowledge: Knowledge files:\n- knowledge/a/x.md\n- knowledge/b/y.md\n- knowledge/b/z.md"})
}
