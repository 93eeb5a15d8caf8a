// Command harness builds an agent from a base prompt and a workspace, the folder with
// its persona and knowledge, which is embedded here and may as well lie on the disk.
package main

import (
	"context"
	"embed"
	"fmt"
	"log"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source/memory"
)

//go:embed workspace
var files embed.FS

func main() {
	reg, home := registry.New(), memory.New(memory.Config{Env: &env.Env{Files: env.FromFS("/", files)}, Root: "/", Dir: "workspace"})
	if err := standard.Define(reg.Global(), standard.Texts{Workspace: home}); err != nil {
		log.Fatal(err)
	}
	a, err := agent.New(agent.Config{Model: scripted.New(scripted.Script{}), ModelName: "demo", System: "You serve the guests of a tea house.", Registry: reg})
	if err != nil {
		log.Fatal(err)
	}
	p, err := a.Preview(context.Background(), "s1", agent.Text("Good morning!"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Assembly.Text(prompt.System))
}
