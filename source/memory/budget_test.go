package memory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/memory"
)

// entries returns numbered entries of about 40 bytes each.
func entries(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "- entry %04d says something of the time\n", i)
	}
	return b.String()
}

func doc(f prompt.Fact, name string) string {
	for _, d := range f.Docs {
		if d.Name == "workspace:"+name {
			return d.Text
		}
	}
	return ""
}

// TestBudget follows the design's case: memory gives way to what is fixed, keeps
// its newest entries, and is never injected whole over the budget.
func TestBudget(t *testing.T) {
	c := config(tree(t, map[string]string{"AGENTS.md": strings.Repeat("persona rule\n", 92), "MEMORY.md": entries(100)}))
	c.MaxTokens, c.Overhead = 500, -1
	f := read(t, c)
	if got := doc(f, "AGENTS.md"); len(got) != 92*13 {
		t.Errorf("the persona has %d bytes", len(got))
	}
	m := doc(f, "MEMORY.md")
	first, rest, _ := strings.Cut(m, "\n\n")
	if !strings.HasPrefix(first, "[older entries are cut: the last ") || !strings.HasPrefix(rest, "- entry ") || !strings.HasSuffix(m, "- entry 0099 says something of the time\n") {
		t.Errorf("memory: %q", m)
	}
	if n := words(m); n < 150 {
		t.Errorf("memory has only %d tokens", n)
	}
	same(t, "diagnostics", len(f.Diagnostics), 1)
	same(t, "code", f.Diagnostics[0].Code, "workspace.truncated")
	same(t, "note", f.Notes[0].Name, "workspace:MEMORY.md")

	c = config(tree(t, map[string]string{"AGENTS.md": strings.Repeat("persona rule\n", 185), "MEMORY.md": entries(100)}))
	c.MaxTokens, c.Overhead = 500, -1
	f = read(t, c)
	if got := doc(f, "AGENTS.md"); !strings.HasPrefix(got, "persona rule\n") || !strings.Contains(got, "\n[cut here: the first ") || words(got) < 400 {
		t.Errorf("persona: %q", got)
	}
	same(t, "memory", doc(f, "MEMORY.md"), fmt.Sprintf("[left out: this file has %d bytes]", len(entries(100))))
	same(t, "notes", len(f.Notes), 2)
	same(t, "diagnostics", len(f.Diagnostics), 2)
}

// TestEveryBudget tries all budgets: read checks that none is exceeded, and
// nothing is lost silently.
func TestEveryBudget(t *testing.T) {
	files := map[string]string{"AGENTS.md": strings.Repeat("规则：保持简短。\n", 30), "MEMORY.md": entries(30), "SOUL.md": strings.Repeat("long ", 200),
		"knowledge/KNOWLEDGE.md": strings.Repeat("introduction\n", 40)}
	for i := range 50 {
		files[fmt.Sprintf("knowledge/%02d.md", i)] = "x"
		files[fmt.Sprintf("memory/%02d.md", i)] = "x"
	}
	dir := tree(t, files)
	c := config(dir)
	c.ExtraFiles = []string{"SOUL.md"}
	for c.MaxTokens = 1; c.MaxTokens < 1500; c.MaxTokens += 1 + c.MaxTokens/40 {
		c.Overhead = 5
		f := read(t, c)
		for _, name := range []string{"AGENTS.md", "MEMORY.md", "SOUL.md", "knowledge", "memory"} {
			text := doc(f, name)
			cut := text == "" || strings.Contains(text, "[cut here") || strings.Contains(text, "[older") || strings.Contains(text, "left out") || strings.Contains(text, "more")
			said := false
			for _, n := range f.Notes {
				said = said || n.Name == "workspace:"+name
			}
			if cut != said {
				t.Errorf("budget %d: %s: %.80q, note %t", c.MaxTokens, name, text, said)
			}
		}
		if len(f.Notes) != len(f.Diagnostics) {
			t.Errorf("budget %d: %d notes, %d diagnostics", c.MaxTokens, len(f.Notes), len(f.Diagnostics))
		}
	}
	same(t, "docs", len(read(t, c).Docs), 5)
}

func TestLargeMemory(t *testing.T) {
	c := config(tree(t, map[string]string{"MEMORY.md": strings.Repeat("x", 9<<20), "AGENTS.md": strings.Repeat("中", 1<<20)}))
	f := read(t, c)
	if got := doc(f, "MEMORY.md"); !strings.HasPrefix(got, "[left out") {
		t.Errorf("memory: %.80q", got)
	}
	if got := doc(f, "AGENTS.md"); !strings.HasPrefix(got, "中") || !strings.Contains(got, "of 3145728 bytes") || strings.Contains(got, "\ufffd") {
		t.Errorf("persona: %.80q", got)
	}
	same(t, "again", docs(read(t, c)), docs(f))
}

func TestList(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("knowledge/%03d.md", i)] = "x"
		files[fmt.Sprintf("memory/2026-%03d.md", i)] = "x"
	}
	c := config(tree(t, files))
	c.MaxListed = 2
	f := read(t, c)
	same(t, "docs", docs(f), []string{
		"memory: Memory files:\n- … and 298 more before these\n- memory/2026-298.md\n- memory/2026-299.md",
		"knowledge: Knowledge files:\n- knowledge/000.md\n- knowledge/001.md\n- … and 298 more in knowledge/",
	})
	same(t, "notes", []string{f.Notes[0].Reason, f.Notes[1].Reason}, []string{"2 of 300 names are listed", "2 of 300 names are listed"})
	c.MaxListed = 0
	same(t, "default", strings.Count(doc(read(t, c), "knowledge"), "\n- knowledge"), memory.DefaultMaxListed)
}
