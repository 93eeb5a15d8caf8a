package agent_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
)

// runs runs a turn of an input that must succeed.
func runs(t testing.TB, a *agent.Agent, id string, in agent.Input) (events []session.Event) {
	t.Helper()
	for e, err := range a.Run(t.Context(), id, in) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

// Model, options and variables of one turn, over a server; the turn after it has
// the agent's again. Preview shows the same bytes.
func TestInputOfOneTurn(t *testing.T) {
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: ok}]")})
	reg := registry.New()
	for _, v := range [][2]string{{"tone", "dry"}, {"place", "here"}} {
		if _, err := reg.Global().Variable(v[0], v[1]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := reg.Global().Section(prompt.SectionDef{Name: "style", Body: prompt.Body{Literal: "Be {{tone}} {{place}}.{{more?}}", Template: true}}); err != nil {
		t.Fatal(err)
	}
	hot := 0.5
	a := newAgent(t, agent.Config{Model: s.Model(openaichat.Dialect), Registry: reg,
		Request: agent.Request{Options: wire.Options{Temperature: new(float64), MaxOutputTokens: 7}}})
	own := agent.Input{Text: "hi", Model: s.Model(anthropic.Dialect), ModelName: "other", Options: wire.Options{Temperature: &hot},
		Vars: map[string]string{"tone": "{{warm}}", "more": " More."}}
	for i, tt := range []struct {
		in              agent.Input
		path, has, lack string
	}{
		{agent.Text("hi"), "/chat/completions", "Be dry here.", "More"},
		{own, "/messages", "Be {{warm}} here. More.", "dry"},
		{agent.Text("hi"), "/chat/completions", "Be dry here.", "More"},
	} {
		p, err := a.Preview(t.Context(), "s", tt.in)
		if err != nil {
			t.Fatal(err)
		}
		runs(t, a, "s", tt.in)
		r := s.Requests()[i]
		diff(t, "body", string(r.Body), string(p.Body.JSON))
		if !strings.HasSuffix(r.Path, tt.path) || !strings.Contains(string(r.Body), tt.has) || strings.Contains(string(r.Body), tt.lack) {
			t.Errorf("request %d to %s: %s", i, r.Path, r.Body)
		}
		if i == 1 {
			var body struct {
				Model       string
				Temperature float64
				MaxTokens   int `json:"max_tokens"`
			}
			if err := json.Unmarshal(r.Body, &body); err != nil || body.Model != "other" || body.Temperature != 0.5 || body.MaxTokens != 7 {
				t.Errorf("%v: got %+v", err, body)
			}
			var from []string
			for _, s := range p.Assembly.Text(prompt.System) {
				if s.From.Source == "run" {
					from = append(from, s.From.Section)
				}
			}
			diff(t, "attributed", from, []string{"tone", "more"})
			diff(t, "notes", len(p.Assembly.Notes), 1)
		}
	}
}

func TestInputRefused(t *testing.T) {
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]")})
	for name, in := range map[string]agent.Input{
		"variable": {Text: "x", Vars: map[string]string{"Bad Name": "x"}},
		"fallback": {Text: "x", Fallback: []agent.Alternative{{Name: "m"}}},
	} {
		if _, err := a.Preview(t.Context(), "s", in); err == nil {
			t.Errorf("%s: accepted by Preview", name)
		}
		n := 0
		for _, err := range a.Run(t.Context(), "s", in) {
			if n++; err == nil {
				t.Errorf("%s: accepted", name)
			}
		}
		diff(t, name, n, 1)
	}
}

// Every option can be set for one turn.
func TestEveryOption(t *testing.T) {
	full := wire.Options{Temperature: new(float64), TopP: new(float64), MaxOutputTokens: 3, Reasoning: "high", ToolChoice: "auto", Parallel: new(bool),
		Store: new(bool), User: "u", CacheKey: "k", Output: &wire.Output{Name: "o", Schema: json.RawMessage(`{"type":"object"}`)}, Chain: wire.Chain{Begin: true}, NoStream: true,
		Extra: map[string]json.RawMessage{"x": json.RawMessage("1")}}
	v := reflect.ValueOf(full)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("this test does not set %s", v.Type().Field(i).Name)
		}
	}
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]"), Request: agent.Request{Options: wire.Options{
		Extra: map[string]json.RawMessage{"x": json.RawMessage("2"), "y": json.RawMessage("3")}}}})
	p, err := a.Preview(t.Context(), "s", agent.Input{Text: "x", Options: full})
	if err != nil {
		t.Fatal(err)
	}
	want := full
	want.Extra = map[string]json.RawMessage{"x": json.RawMessage("1"), "y": json.RawMessage("3")}
	diff(t, "options", p.Request.Options, want)
}

// With a model of its own a turn has no fallback but its own.
func TestFallbackOfOneTurn(t *testing.T) {
	over := func() *recorder {
		return &recorder{Model: script(t, `turns: [{error: {status: 529, code: overloaded_error, message: "busy"}}]`)}
	}
	spare, mine := &recorder{Model: script(t, "turns: [{text: spare}]")}, &recorder{Model: script(t, "turns: [{text: mine}]")}
	a := newAgent(t, agent.Config{Model: over(), Fallback: []agent.Alternative{{Model: spare, Name: "spare"}}})
	runs(t, a, "s1", agent.Text("x"))
	for range a.Run(t.Context(), "s2", agent.Input{Text: "x", Model: over()}) {
	}
	runs(t, a, "s3", agent.Input{Text: "x", Fallback: []agent.Alternative{{Model: mine, Name: "mine"}}})
	diff(t, "requests", []int{len(spare.bodies), len(mine.bodies)}, []int{1, 1})
}
