package skills_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/span"
)

func TestPerUser(t *testing.T) {
	skill := func(d string) string { return "---\nname: a\ndescription: " + d + "\n---\n" + d + "\n" }
	dir := tree(t, map[string]string{
		".proem/skills/a/SKILL.md":    skill("shared"),
		".proem/u1/skills/a/SKILL.md": skill("one"),
		".proem/u2/MEMORY.md":         "x",
	})
	link(t, "u1", filepath.Join(dir, ".proem", "u3"))
	loader := load.New(nil)
	set := skills.New(skills.Config{Tiers: []skills.Tier{
		{Scope: "project", Repo: skills.NewFolder(skills.FolderConfig{Loader: loader, Root: dir, Dir: ".proem/skills", Trust: span.Workspace})},
		{Scope: "own", Repo: skills.NewFolder(skills.FolderConfig{Loader: loader, Root: dir, Dir: ".proem", PerUser: "skills", Trust: span.Workspace})},
	}})
	for user, want := range map[string]string{"u1": "one", "u2": "shared", "u3": "shared", "": "shared", "U1": "shared"} {
		l, err := set.Load(context.Background(), prompt.Who{User: user}, "a")
		filetest.Must(t, err)
		same(t, user, l.Body.String(), want+"\n")
	}
	for _, who := range []prompt.Who{{User: "../u1"}, {User: "skills"}, {User: "u1", Tenant: "t"}} {
		c, err := set.Catalog(context.Background(), who)
		filetest.Must(t, err)
		same(t, "entries", len(c.Entries), 1)
		same(t, "diagnostics", c.Diagnostics[0].Code, "skill.repository")
	}
}

func TestLinkedFolders(t *testing.T) {
	dir := tree(t, map[string]string{
		"w/shared/a/SKILL.md": "---\nname: a\ndescription: d\n---\nx\n",
		"w/shared/a/ref.md":   "REF\n",
		"out/b/SKILL.md":      "---\nname: b\ndescription: d\n---\nOUT\n",
	})
	w := filepath.Join(dir, "w")
	link(t, "../../shared/a", filepath.Join(w, ".proem", "skills", "a"))
	link(t, "../../../out/b", filepath.Join(w, ".proem", "skills", "b"))
	link(t, "nothing", filepath.Join(w, ".proem", "skills", "c"))
	link(t, "../../shared/a/ref.md", filepath.Join(w, ".proem", "skills", "d"))
	set := project(w)
	f := read(t, set)
	same(t, "lines", lines(f), []string{"- a: d"})
	same(t, "diagnostics", diags(filepath.Join(w, ".proem", "skills"), f.Diagnostics), []string{"warning skill.outside_root b/SKILL.md", "info doc.broken_link c"})
	res, err := set.Open(context.Background(), prompt.Who{}, "a", "ref.md")
	filetest.Must(t, err)
	same(t, "resource", res.Text, "REF\n")

	link(t, filepath.Join(w, "shared"), filepath.Join(w, "abs", "skills"))
	abs := skills.NewFolder(skills.FolderConfig{Root: w, Dir: "abs/skills"})
	l, err := abs.List(context.Background(), prompt.Who{})
	filetest.Must(t, err)
	same(t, "absolute link", len(l.Skills), 1)

	link(t, "../out", filepath.Join(w, "outlink"))
	bad := skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "p", Repo: skills.NewFolder(skills.FolderConfig{Root: w, Dir: "outlink"})}}})
	f = read(t, bad)
	same(t, "root link", []any{f.None, f.Diagnostics[0].Code}, []any{true, "skill.repository"})
}
