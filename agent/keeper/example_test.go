package keeper_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/keeper"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	workspace "github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/tool/memory"
	"github.com/proemhq/proem/tool/memory/store"
)

// remembering returns an agent that remembers below dir, and what to close when
// the program ends.
func remembering(dir string, model, small provider.Model, machine *env.Env) (*agent.Agent, *keeper.Keeper, error) {
	reg := registry.New()
	err := standard.Define(reg.Global(), standard.Texts{
		Base:      standard.Literal{Text: "You help in a workshop."},
		Workspace: workspace.New(workspace.Config{Root: dir, Dir: ".proem", Shown: ".proem/"}),
	})
	if err != nil {
		return nil, nil, err
	}
	s := store.New(store.Config{Env: machine, Root: dir, Dir: ".proem", Shown: ".proem/"})
	k, err := keeper.New(keeper.Config{Env: machine, Store: s, Model: small, ModelName: "small", Gap: time.Minute,
		Report: func(r keeper.Report) { log.Println(r.Act, r.Saved, r.Err) }})
	if err != nil {
		return nil, nil, err
	}
	tools := memory.Tools(s)
	if err := guide(reg.Global(), memory.Guidance{Search: memory.SearchName, Get: memory.GetName, Save: memory.SaveName, Extracts: true}); err != nil {
		return nil, nil, err
	}
	a, err := agent.New(agent.Config{Model: model, ModelName: "large", Registry: reg, Tools: tools, Hooks: []agent.Hook{k}, Env: machine})
	return a, k, err
}

// guide says in the prompt when to look into the memory, and what to save.
func guide(s *registry.Scope, g memory.Guidance) error {
	for _, d := range []prompt.SectionDef{
		{Name: "memory-recall", Order: 850, Body: prompt.Body{Literal: g.Recall()}},
		{Name: "memory-persistence", Order: 851, Body: prompt.Body{Literal: g.Persistence()}},
	} {
		if d.Body.Literal == "" {
			continue
		}
		if _, err := s.Section(d); err != nil {
			return err
		}
	}
	return nil
}

// A turn saves an entry itself; the keeper writes down another behind it.
func Example() {
	dir, err := os.MkdirTemp("", "workshop")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	log.SetOutput(os.Stdout)
	log.SetFlags(0)
	model, small := play("turns:\n- calls: [{tool: memory_save, args: {text: prefers metric units}}]\n- text: Noted.\n"),
		play("turns: [{text: '- the bench is 85 cm high'}]\n")
	machine := &env.Env{Clock: env.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))}
	a, k, err := remembering(dir, model, small, machine)
	if err != nil {
		log.Fatal(err)
	}
	ctx, in := context.Background(), agent.Input{Text: "My bench is 85 cm high. Use metric units.", Who: prompt.Who{User: "ann"}}
	for event, err := range a.Run(ctx, "s1", in) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Kind == session.Result {
			fmt.Print(event.Message.Results()[0].Text.String())
		}
	}
	if err := k.Close(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// saved as MEMORY.md:3
	// extract saved as memory/2026-01-02.md:3 <nil>
}

func play(yaml string) provider.Model {
	s, err := scripted.Parse([]byte(yaml), "script.yaml")
	if err != nil {
		log.Fatal(err)
	}
	return scripted.New(*s)
}
