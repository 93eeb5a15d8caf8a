package agent_test

import (
	"encoding/json"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/wire/openairesponses"
)

// C59: a chain of responses sends only what is new, and the instructions in full.
func TestChain(t *testing.T) {
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: one}, {text: two}]")})
	a := newAgent(t, agent.Config{Model: s.Model(openairesponses.Dialect), System: "BASE", Instructions: "TASK", Request: agent.Request{Chain: true}})
	turn(t, a, "s", "first")
	turn(t, a, "s", "second")
	type body struct {
		Instructions string           `json:"instructions"`
		Previous     string           `json:"previous_response_id"`
		Input        []map[string]any `json:"input"`
	}
	var bodies []body
	for _, r := range s.Requests() {
		bodies = append(bodies, body{})
		if err := json.Unmarshal(r.Body, &bodies[len(bodies)-1]); err != nil {
			t.Fatal(err)
		}
	}
	if len(bodies) != 2 {
		t.Fatalf("%d requests", len(bodies))
	}
	diff(t, "instructions", []string{bodies[0].Instructions, bodies[1].Instructions}, []string{"BASE\n\nTASK", "BASE\n\nTASK"})
	if bodies[0].Previous != "" || bodies[1].Previous == "" {
		t.Errorf("previous responses %q and %q", bodies[0].Previous, bodies[1].Previous)
	}
	diff(t, "new items", []int{len(bodies[0].Input), len(bodies[1].Input)}, []int{1, 1})
}
