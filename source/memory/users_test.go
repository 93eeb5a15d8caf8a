package memory_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/memory"
)

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
				filetest.Must(t, err)
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
		filetest.Must(t, err)
		same(t, "names", len(all), n+1)
	}
}
