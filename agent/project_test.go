package agent_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

// What a preset leaves out of a request stays in the session, and a replay leaves
// it out again.
func TestProjectedReplay(t *testing.T) {
	reg, store, p := registry.New(), &memory.Store{}, &tape{}
	if err := ai4j.Select(reg.Global(), source.Text("Look for faults.")); err != nil {
		t.Fatal(err)
	}
	made := ai4j.New(ai4j.Config{Projection: ai4j.Projection{MaxMessages: 3, RecentResults: 1}})
	m := p.model(t, openaichat.Dialect, "turns: [{calls: [{tool: x}]}, {calls: [{tool: x}]}, {text: done}, {text: again}]")
	a := newAgent(t, agent.Config{Model: m, Store: store, Registry: reg, Scope: "a", Preset: &made, System: "S", Instructions: "I", Tools: []tool.Tool{&fake{name: "x"}}})
	turn(t, a, "s", "one")
	turn(t, a, "s", "two")
	for i, want := range []int{2, 4, 4, 3} { // the skill, and at most three in whole units
		if got := strings.Count(p.bodies[i], `"role":`) - 2; got != want {
			t.Errorf("request %d has %d messages, want %d: %s", i+1, got, want, p.bodies[i])
		}
	}
	replays(t, a, "s", p.bodies, openaichat.Dialect)
	v, err := a.Preview(t.Context(), "s", agent.Text("three"))
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	for _, n := range v.Assembly.Notes {
		notes = append(notes, n.Name+": "+n.Reason)
	}
	diff(t, "notes", notes, []string{"history: the texts of old results are not sent: x(call_1_1)", "history: 6 of the 9 messages of the history are not sent"})
	diff(t, "the assembly has the skill still", v.Assembly.Render(prompt.Reminder), "Look for faults.")
}

// A context that fell out of the window is told anew.
func TestProjectedContexts(t *testing.T) {
	reg, p := registry.New(), &tape{}
	if _, err := reg.Global().Dynamic(prompt.SectionDef{Name: "date", Channel: prompt.Context, Class: prompt.Turn}, source.Text("It is Friday.")); err != nil {
		t.Fatal(err)
	}
	made := ai4j.New(ai4j.Config{Projection: ai4j.Projection{MaxMessages: 2}})
	a := newAgent(t, agent.Config{Model: p.model(t, openaichat.Dialect, "turns: [{text: ok}]"), Registry: reg, Scope: "a", Preset: &made})
	for _, text := range []string{"one", "two", "three"} {
		turn(t, a, "s", text)
	}
	for i, body := range p.bodies {
		if n := strings.Count(body, "It is Friday."); n != 1 {
			t.Errorf("request %d tells the date %d times: %s", i+1, n, body)
		}
	}
}

// A provider that keeps the conversation is sent all that is sent, where that is
// not the whole conversation.
func TestProjectedChain(t *testing.T) {
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: one}, {text: two}, {text: three}]")})
	made := ai4j.New(ai4j.Config{Projection: ai4j.Projection{MaxMessages: 3}})
	a := newAgent(t, agent.Config{Model: s.Model(openairesponses.Dialect), Preset: &made, System: "S", Request: agent.Request{Chain: true}})
	for _, text := range []string{"a", "b", "c"} {
		turn(t, a, "s", text)
	}
	var chained []bool
	for _, r := range s.Requests() {
		chained = append(chained, strings.Contains(string(r.Body), "previous_response_id"))
	}
	diff(t, "chained", chained, []bool{false, true, false})
}
