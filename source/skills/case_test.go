package skills_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/span"
)

// TestCase holds the acceptance cases that this source alone decides.
func TestCase(t *testing.T) {
	t.Run("C14", func(t *testing.T) {
		dir := tree(t, map[string]string{
			".proem/skills/bom/SKILL.md": "\xef\xbb\xbf---\nname: bom\ndescription: has a mark\n---\nBody.\n",
			".proem/skills/ok/SKILL.md":  "---\nname: ok\ndescription: fine\n---\nBody.\n",
		})
		set := project(dir)
		f := read(t, set)
		same(t, "lines", lines(f), []string{"- bom: has a mark", "- ok: fine"})
		same(t, "body", body(t, set, "bom"), "Body.\n")
		same(t, "diagnostics", len(f.Diagnostics), 0)
	})
	t.Run("C15", func(t *testing.T) {
		text := "---\nname: a\ndescription: d\n---\nstep\n"
		lf := project(tree(t, map[string]string{".proem/skills/a/SKILL.md": text}))
		crlf := project(tree(t, map[string]string{".proem/skills/a/SKILL.md": strings.ReplaceAll(text, "\n", "\r\n")}))
		same(t, "list", read(t, crlf).Text, read(t, lf).Text)
		same(t, "lines", lines(read(t, crlf)), []string{"- a: d"})
		same(t, "body", body(t, crlf, "a"), "step\n")
	})
	t.Run("C18", func(t *testing.T) {
		set := project(tree(t, map[string]string{".proem/skills/mk/SKILL.md": "---\nname: mk\ndescription: d\n---\nall:\n\tgo build ./...\nkey\tvalue\n"}))
		same(t, "body", body(t, set, "mk"), "all:\n\tgo build ./...\nkey\tvalue\n")
	})
	t.Run("C26", func(t *testing.T) {
		files := map[string]string{}
		for i := range 60 {
			name := fmt.Sprintf("s%02d", i+1)
			files[".proem/skills/"+name+"/SKILL.md"] = "---\nname: " + name + "\ndescription: " + strings.Repeat("word", 100) + "\n---\nb\n"
		}
		dir := tree(t, files)
		f := read(t, project(dir))
		if len(f.Text) > 8000 || len(f.Text) < 7500 {
			t.Errorf("the section has %d bytes", len(f.Text))
		}
		shortest, longest := 1<<20, 0
		for i, l := range lines(f) {
			text, ok := strings.CutPrefix(l, fmt.Sprintf("- s%02d: ", i+1))
			if !ok {
				t.Fatalf("line %q", l)
			}
			n := utf8.RuneCountInString(text)
			shortest, longest = min(shortest, n), max(longest, n)
		}
		if len(lines(f)) != 60 || longest-shortest > 1 {
			t.Errorf("%d lines, %d to %d characters", len(lines(f)), shortest, longest)
		}
		same(t, "again", read(t, project(dir)).Text, f.Text)
		same(t, "diagnostics", diags(dir, f.Diagnostics), []string{"warning skill.list_truncated .proem/skills"})
		if m := f.Diagnostics[0].Message; !strings.Contains(m, "60 of 60") || !strings.Contains(m, "8000") {
			t.Error(m)
		}
	})
	t.Run("C70", func(t *testing.T) {
		dir := tree(t, map[string]string{
			"w/.proem/skills/deploy/SKILL.md":                "---\nname: deploy\ndescription: project one\n---\nP\n",
			"h/.config/proem/skills/deploy/SKILL.md":         "---\nname: deploy\ndescription: user one\n---\nU\n",
			"h/.config/proem/skills/deploy/ref/from-user.md": "x\n",
		})
		set := skills.New(skills.Config{Tiers: []skills.Tier{
			{Scope: "user", Repo: skills.NewFolder(skills.FolderConfig{Root: filepath.Join(dir, "h", ".config", "proem"), Dir: "skills", Trust: span.User})},
			{Scope: "agents", Repo: skills.NewFolder(skills.FolderConfig{Root: filepath.Join(dir, "w"), Dir: ".agents/skills", Trust: span.Project})},
			{Scope: "project", Repo: skills.NewFolder(skills.FolderConfig{Root: filepath.Join(dir, "w"), Dir: ".proem/skills", Trust: span.Workspace})},
		}})
		f := read(t, set)
		same(t, "lines", lines(f), []string{"- deploy: project one"})
		same(t, "trust", f.Trust, span.Workspace)
		same(t, "notes", f.Notes, []prompt.Note{{Name: "skill:deploy@user", Path: filepath.Join(dir, "h", ".config", "proem", "skills", "deploy", "SKILL.md"),
			Stage: skills.Stage, Reason: "shadowed by deploy@project"}})
		same(t, "bodies", []string{body(t, set, "deploy"), body(t, set, "deploy@user"), body(t, set, "deploy@project")}, []string{"P\n", "U\n", "P\n"})
		l, err := set.Load(context.Background(), prompt.Who{}, "deploy@user")
		filetest.Must(t, err)
		same(t, "files", l.Files, []string{"ref/from-user.md"})
		if _, err := set.Load(context.Background(), prompt.Who{}, "deploy@agents"); code(err) != skills.CodeUnknown {
			t.Error(err)
		}
	})
	t.Run("C71", func(t *testing.T) {
		dir := tree(t, map[string]string{
			".proem/skills/bad/SKILL.md":  "---\nname: bad\ndescription: Use when: a, b\n---\nx\n",
			".proem/skills/open/SKILL.md": "---\nname: open\ndescription: d\n",
			".proem/skills/nonl/SKILL.md": "---\nname: nonl\ndescription: d\n---",
			".proem/skills/ok/SKILL.md":   "---\nname: ok\ndescription: d\n---\nx\n",
		})
		set := project(dir)
		f := read(t, set)
		same(t, "lines", lines(f), []string{"- bad: Use when: a, b", "- nonl: d", "- ok: d"})
		same(t, "diagnostics", diags(filepath.Join(dir, ".proem", "skills"), f.Diagnostics), []string{
			"warning skill.lenient bad/SKILL.md:3", "info skill.empty_body nonl/SKILL.md:4", "error skill.invalid open/SKILL.md:1"})
		same(t, "body", body(t, set, "nonl"), "")
	})
	t.Run("C74", func(t *testing.T) {
		set := project(tree(t, map[string]string{
			".gitignore": "node_modules/\n",
			".proem/skills/node_modules/evil/SKILL.md": "---\nname: evil\ndescription: d\n---\nx\n",
			".proem/skills/node_modules/SKILL.md":      "---\nname: evil\ndescription: d\n---\nx\n",
			".proem/skills/ok/SKILL.md":                "---\nname: ok\ndescription: d\n---\nx\n",
		}))
		same(t, "lines", lines(read(t, set)), []string{"- ok: d"})
	})
	t.Run("C89", func(t *testing.T) {
		dir := tree(t, map[string]string{
			"secret.md":                    "OUT\n",
			".proem/skills/a/SKILL.md":     "---\nname: a\ndescription: d\n---\nSee ref/ok.md\n",
			".proem/skills/a/ref/ok.md":    "OK\n",
			".proem/skills/a/.git/config":  "OUT\n",
			".proem/skills/a/ref/deep/x.y": "OK\n",
		})
		link(t, "../../../../secret.md", filepath.Join(dir, ".proem", "skills", "a", "ref", "link.md"))
		link(t, "../../../secret.md", filepath.Join(dir, ".proem", "skills", "evil", "SKILL.md"))
		link(t, "ok.md", filepath.Join(dir, ".proem", "skills", "a", "ref", "inside.md"))
		set := project(dir)
		for _, at := range []struct{ skill, path, text, code string }{
			{"a", "ref/ok.md", "OK\n", ""},
			{"a", "ref/inside.md", "OK\n", ""},
			{"a", "../../secret.md", "", skills.CodeOutside},
			{"a", filepath.Join(dir, "secret.md"), "", skills.CodeOutside},
			{"a", "ref/link.md", "", skills.CodeOutside},
			{"../..", "secret.md", "", skills.CodeOutside},
			{"evil", "SKILL.md", "", skills.CodeUnknown},
			{"a", ".git/config", "", skills.CodeOutside},
			{"a", "ref", "", skills.CodeRefused},
		} {
			res, err := set.Open(context.Background(), prompt.Who{}, at.skill, at.path)
			same(t, at.skill+" "+at.path, []string{res.Text, code(err)}, []string{at.text, at.code})
			if err != nil && strings.Contains(err.Error(), "OUT") {
				t.Error(err)
			}
		}
		f := read(t, set)
		same(t, "lines", lines(f), []string{"- a: d"})
		same(t, "diagnostics", diags(dir, f.Diagnostics), []string{"warning skill.outside_root .proem/skills/evil/SKILL.md"})
		l, err := set.Load(context.Background(), prompt.Who{}, "a")
		filetest.Must(t, err)
		same(t, "files", l.Files, []string{"ref/deep/x.y", "ref/inside.md", "ref/ok.md"})
	})
}

// TestInert: commands and references in a skill are text. The body is what the
// file says, whatever is done with the skill, and nothing is written or started.
func TestInert(t *testing.T) {
	text := "Run !`touch PWNED`, $(touch PWNED), {{x}} and ${y}.\n```!\ntouch PWNED\n```\n@secret.md\n"
	dir := tree(t, map[string]string{".proem/skills/a/SKILL.md": "---\nname: a\ndescription: \"!`touch PWNED` {{x}}\"\n---\n" + text, "secret.md": "OUT\n"})
	counters := &env.Counters{}
	set := skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "p", Repo: skills.NewFolder(skills.FolderConfig{
		Env: &env.Env{Count: counters}, Root: dir, Dir: ".proem/skills", Trust: span.Workspace})}}})
	f := read(t, set)
	same(t, "lines", lines(f), []string{"- a: !`touch PWNED` {{x}}"})
	same(t, "body", body(t, set, "a"), text)
	for _, s := range f.Spans {
		if s.Template {
			t.Errorf("%q is a template", s.Text)
		}
	}
	n := counters.Load()
	same(t, "effects", []int64{n.Processes, n.Writes}, []int64{0, 0})
}
