// Command twofields builds an agent from a system prompt and instructions. They travel
// apart; where each one goes, the capability record of the model's host decides.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

func main() {
	for _, host := range [][2]string{{"deepseek", "deepseek-chat"}, {"ollama", "qwen3"}} {
		model := &provider.HTTP{Dialect: openaichat.Dialect, Cap: wire.Lookup(host[0], host[1])}
		a, err := agent.New(agent.Config{Model: model, ModelName: host[1], System: "You serve tea.", Instructions: "Answer in one sentence."})
		if err != nil {
			log.Fatal(err)
		}
		p, err := a.Preview(context.Background(), "s1", agent.Text("Which tea is mild?"))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %v\n", p.Body.JSON, p.Diagnostics)
	}
}
