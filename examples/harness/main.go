// Command harness builds an agent with a base prompt and a workspace: a folder
// with the agent's persona and knowledge, read anew at every step.
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
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
	toolfs "github.com/proemhq/proem/tool/fs"
)

// The workspace is embedded so that the example runs anywhere. A program that
// uses a folder of the disk leaves Env out.
//
//go:embed workspace
var home embed.FS

func main() {
	machine := &env.Env{Files: env.FromFS("/", home)}
	loader, reg := load.New(machine), registry.New()
	for i, name := range []string{"persona.md", "knowledge.md"} {
		if _, err := reg.Global().Dynamic(prompt.SectionDef{
			Name: "workspace:" + name, Order: standard.OrderWorkspace + float64(i), Class: prompt.Session,
			Trust: span.Workspace, Source: "file",
		}, file(loader, "/workspace", name)); err != nil {
			log.Fatal(err)
		}
	}
	a, err := agent.New(agent.Config{
		Model: scripted.New(scripted.Script{}), ModelName: "demo", Registry: reg,
		System: "You serve the guests of a tea house.",
		Tools:  toolfs.Tools(toolfs.Config{Env: machine, Roots: []string{"/workspace"}}),
	})
	if err != nil {
		log.Fatal(err)
	}
	p, err := a.Preview(context.Background(), "s1", agent.Text("Good morning!"))
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range p.Assembly.Sections {
		fmt.Printf("── %s, trust %s\n%s\n", s.Name, s.Trust(), s.Text)
	}
}

// file is the source of a workspace file's text.
func file(l *load.Loader, dir, name string) source.Source {
	return source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
		root, err := l.OpenRoot(dir)
		if err != nil {
			return prompt.Fact{}, err
		}
		defer root.Close()
		f, err := l.Load(root, name, 32<<10)
		if err != nil {
			return prompt.Fact{}, err
		}
		return prompt.Fact{Text: f.Text, Ref: f.Path, Trust: span.Workspace, Diagnostics: f.Diagnostics}, nil
	})
}
