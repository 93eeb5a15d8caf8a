// Command first is the smallest program: one agent, its prompt, one answer.
//
//	go run ./examples/first
//	OPENAI_BASE_URL=http://127.0.0.1:11434/v1 MODEL=qwen3 go run ./examples/first
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/wire/openaichat"
)

func main() {
	var model provider.Model = scripted.New(scripted.Script{Turns: []scripted.Turn{{Text: "Four minutes.\n"}}})
	if url := os.Getenv("OPENAI_BASE_URL"); url != "" {
		model = &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: url, Key: os.Getenv("OPENAI_API_KEY")}
	}
	a, err := agent.New(agent.Config{Model: model, ModelName: cmp.Or(os.Getenv("MODEL"), "demo"), System: "You serve tea."})
	if err != nil {
		log.Fatal(err)
	}
	ctx, question := context.Background(), agent.Text("How long does white tea draw?")
	preview, err := a.Preview(ctx, "s1", question) // sends nothing
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", preview.Body.JSON) // the bytes that Run sends
	for event, err := range a.Run(ctx, "s1", question) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(event.Delta)
	}
}
