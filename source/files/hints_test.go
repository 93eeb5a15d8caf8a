package files_test

import (
	"testing"
	"unicode/utf8"

	"github.com/proemhq/proem/source/files"
)

func TestForeign(t *testing.T) {
	content := map[string]string{".git/": "", "CLAUDE.md": "C", ".github/copilot-instructions.md": "G", ".claude/skills/x/SKILL.md": "S"}
	dir := tree(t, content)
	f := read(t, files.Config{Cwd: dir})
	same(t, "docs", docs(f), nil)
	same(t, "diagnostics", diags(dir, f), []string{"info doc.foreign .claude/skills", "info doc.foreign .github/copilot-instructions.md", "info doc.foreign CLAUDE.md"})
	same(t, "message", f.Diagnostics[2].Message, "CLAUDE.md belongs to another tool and is not read; to load it: project.fallbacks: [CLAUDE.md]")
	f = read(t, files.Config{Cwd: dir, Fallbacks: []string{"CLAUDE.md"}})
	same(t, "loaded", docs(f), []string{"project:CLAUDE.md: C"})
	same(t, "diagnostics", diags(dir, f), nil)
	write(t, dir, "AGENTS.md", "A")
	same(t, "with an own file", diags(dir, read(t, files.Config{Cwd: dir})), nil)
}

func TestStubs(t *testing.T) {
	for _, tt := range []struct{ stub, want string }{
		{"AGENTS.md", "REAL"},
		{"docs/../AGENTS.md", "REAL"},
		{"AGENTS.md\n", "AGENTS.md\n"}, // a text with a line end is a text
		{"CLAUDE.md", "CLAUDE.md"},     // itself
		{"none.md", "none.md"},
		{"../out.md", "../out.md"},
		{"docs", "docs"},
		{".git/config", ".git/config"},
	} {
		dir := tree(t, map[string]string{"out.md": "OUT", "w/.git/config": "[core]", "w/docs/": "", "w/AGENTS.md": "REAL", "w/CLAUDE.md": tt.stub})
		f := read(t, files.Config{Cwd: dir + "/w", Names: []string{"CLAUDE.md"}})
		same(t, tt.stub, f.Docs[0].Text, tt.want)
	}
}

func FuzzFile(f *testing.F) {
	f.Add("R\n@a.md\n`@a.md` <!-- x --> ``` @b\n~~~\n", 40, true)
	f.Add("```\n@a.md\n```\n> ~~~\n> @AGENTS.md\n", 1000, false)
	f.Add("@a.md\n@a.md see @b, \r\n\\`<!--", 90, true)
	dir := tree(f, map[string]string{".git/": "", "a.md": "A\n@b\nsee @AGENTS.md\n", "b": "B\r\nB"})
	f.Fuzz(func(t *testing.T, text string, budget int, strip bool) {
		budget = 1 + budget&0xfff
		write(t, dir, "AGENTS.md", text)
		total := 0
		for _, d := range read(t, files.Config{Cwd: dir, MaxBytes: budget, StripComments: strip}).Docs {
			total += len(d.Text)
			if !utf8.ValidString(d.Text) || d.Text == "" {
				t.Errorf("%s is %q", d.Name, d.Text)
			}
		}
		if total > budget {
			t.Errorf("%d bytes of %d", total, budget)
		}
	})
}
