package memory_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/span"
)

// settled is longer than the loader waits before it trusts a file's times.
const settled = 30 * time.Millisecond

func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, s := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(p), 0o777))
		must(t, os.WriteFile(p, []byte(s), 0o666))
	}
}

// tree writes files below .proem of a new directory.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, ".proem"), files)
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

func link(t testing.TB, to, at string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(at), 0o777))
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
	must(t, err)
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
	must(t, err)
	same(t, "held", len(held), 4)
}

func TestAbsent(t *testing.T) {
	same(t, "no workspace", read(t, config(t.TempDir())).None, true)
	c := config(filepath.Join(t.TempDir(), "none"))
	same(t, "no root", read(t, c).None, true)
	f := read(t, config(tree(t, map[string]string{"AGENTS.md": " \n\t\n", "MEMORY.md": ""})))
	same(t, "blank", f.None, true)
	same(t, "diagnostics", len(f.Diagnostics), 2)
	for _, c := range []memory.Config{{Root: "relative"}, {Root: "/w", Dir: "../x"}, {Root: "/w", MaxTokens: -1}} {
		if _, err := memory.New(c).Read(context.Background(), source.Query{}); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

func TestUsers(t *testing.T) {
	dir := tree(t, map[string]string{
		"AGENTS.md":                 "shared persona\n",
		"MEMORY.md":                 "shared memory\n",
		"knowledge/a.md":            "shared a\n",
		"knowledge/b.md":            "shared b\n",
		"u1/MEMORY.md":              "memory of one\n",
		"u1/knowledge/a.md":         "a of one\n",
		"u1/knowledge/c.md":         "c of one\n",
		"u2/MEMORY.md":              "memory of two\n",
		"u2/AGENTS.md":              "persona of two\n",
		"u3/MEMORY.md":              " \n",
		"u4/AGENTS.md":              "",
		"u4/knowledge/KNOWLEDGE.md": "intro of four\n",
	})
	link(t, "../u2/MEMORY.md", filepath.Join(dir, ".proem", "u4", "MEMORY.md"))
	link(t, "u2", filepath.Join(dir, ".proem", "u5"))
	link(t, "../u2/AGENTS.md", filepath.Join(dir, ".proem", "knowledge", "link.md"))
	c := config(dir)
	src := memory.New(c)
	list := "knowledge: Knowledge files:\n- knowledge/a.md\n- knowledge/b.md"
	for user, want := range map[string][]string{
		"":   {"AGENTS.md: shared persona\n", "MEMORY.md: shared memory\n", list},
		"u1": {"AGENTS.md: shared persona\n", "MEMORY.md: memory of one\n", list + "\n- knowledge/c.md"},
		"u2": {"AGENTS.md: persona of two\n", "MEMORY.md: memory of two\n", list},
		"u3": {"AGENTS.md: shared persona\n", "MEMORY.md: shared memory\n", list},
		"u4": {"AGENTS.md: shared persona\n", "MEMORY.md: shared memory\n", "knowledge: intro of four\n" + strings.TrimPrefix(list, "knowledge:")},
		"u5": {"AGENTS.md: shared persona\n", "MEMORY.md: shared memory\n", list},
		"U1": {"AGENTS.md: shared persona\n", "MEMORY.md: shared memory\n", list},
		"u9": {"AGENTS.md: shared persona\n", "MEMORY.md: shared memory\n", list},
	} {
		if user == "u4" {
			want[2] = "knowledge: intro of four\n\nKnowledge files:\n- knowledge/a.md\n- knowledge/b.md"
		}
		f := readAs(t, src, c, user)
		same(t, "docs of "+user, docs(f), want)
		if user == "u4" {
			same(t, "diagnostics", diags(filepath.Join(dir, ".proem"), f), []string{"info doc.blank u4/AGENTS.md", "error doc.outside_root u4/MEMORY.md"})
		}
	}
	for _, who := range []prompt.Who{{User: "../u1"}, {User: "knowledge"}, {User: "a b"}, {User: strings.Repeat("x", 65)}, {User: "u1", Tenant: "t"}} {
		if f, err := src.Read(context.Background(), source.Query{Who: who}); err == nil || f.Docs != nil {
			t.Errorf("%+v reads %v", who, docs(f))
		}
	}
}

// TestUsersConcurrently: neither user sees a byte of the other.
func TestUsersConcurrently(t *testing.T) {
	dir := tree(t, map[string]string{"u1/MEMORY.md": "ONE\n", "u2/MEMORY.md": "TWO\n", "AGENTS.md": "A\n"})
	src := memory.New(config(dir))
	var wg sync.WaitGroup
	for user, other := range map[string]string{"u1": "TWO", "u2": "ONE"} {
		wg.Go(func() {
			for range 100 {
				f, err := src.Read(context.Background(), source.Query{Who: prompt.Who{User: user}})
				if err != nil || len(f.Docs) != 2 || strings.Contains(strings.Join(docs(f), ""), other) {
					t.Errorf("%s reads %q, %v", user, docs(f), err)
				}
			}
		})
	}
	wg.Wait()
}

func TestResolve(t *testing.T) {
	dir := tree(t, map[string]string{
		"agent.yaml":           "secret\n",
		"MEMORY.md":            "m\n",
		"SOUL.md":              "s\n",
		"knowledge/a.md":       "shared\n",
		"knowledge/deep/b.bin": "\x00",
		"u1/knowledge/a.md":    "own\n",
		"u1/MEMORY.md":         "\n",
		"u2/MEMORY.md":         "two\n",
		"u2/knowledge/z.md":    "z\n",
		"memory/n.md":          "n\n",
	})
	link(t, "../../secret", filepath.Join(dir, ".proem", "knowledge", "out.md"))
	link(t, "../u2/MEMORY.md", filepath.Join(dir, ".proem", "knowledge", "two.md"))
	link(t, "deep/b.bin", filepath.Join(dir, ".proem", "knowledge", "in.bin"))
	c := config(dir)
	c.ExtraFiles = []string{"SOUL.md"}
	src := memory.New(c)
	for _, tt := range []struct{ user, name, want string }{
		{"u1", "knowledge/a.md", "u1/knowledge/a.md own"},
		{"u2", "knowledge/a.md", "knowledge/a.md"},
		{"", "knowledge/a.md", "knowledge/a.md"},
		{"u1", "knowledge/deep/../deep/b.bin", "knowledge/deep/b.bin"},
		{"u1", "knowledge/in.bin", "knowledge/deep/b.bin"},
		{"u1", "MEMORY.md", "MEMORY.md"},
		{"u1", "SOUL.md", "SOUL.md"},
		{"u1", "memory/n.md", "memory/n.md"},
		{"u1", "knowledge/z.md", "missing"},
		{"u1", "knowledge/two.md", "outside"},
		{"u1", "knowledge/deep", "error"},
		{"", "u2/MEMORY.md", "outside"},
		{"u1", "u2/MEMORY.md", "outside"},
		{"u1", "knowledge/../u2/MEMORY.md", "outside"},
		{"u1", "../.proem/u2/MEMORY.md", "outside"},
		{"u1", "agent.yaml", "outside"},
		{"u1", "/etc/passwd", "outside"},
		{"u1", `knowledge\a.md`, "outside"},
		{"u1", "knowledge", "outside"},
		{"u1", "AGENTS.md", "missing"},
		{"u1", "", "outside"},
		{"../u2", "MEMORY.md", "error"},
	} {
		p, err := src.Resolve(context.Background(), prompt.Who{User: tt.user}, tt.name)
		got := strings.TrimPrefix(p.Name, ".proem/")
		switch {
		case errors.Is(err, memory.ErrOutside):
			got = "outside"
		case errors.Is(err, fs.ErrNotExist):
			got = "missing"
		case err != nil:
			got = "error"
		case p.Own:
			got += " own"
		}
		same(t, tt.user+" "+tt.name, got, tt.want)
	}
}

// TestListedIsReadable: whatever a prompt lists, for whoever, can be opened.
func TestListedIsReadable(t *testing.T) {
	files := map[string]string{"knowledge/KNOWLEDGE.md": "intro\n", "u1/knowledge/own.md": "x", "memory/a.md": "x", "u1/memory/b.md": "x"}
	for i := range 30 {
		files[fmt.Sprintf("knowledge/d%d/f%d.md", i%3, i)] = "x"
	}
	files["knowledge/evil\n- name.md"] = "x"
	dir := tree(t, files)
	link(t, "d0/f0.md", filepath.Join(dir, ".proem", "knowledge", "link.md"))
	link(t, "../../out", filepath.Join(dir, ".proem", "knowledge", "out.md"))
	link(t, "nothing", filepath.Join(dir, ".proem", "knowledge", "broken.md"))
	c := config(dir)
	src := memory.New(c)
	for _, user := range []string{"", "u1"} {
		f := readAs(t, src, c, user)
		n := 0
		for _, d := range f.Docs {
			for line := range strings.SplitSeq(d.Text, "\n") {
				name, ok := strings.CutPrefix(line, "- ")
				if !ok {
					continue
				}
				n++
				p, err := src.Resolve(context.Background(), prompt.Who{User: user}, name)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				root, err := load.New(nil).OpenRoot(p.Root)
				must(t, err)
				if _, err := root.Open(p.Name); err != nil {
					t.Error(err)
				}
				root.Close()
			}
		}
		if want := map[string]int{"": 32, "u1": 34}[user]; n != want {
			t.Errorf("%q: %d names, want %d", user, n, want)
		}
		if !strings.Contains(strings.Join(diags(dir, f), " "), "workspace.name") {
			t.Errorf("nothing is said of the odd name: %v", f.Diagnostics)
		}
		all, err := src.Names(context.Background(), prompt.Who{User: user})
		must(t, err)
		same(t, "names", len(all), n+1)
	}
}

func TestConfined(t *testing.T) {
	dir := tree(t, map[string]string{"knowledge/x.md": "x"})
	write(t, dir, map[string]string{"secret": "TOPSECRET\n"})
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
	write(t, dir, map[string]string{".proem/knowledge/b/z.md": "z", ".proem/u1/MEMORY.md": "changed\n"})
	same(t, "changed", docs(readAs(t, src, c, "u1")), []string{"AGENTS.md: A\n", "MEMORY.md: changed\n",
		"knowledge: Knowledge files:\n- knowledge/a/x.md\n- knowledge/b/y.md\n- knowledge/b/z.md"})
}
