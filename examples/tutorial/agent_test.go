package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompttest"
	"github.com/proemhq/proem/provider/scripted"
)

// teahouse returns the agent at an hour of a day, with a model that plays script.
func teahouse(t *testing.T, hour int, script string) *agent.Agent {
	t.Helper()
	t.Setenv("MODEL", "")
	s, err := scripted.Parse([]byte(script), "script")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := filepath.Abs("testdata/shop")
	if err != nil {
		t.Fatal(err)
	}
	machine := env.System()
	machine.Clock = env.Fixed(time.Date(2026, 1, 2, hour, 0, 0, 0, time.UTC))
	a, err := newAgent(scripted.New(*s), dir, machine)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestPrompt keeps the prompt in testdata/TestPrompt. After a change that is
// meant: go test . -prompttest.update
func TestPrompt(t *testing.T) {
	for name, hour := range map[string]int{"open": 12, "closed": 23} {
		t.Run(name, func(t *testing.T) {
			p, err := teahouse(t, hour, "turns: [{text: x}]").Preview(context.Background(), "s1", agent.Text("Good morning!"))
			if err != nil {
				t.Fatal(err)
			}
			prompttest.Golden(t, p.Assembly)
		})
	}
}

func TestLooksIntoTheStock(t *testing.T) {
	a := teahouse(t, 12, `
turns:
  - calls: [{tool: stock, args: {tea: Longjing}}]
    expect: {system_contains: "Address guests formally."}
  - text: "Yes, three packets."
`)
	var said, result strings.Builder
	for event, err := range a.Run(context.Background(), "s1", agent.Text("Do you have Longjing?")) {
		if err != nil {
			t.Fatal(err)
		}
		said.WriteString(event.Delta)
		if event.Message != nil {
			for _, r := range event.Message.Results() {
				result.WriteString(r.Text.String())
			}
		}
	}
	if got, want := result.String()+" "+said.String(), `{"Longjing":3} Yes, three packets.`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
