package skills_test

import (
	"context"
	"path"
	"strings"
	"testing"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/skillstest"
	"github.com/proemhq/proem/span"
)

func TestMemory(t *testing.T) {
	skillstest.Run(t, func(t *testing.T, files map[string]string) skills.Repository {
		all := map[string]map[string]string{}
		for name, text := range files {
			folder, rest, _ := strings.Cut(name, "/")
			if all[folder] == nil {
				all[folder] = map[string]string{}
			}
			all[folder][rest] = text
		}
		m := skills.NewMemory(span.User)
		filetest.Must(t, m.Replace(all))
		return m
	})
}

// TestMemoryChanges: the list follows what the program does, also a change of one
// skill and a skill that another tier has the name of.
func TestMemoryChanges(t *testing.T) {
	m := skills.NewMemory(span.User)
	set := skills.New(skills.Config{Tiers: []skills.Tier{
		{Scope: "workspace", Repo: skills.NewFolder(skills.FolderConfig{Root: tree(t, map[string]string{
			"a/SKILL.md": "---\nname: a\ndescription: of the workspace\n---\nW\n"}), Dir: ".", Trust: span.Workspace})},
		{Scope: "code", Repo: m},
	}})
	same(t, "at first", lines(read(t, set)), []string{"- a: of the workspace"})
	skill := func(name, description string) map[string]string {
		return map[string]string{"SKILL.md": "---\nname: " + name + "\ndescription: " + description + "\n---\n" + description + "\n"}
	}
	filetest.Must(t, m.Put("b", skill("b", "one")))
	same(t, "put", lines(read(t, set)), []string{"- a: of the workspace", "- b: one"})
	filetest.Must(t, m.Put("b", skill("b", "two")))
	filetest.Must(t, m.Put("a", skill("a", "of the code")))
	same(t, "replaced", lines(read(t, set)), []string{"- a: of the code", "- b: two"})
	same(t, "body", body(t, set, "a"), "of the code\n")
	m.Remove("b")
	m.Remove("none")
	same(t, "removed", lines(read(t, set)), []string{"- a: of the code"})
	if _, err := set.Load(context.Background(), prompt.Who{}, "b"); code(err) != skills.CodeUnknown {
		t.Error(err)
	}
	filetest.Must(t, m.Replace(nil))
	same(t, "emptied", lines(read(t, set)), []string{"- a: of the workspace"})
}

func TestMemoryNames(t *testing.T) {
	m := skills.NewMemory(span.User)
	for _, at := range [][2]string{{"", "SKILL.md"}, {"..", "SKILL.md"}, {"a/b", "SKILL.md"}, {`a\b`, "x"}, {".hidden", "x"}, {"a", "../x"}, {"a", "/x"}, {"a", ""}, {"a\n", "x"}} {
		if err := m.Put(at[0], map[string]string{at[1]: "x"}); err == nil {
			t.Errorf("%q is accepted", path.Join(at[:]...))
		}
	}
	if err := m.Put("a", map[string]string{"x": "1", "x/y": "2"}); err == nil {
		t.Error("a file that is a folder is accepted")
	}
	files := map[string]string{"SKILL.md": "---\nname: a\ndescription: d\n---\n"}
	filetest.Must(t, m.Put("a", files))
	files["SKILL.md"] = "" // the caller's own
	l, err := m.List(context.Background(), prompt.Who{})
	filetest.Must(t, err)
	same(t, "skills", len(l.Skills), 1)
}
