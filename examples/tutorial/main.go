// Command tutorial is the agent of docs/first-agent.md: it serves the guests of a
// tea house.
//
//	cd examples/tutorial && go run . 'Do you have white tea?'
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire/openaichat"
)

// base is the base prompt: who the agent is.
const base = "You serve the guests of a tea house. Look into the stock before you promise a tea."

// newAgent returns an agent whose instruction file lies in dir.
func newAgent(model provider.Model, dir string, machine *env.Env) (*agent.Agent, error) {
	reg := registry.New()
	if err := addRules(reg, dir, machine); err != nil {
		return nil, err
	}
	if err := addOpening(reg, machine); err != nil {
		return nil, err
	}
	return agent.New(agent.Config{
		Model:     model,
		ModelName: cmp.Or(os.Getenv("MODEL"), "qwen3"),
		System:    base,
		Registry:  reg,
		Tools:     []tool.Tool{stock{"longjing": 3, "white tea": 0}},
		Env:       machine,
	})
}

func main() {
	dir, err := filepath.Abs("testdata/shop")
	if err != nil {
		log.Fatal(err)
	}
	url := cmp.Or(os.Getenv("OPENAI_BASE_URL"), "http://127.0.0.1:11434/v1")
	a, err := newAgent(&provider.HTTP{Dialect: openaichat.Dialect, BaseURL: url, Key: os.Getenv("OPENAI_API_KEY")}, dir, env.System())
	if err != nil {
		log.Fatal(err)
	}
	ctx, question := context.Background(), agent.Text(strings.Join(os.Args[1:], " "))
	if question.Text == "" { // no question: show what would be sent
		if err := show(ctx, a); err != nil {
			log.Fatal(err)
		}
		return
	}
	for event, err := range a.Run(ctx, "guest-1", question) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(event.Delta)
	}
	fmt.Println()
}

// show prints the next request: its sections, and the channels as they are sent.
func show(ctx context.Context, a *agent.Agent) error {
	p, err := a.Preview(ctx, "guest-1", agent.Text("Good morning!"))
	if err != nil {
		return err
	}
	for _, s := range p.Assembly.Sections {
		fmt.Printf("%-20s %-8s %-8s %-8s %d bytes\n", s.Name, s.Channel, s.Class, s.Trust(), s.Text.Len())
	}
	for ch := range prompt.Channels {
		if text := p.Assembly.Text(ch); len(text) > 0 {
			fmt.Printf("\n── %s\n%s\n", ch, text)
		}
	}
	return nil
}
