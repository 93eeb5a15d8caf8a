// Command agentscope builds a harness agent: a base prompt that passes a chain of
// transformers, and a workspace with persona, knowledge and skills.
package main

import (
	"context"
	"embed"
	"fmt"
	"log"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/preset/agentscope"
	"github.com/proemhq/proem/preset/agentscope/toolset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/span"
)

// The workspace is embedded so that the example runs anywhere. A program that
// uses a folder of the disk leaves Env out.
//
//go:embed workspace
var files embed.FS

// polite is a transformer of the host.
func polite(_ prompt.Input, text string) (string, error) { return text + "\n\nGreet every guest.", nil }

func main() {
	machine, reg := &env.Env{Files: env.FromFS("/", files)}, registry.New()
	set := skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "workspace", Repo: skills.NewFS(files, "workspace/skills", "/skills", span.Workspace)}}})
	err := agentscope.Define(reg.Global(), agentscope.Parts{
		Session: &agentscope.Session{Name: "Tea house", NoDate: true, Workspace: "/workspace"},
		Home:    agentscope.NewHome(memory.Config{Env: machine, Root: "/", Dir: "workspace"}, nil),
		Skills:  set,
	})
	if err != nil {
		log.Fatal(err)
	}
	p := agentscope.New(agentscope.Config{
		Transformers: []agentscope.Transformer{{Name: "polite", Text: polite}},
		Place:        agentscope.Place{Project: "/", Workspace: "/workspace"},
	})
	tools := append(toolset.Files(toolset.Config{Env: machine, Project: "/", Workspace: "/workspace"}), toolset.LoadSkill(set))
	a, err := agent.New(agent.Config{Model: scripted.New(scripted.Script{}), ModelName: "demo", Registry: reg, Preset: &p, Tools: tools,
		System: "You serve the guests of a tea house."})
	if err != nil {
		log.Fatal(err)
	}
	v, err := a.Preview(context.Background(), "s1", agent.Text("Good morning!"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v.Assembly.Text(prompt.System))
}
