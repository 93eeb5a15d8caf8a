package proem_test

import (
	"context"
	"fmt"
	"log"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/stage"
)

// An agent is a model and a base prompt. Preview shows what Run would send.
func Example() {
	model := scripted.New(scripted.Script{Turns: []scripted.Turn{{Text: "Good morning!"}}})
	a, err := agent.New(agent.Config{Model: model, ModelName: "demo", System: "You serve tea."})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	p, err := a.Preview(ctx, "s1", agent.Text("Hello"))
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range p.Assembly.Sections {
		fmt.Printf("%s, order %g: %s\n", s.Name, s.Order, s.Text)
	}
	for event, err := range a.Run(ctx, "s1", agent.Text("Hello")) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(event.Delta)
	}
	// Output:
	// base, order 100: You serve tea.
	// Good morning!
}

// The core alone, without an agent: registrations, facts, stages, an assembly.
func Example_compose() {
	reg := registry.New()
	must := func(_ *registry.Registration, err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	must(reg.Global().Variable("shop", "the house by the river"))
	must(reg.Global().Section(prompt.SectionDef{Name: "base", Order: 100,
		Body: prompt.Body{Literal: "You serve tea at {{shop}}.", Template: true}}))
	must(reg.Global().Dynamic(prompt.SectionDef{Name: "menu", Order: 200, Source: "menu"}, source.Text("Braces like {{these}} are left alone.")))

	view := reg.View()
	facts := source.Gather(context.Background(), prompt.Needs(view.Snapshot, nil), view, source.Query{}, 0, nil)
	assembly, err := prompt.Assemble(view.Snapshot, prompt.Input{Facts: facts}, stage.Interpolate(stage.InterpolateConfig{}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(assembly.Text(prompt.System))
	// Output:
	// You serve tea at the house by the river.
	//
	// Braces like {{these}} are left alone.
}
