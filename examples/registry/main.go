// Command registry composes a prompt from a registry of sections, contexts, tools and
// variables in layers, the model of the preset deepseek.
package main

import (
	"fmt"
	"log"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/prompt"
)

func main() {
	p := must(deepseek.New(deepseek.Config{PersonaPrefix: "You serve tea at {{shop}}."}))
	must(p.Registry.Global().Variable("shop", "the house by the river"))
	guest := p.Registry.Scope("guest") // sees the global layer and its own
	must(guest.Section(prompt.SectionDef{Name: "tool:menu", Order: deepseek.Read.Order(), Body: prompt.Body{Literal: "Read the menu before you name a price."}}))
	must(guest.Section(prompt.SectionDef{Name: "hours", Channel: prompt.Context, Body: prompt.Body{Literal: "{{shop}} closes at 22:00."}}))
	must(guest.Tools(prompt.ToolDef{Specs: []chat.ToolSpec{{Name: "read_menu", Description: "Returns the menu."}}}))
	a := must(p.Assemble("guest", nil))
	fmt.Printf("%s\n\n%s\n\n%s\n", must(deepseek.RenderPrompt(a)), must(deepseek.RenderContextSnapshot(a)), a.Tools[0].Name)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
