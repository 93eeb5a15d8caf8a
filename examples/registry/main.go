// Command registry composes a prompt from a registry of sections, contexts,
// tools and variables, the model of the preset deepseek.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/source"
)

func main() {
	p, err := deepseek.New(deepseek.Config{PersonaPrefix: "You serve tea at {{shop}}."})
	if err != nil {
		log.Fatal(err)
	}
	must := func(_ any, err error) {
		if err != nil {
			log.Fatal(err)
		}
	}
	must(p.Registry.Global().Variable("shop", "the house by the river"))
	guest := p.Registry.Scope("guest") // sees the global layer and its own
	must(guest.Section(prompt.SectionDef{Name: "tool:read", Order: deepseek.Read.Order(), Body: prompt.Body{Literal: "Read the menu before you name a price."}}))
	must(guest.Dynamic(prompt.SectionDef{Name: "opening", Channel: prompt.Context, Class: prompt.Turn}, source.Text("The house closes at 22:00.")))
	must(guest.Tools(prompt.ToolDef{Specs: []chat.ToolSpec{{Name: "read_menu", Description: "Returns the menu."}}}))

	rules := p.Preset()
	a, err := agent.New(agent.Config{Model: scripted.New(scripted.Script{}), ModelName: "demo", Registry: p.Registry, Scope: "guest", Preset: &rules})
	if err != nil {
		log.Fatal(err)
	}
	v, err := a.Preview(context.Background(), "s1", agent.Text("Is there white tea?"))
	if err != nil {
		log.Fatal(err)
	}
	for ch := range prompt.Channels {
		fmt.Printf("── %s\n%s\n", ch, v.Assembly.Text(ch))
	}
	fmt.Printf("── tools\n%s\n", v.Assembly.Tools[0].Name)
}
