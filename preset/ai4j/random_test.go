package ai4j_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

// Whatever a projection leaves of a history, a provider takes it: calls have their
// results and results their calls, and the input of the turn is there. The server
// fails the test for a request that a provider would refuse.
func TestProjectionIsAccepted(t *testing.T) {
	for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
		t.Run(d.Name, func(t *testing.T) {
			for seed := range 40 {
				projected(t, d, rand.New(rand.NewPCG(uint64(seed), 7)))
			}
		})
	}
}

func projected(t *testing.T, d wire.Dialect, r *rand.Rand) {
	t.Helper()
	p := ai4j.Projection{MaxMessages: r.IntN(6), MaxTokens: r.IntN(3) * r.IntN(60), Pinned: r.IntN(3), RecentResults: r.IntN(4) - 1,
		ClearReasoning: r.IntN(2) == 0, WholeTurns: r.IntN(3) == 0}
	cfg := ai4j.Config{Projection: p}
	if r.IntN(3) == 0 {
		cfg.Budget = 1 + r.IntN(400)
	}
	turns := 1 + r.IntN(4)
	script := scripted.Script{}
	for range turns {
		for step := range r.IntN(5) {
			turn := scripted.Turn{}
			if r.IntN(2) == 0 {
				turn.Text = strings.Repeat("Let me see. ", 1+r.IntN(20))
			}
			for n := range 1 + r.IntN(3) {
				turn.Calls = append(turn.Calls, scripted.Call{Tool: "w", Args: scripted.Args(fmt.Sprintf(`{"n":%d}`, r.IntN(1000)*10+step*3+n))})
			}
			script.Turns = append(script.Turns, turn)
		}
		script.Turns = append(script.Turns, scripted.Turn{Text: "done"})
	}
	server := providertest.New(t, providertest.Config{Script: script})
	a := newAgent(t, cfg, agent.Config{Model: server.Model(d), ModelName: providertest.DefaultModel, System: "S", Instructions: "I", Tools: []tool.Tool{&fake{name: "w"}}})
	for n := range turns {
		before := len(server.Requests())
		input := fmt.Sprintf("input %d %s", n, strings.Repeat("x", r.IntN(100)))
		_, err := run(t, a, "s", agent.Text(input))
		if err != nil {
			t.Fatalf("%+v, budget %d: %v", p, cfg.Budget, err)
		}
		quoted, _ := json.Marshal(input)
		for _, req := range server.Requests()[before:] {
			if !strings.Contains(string(req.Body), string(quoted)) {
				t.Errorf("%+v, budget %d: the input is not there: %s", p, cfg.Budget, req.Body)
			}
		}
	}
}

// A counter that panics ends the turn with an error, and nothing is sent.
func TestCountPanics(t *testing.T) {
	m := script(t, "turns: [{text: done}]")
	a := newAgent(t, ai4j.Config{Projection: ai4j.Projection{MaxTokens: 10}, Count: func(string) int { panic("no table") }}, agent.Config{Model: m})
	_, err := run(t, a, "s", agent.Text("go"))
	if err == nil || !strings.Contains(err.Error(), "panic: no table") {
		t.Errorf("got %v", err)
	}
	if len(m.bodies) > 0 {
		t.Errorf("sent: %s", m.bodies[0])
	}
}
