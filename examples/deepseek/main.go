// Command deepseek brings an agent of DeepSeek Harness over: its options as they are,
// its sections at the orders of its table, a context that is read before every
// request, and a tool that changes what the context says.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"log"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
)

//go:embed options.json
var options []byte

func main() {
	cfg := must(deepseek.LoadConfig(options))
	p := must(deepseek.New(cfg))
	house := p.Registry.Global()
	must(house.Variable("town", "Hangzhou"))
	must(house.Section(prompt.SectionDef{Name: "plan:policy", Order: deepseek.PlanPolicy.Order(), Body: prompt.Body{Literal: "Say what you will do before you do it."}}))

	door := "closed" // what the source reads and the tool changes
	must(house.Dynamic(prompt.SectionDef{Name: "door", Channel: prompt.Context, Order: deepseek.SandboxPolicy.Order()},
		source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
			return prompt.Fact{Text: "The door is " + door + "."}, nil
		})))
	open := must(tool.New("open_door", "Opens the door.", func(context.Context, struct{}) (tool.Result, error) {
		door = "open"
		return tool.Text("done"), nil
	}))

	rules := p.Preset()
	a := must(agent.New(agent.Config{
		Model:     scripted.New(scripted.Script{Turns: []scripted.Turn{{Calls: []scripted.Call{{Tool: "open_door"}}}, {Text: "It is open."}}}),
		ModelName: "demo", Preset: &rules, Registry: p.Registry, Tools: []tool.Tool{open},
	}))
	first := must(a.Preview(context.Background(), "s1", agent.Text("Guests!")))
	fmt.Println(first.Assembly.Text(prompt.System))
	for e, err := range a.Run(context.Background(), "s1", agent.Text("Guests!")) {
		if err != nil {
			log.Fatal(err)
		}
		if m := e.Message; m != nil && m.Role == chat.User && m.Name == "context" {
			fmt.Printf("── before request %d\n%s\n", e.Step, m.Text())
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
