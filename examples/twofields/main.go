// Command twofields builds an agent from a system prompt and instructions. The
// two travel apart: where each one goes is decided by the capability record of
// the model's host, not by the agent.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

func main() {
	hosts := []struct{ name, provider, model string }{
		{"two system messages", "deepseek", "deepseek-chat"},
		{"one system message", "ollama", "qwen3"},
	}
	for _, h := range hosts {
		a, err := agent.New(agent.Config{
			Model:        &provider.HTTP{Dialect: openaichat.Dialect, Cap: wire.Lookup(h.provider, h.model)},
			ModelName:    h.model,
			System:       "You serve tea.",
			Instructions: "Answer in one sentence.",
		})
		if err != nil {
			log.Fatal(err)
		}
		p, err := a.Preview(context.Background(), "s1", agent.Text("Which tea is mild?"))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("# %s\n", h.name)
		for _, ch := range []prompt.Channel{prompt.System, prompt.Instructions} {
			fmt.Printf("%s: %s\n", ch, p.Assembly.Text(ch))
		}
		fmt.Printf("%s\n", p.Body.JSON)
		for _, d := range p.Diagnostics {
			fmt.Println(d)
		}
	}
}
