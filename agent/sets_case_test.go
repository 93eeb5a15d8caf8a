package agent_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

var breakpoint = regexp.MustCompile(`"cache_control":\{[^}]*\},?`)

// A sentBody is a request body in the order in which a cache sees it. Breakpoints
// are marks for the cache, no text of the prompt.
type sentBody struct{ tools, system, messages string }

func parseBody(t testing.TB, b []byte) sentBody {
	t.Helper()
	var raw struct {
		Tools, System, Instructions, Messages, Input json.RawMessage
	}
	if err := json.Unmarshal(breakpoint.ReplaceAll(b, nil), &raw); err != nil {
		t.Fatal(err)
	}
	return sentBody{string(raw.Tools), string(raw.System) + string(raw.Instructions), string(raw.Messages) + string(raw.Input)}
}

// TestCase holds the handed cases that the agent decides.
func TestCase(t *testing.T) {
	t.Run("C53", func(t *testing.T) {
		for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
			for name, policy := range map[string]agent.ToolChanges{"live": agent.LiveTools, "frozen": agent.FrozenTools} {
				t.Run(d.Name+"/"+name, func(t *testing.T) { lateSource(t, d, policy, false) })
				t.Run(d.Name+"/"+name+"/another process", func(t *testing.T) { lateSource(t, d, policy, true) })
			}
		}
	})
}

// lateSource lets the set B join before the second turn, in the same agent or in
// one that knows the session by its log only.
func lateSource(t *testing.T, d wire.Dialect, policy agent.ToolChanges, restart bool) {
	s := providertest.New(t, providertest.Config{Env: &env.Env{Clock: env.NewFakeClock(t0)}, Script: providertest.Script(t, `
turns:
  - calls: [{tool: a1, args: {x: 1}}]
  - text: "one"
  - calls: [{tool: b2, args: {x: 2}}]
  - text: "two"`)})
	store := &memory.Store{}
	a := tool.NewSet("A", &fake{name: "a1"}, &fake{name: "z"})
	a.Instruct("Use a1 first.")
	b := tool.NewSet("B", &fake{name: "b1"}, &fake{name: "b2"}, &fake{name: "b3"})
	b.Instruct("Ask b1 before b2.\n</block>")
	config := agent.Config{Model: s.Model(d), System: "You help.", Instructions: "Be brief.", Tools: []tool.Tool{&fake{name: "own"}},
		Sets: []tool.Set{a}, ToolChanges: policy, Store: store}
	ag := newAgent(t, config)
	turn(t, ag, "s", "go")
	if restart {
		config.Sets = []tool.Set{b, a}
		ag = newAgent(t, config)
	} else if _, err := ag.AddSet(b); err != nil {
		t.Fatal(err)
	}
	preview, err := ag.Preview(t.Context(), "s", agent.Text("on"))
	if err != nil {
		t.Fatal(err)
	}
	events := turn(t, ag, "s", "on")
	requests := s.Requests()
	if string(preview.Body.JSON) != string(requests[2].Body) {
		t.Error("the preview differs from what was sent")
	}
	one, two := parseBody(t, requests[1].Body), parseBody(t, requests[2].Body)
	if !strings.HasPrefix(two.messages, strings.TrimSuffix(one.messages, "]")) {
		t.Errorf("the messages of turn 1 are no prefix of turn 2's:\n%s\n%s", one.messages, two.messages)
	}
	diff(t, "system", two.system, one.system)
	if sys := one.system + one.messages; !strings.Contains(sys, "Use a1 first.") || !strings.Contains(sys, `kind=\"tools\" path=\"A\" trust=\"tool\"`) {
		t.Errorf("the instructions of A do not stand in a block of the prefix: %s", sys)
	}
	appended := two.messages[len(one.messages)-1:]
	if n := strings.Count(appended, `trust=\"tool\"`); n != 1 || !strings.Contains(appended, "Ask b1 before b2.") {
		t.Errorf("the instructions of B are not one appended block: %s", appended)
	}
	if strings.Contains(one.messages, "tool-changes") || strings.Contains(parseBody(t, requests[3].Body).messages[len(two.messages)-1:], "tool-changes") {
		t.Error("changes are told when there are none")
	}
	var breaks []string
	for _, e := range events {
		if e.Kind == session.Diagnostic && e.Diagnostic.Code == "cache.break" {
			breaks = append(breaks, e.Diagnostic.Message)
		}
	}
	if policy == agent.FrozenTools {
		diff(t, "tools", two.tools, one.tools)
		diff(t, "cache breaks", len(breaks), 0)
		diff(t, "results", results(events), []string{"!" + firstCall(events).ID + ": not run: the tool b2 joined after the session began; it can be used in the next session"})
		if !strings.Contains(appended, "The tools b1, b2, b3 of the set B joined and can be used in the next session, not in this one.") {
			t.Errorf("the new tools are not announced: %s", appended)
		}
		return
	}
	if one.tools == two.tools || !strings.Contains(two.tools, "b3") {
		t.Errorf("the tools did not follow: %s", two.tools)
	}
	diff(t, "results", results(events), []string{firstCall(events).ID + ": b2 {\"x\":2}"})
	if len(breaks) != 1 || !regexp.MustCompile(`^cause=tools\.added\(B/b1,B/b2,B/b3\) tokens=[1-9][0-9]* \(estimated\): `).MatchString(breaks[0]) {
		t.Errorf("cache breaks: %q", breaks)
	}
}

func firstCall(events []session.Event) chat.ToolCall {
	for _, e := range events {
		if e.Kind == session.Answer && len(e.Message.Calls()) > 0 {
			return e.Message.Calls()[0]
		}
	}
	return chat.ToolCall{}
}
