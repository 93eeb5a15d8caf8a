package registry_test

import (
	"context"
	"fmt"
	"log"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
)

func ExampleNew() {
	reg := registry.New()
	check := func(_ any, err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	check(reg.Global().Section(prompt.SectionDef{Name: "base", Order: 100, Body: prompt.Body{Literal: "You write Go."}}))
	agent := reg.Scope("agent-1")
	check(reg.Bind("agent-1", "team"))
	check(reg.Scope("team").Section(prompt.SectionDef{Name: "style", Order: 200, Body: prompt.Body{Literal: "Use tabs."}}))
	check(agent.Dynamic(prompt.SectionDef{Name: "branch", Channel: prompt.Context}, source.Text("On branch main.")))

	view := reg.View()
	agent.Dispose() // the view stays as it is

	lineage := reg.Lineage("agent-1")
	facts := source.Gather(context.Background(), prompt.Needs(view.Snapshot, lineage), view, source.Query{}, 0, nil)
	a, err := prompt.Assemble(view.Snapshot, prompt.Input{Lineage: lineage, Facts: facts})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(lineage, facts.Names())
	fmt.Println(a.Render(prompt.System))
	fmt.Println(a.Render(prompt.Context))
	// Output:
	// [agent-1 team] [agent-1/context/branch]
	// You write Go.
	//
	// Use tabs.
	// On branch main.
}
