package skills_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/gitrepo"
	"github.com/proemhq/proem/source/skills/httprepo"
	"github.com/proemhq/proem/source/skills/sqlrepo"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/skill"
)

// tiers lays the skills of several places over each other: those of the machine,
// of three repositories, of the project, of the user who asks, and of the program.
func tiers(machine, project, server string, db *sql.DB, code *skills.Memory) *skills.Set {
	return skills.New(skills.Config{Tool: "load_skill", Tiers: []skills.Tier{ // a later one has the name
		{Scope: "machine", Repo: skills.NewFolder(skills.FolderConfig{Root: machine, Dir: "skills", Trust: span.User})},
		{Scope: "git", Repo: gitrepo.New(gitrepo.Config{Repo: filepath.Join(machine, "skills.git"), Ref: "main", Every: time.Minute, Trust: span.Project})},
		{Scope: "table", Repo: sqlrepo.New(sqlrepo.Config{DB: db, Dollar: true, Every: time.Minute, Trust: span.Project})},
		{Scope: "index", Repo: httprepo.New(httprepo.Config{URL: server + "/index.json", Every: 5 * time.Minute, Trust: span.Project})},
		{Scope: "project", Repo: skills.NewFolder(skills.FolderConfig{Root: project, Dir: ".proem/skills", Trust: span.Workspace})},
		{Scope: "own", Repo: skills.NewFolder(skills.FolderConfig{Root: project, Dir: ".proem", PerUser: "skills", Trust: span.Workspace})},
		{Scope: "code", Repo: code},
	}})
}

// TestTiers: of one name the highest tier has it, for each user, and tiers that
// cannot be read are told of and hide no other.
func TestTiers(t *testing.T) {
	text := func(name, from string) string {
		return "---\nname: " + name + "\ndescription: " + from + "\n---\n" + from + "\n"
	}
	dir := tree(t, map[string]string{
		"m/skills/a/SKILL.md":          text("a", "machine"),
		"m/skills/b/SKILL.md":          text("b", "machine"),
		"m/skills/c/SKILL.md":          text("c", "machine"),
		"m/skills/d/SKILL.md":          text("d", "machine"),
		"p/.proem/skills/b/SKILL.md":   text("b", "project"),
		"p/.proem/skills/c/SKILL.md":   text("c", "project"),
		"p/.proem/u/skills/c/SKILL.md": text("c", "own"),
	})
	code := skills.NewMemory(span.User)
	filetest.Must(t, code.Put("d", map[string]string{"SKILL.md": text("d", "code")}))
	set := tiers(filepath.Join(dir, "m"), filepath.Join(dir, "p"), "http://127.0.0.1:1", nil, code)
	for user, want := range map[string]string{"u": "a:machine b:project c:own d:code", "": "a:machine b:project c:project d:code"} {
		c, err := set.Catalog(context.Background(), prompt.Who{User: user})
		filetest.Must(t, err)
		var got, failed []string
		for _, e := range c.Entries {
			if e.ShadowedBy == "" {
				got = append(got, e.Name+":"+e.Scope)
			}
		}
		same(t, "user "+user, strings.Join(got, " "), want)
		for _, d := range c.Diagnostics {
			same(t, "code", d.Code, "skill.repository")
			failed = append(failed, strings.Fields(d.Message)[4])
		}
		same(t, "failed", failed, []string{"index", "table", "git"})
	}
}

// learn is a tool that puts a skill into the program's repository.
type learn struct{ code *skills.Memory }

func (learn) Spec() chat.ToolSpec { return chat.ToolSpec{Name: "learn"} }

func (l learn) Call(context.Context, json.RawMessage) (tool.Result, error) {
	err := l.code.Put("fresh", map[string]string{skills.Manifest: "---\nname: fresh\ndescription: learnt just now\n---\nFRESH BODY\n"})
	return tool.Text("learnt"), err
}

// TestDynamic: a skill that comes in a step is told in the next one, behind the
// conversation, and can be loaded; one that goes is told to be gone.
func TestDynamic(t *testing.T) {
	code := skills.NewMemory(span.User)
	set := skills.New(skills.Config{Tool: skill.Name, Tiers: []skills.Tier{{Scope: "code", Repo: code}}})
	s, err := scripted.Parse([]byte(`turns:
- expect: {system_excludes: "fresh"}
  calls: [{tool: learn}]
- expect: {body_contains: "- fresh: learnt just now", system_excludes: "fresh"}
  calls: [{tool: load_skill, args: {name: fresh}}]
- expect: {result_contains: "FRESH BODY"}
  text: done
- expect: {system_excludes: "fresh", user_contains: "does not hold any more"}
  text: done
`), "script.yaml")
	filetest.Must(t, err)
	reg := registry.New()
	filetest.Must(t, standard.Define(reg.Global(), standard.Texts{Skills: set}))
	a, err := agent.New(agent.Config{Model: scripted.New(*s), ModelName: "m", Registry: reg, Env: &env.Env{Clock: env.NewFakeClock(time.Unix(1e9, 0))},
		Tools: []tool.Tool{learn{code}, skill.Load(set)}})
	filetest.Must(t, err)
	for range 2 {
		for _, err := range a.Run(t.Context(), "s", agent.Text("go")) {
			filetest.Must(t, err)
		}
		code.Remove("fresh")
	}
}
