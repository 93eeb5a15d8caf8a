package ai4j_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

// TestCase has the cases S14 to S20.
func TestCase(t *testing.T) {
	t.Run("S14 merge", caseMerge)
	t.Run("S15 new session", caseNewSession)
	t.Run("S16 placement", casePlacement)
	t.Run("S17 trace", caseTrace)
	t.Run("S18 code as actions", caseCode)
	t.Run("S19 order of hands", caseHands)
	t.Run("S20 visibility", caseVisibility)
}

const threeSteps = "turns: [{calls: [{tool: w, args: {n: 1}}]}, {calls: [{tool: w, args: {n: 2}}]}, {text: done}]"

func caseMerge(t *testing.T) {
	m := script(t, threeSteps)
	a := newAgent(t, ai4j.Config{}, agent.Config{Model: m, System: "S", Instructions: " I\n", Tools: []tool.Tool{&fake{name: "w"}}})
	turn(t, a, "s", "hi")
	diff(t, "requests", len(m.bodies), 3)
	for n := range m.bodies {
		msgs := m.messages(t, n)
		diff(t, "system", msgs[0], "system: S\n"+ai4j.ReAct)
		diff(t, "instructions", msgs[1], "system:  I\n")
	}
}

func caseNewSession(t *testing.T) {
	m := script(t, "turns: [{text: one}]")
	a := newAgent(t, ai4j.Config{}, agent.Config{Model: m, System: "S", Instructions: "I", Tools: []tool.Tool{&fake{name: "w"}}})
	turn(t, a, "a", "mine")
	turn(t, a, "a", "more")
	turn(t, a, "b", "mine")
	first, again, other := m.requests[0], m.requests[1], m.requests[2]
	diff(t, "a new session begins like the first one", m.bodies[2], m.bodies[0])
	diff(t, "the old one goes on", len(again.Messages), 3)
	for _, r := range []wire.Request{again, other} {
		diff(t, "what stands before the conversation", []any{r.Model, r.System, r.Instructions, r.Tools}, []any{first.Model, first.System, first.Instructions, first.Tools})
	}
	// Other rules are another agent, over the same sessions or not.
	b := newAgent(t, ai4j.Config{NoRuntime: true}, agent.Config{Model: m, System: "Other rules."})
	diff(t, "another agent", preview(t, b, "a", "mine").Assembly.Render(prompt.System), "Other rules.")
}

// placed is what the two texts become in a body: those of system messages, and the
// field instructions.
func placed(t *testing.T, d wire.Dialect, p wire.Placement, host wire.Capability, system, instructions string) string {
	t.Helper()
	m := script(t, "turns: [{text: ok}]")
	m.Dialect, m.Cap = d, host
	a := newAgent(t, ai4j.Config{NoRuntime: true}, agent.Config{Model: m, System: system, Instructions: instructions, Request: agent.Request{Placement: p}})
	s := string(preview(t, a, "s", "hi").Body.JSON)
	_, s, _ = strings.Cut(s, `"store":false,`)
	if d.Name == openaichat.Name {
		_, s, _ = strings.Cut(string(preview(t, a, "s", "hi").Body.JSON), `"messages":`)
	}
	return s
}

func casePlacement(t *testing.T) {
	const (
		chatUser = `{"role":"user","content":"hi"}]}`
		respUser = `{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`
	)
	sys := func(s string) string { return `{"role":"system","content":"` + s + `"},` }
	item := func(s string) string {
		return `{"type":"message","role":"system","content":[{"type":"input_text","text":"` + s + `"}]},`
	}
	cases := []struct {
		s, i                         string
		splitChat, mergedChat        string
		splitResponses, mergedFields string
	}{
		{"S", "I", "[" + sys("S") + sys("I"), "[" + sys(`S\n\nI`), `"instructions":"S","input":[` + item("I"), `"instructions":"S\n\nI","input":[`},
		{"S", "", "[" + sys("S"), "[" + sys("S"), `"instructions":"S","input":[`, `"instructions":"S","input":[`},
		{"", "I", "[" + sys("I"), "[" + sys("I"), `"input":[` + item("I"), `"instructions":"I","input":[`},
		{"", "", "[", "[", `"input":[`, `"input":[`},
		{" \n", "\t", "[", "[", `"input":[`, `"input":[`}, // behaviour 16
		{"  S ", "\nI ", "[" + sys("  S ") + sys(`\nI `), "[" + sys(`  S \n\n\nI `), `"instructions":"  S ","input":[` + item(`\nI `), `"instructions":"  S \n\n\nI ","input":[`},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%q and %q", c.s, c.i), func(t *testing.T) {
			unknown := wire.Capability{} // placement split is obeyed there, too
			diff(t, "chat, split", placed(t, openaichat.Dialect, wire.Split, unknown, c.s, c.i), c.splitChat+chatUser)
			diff(t, "chat, merged", placed(t, openaichat.Dialect, wire.Merged, unknown, c.s, c.i), c.mergedChat+chatUser)
			diff(t, "chat, auto, unknown host", placed(t, openaichat.Dialect, wire.Auto, unknown, c.s, c.i), c.mergedChat+chatUser)
			diff(t, "responses, split", placed(t, openairesponses.Dialect, wire.Split, unknown, c.s, c.i), c.splitResponses+respUser)
			diff(t, "responses, merged", placed(t, openairesponses.Dialect, wire.Merged, unknown, c.s, c.i), c.mergedFields+respUser)
		})
	}
	t.Run("over HTTP, unknown host", func(t *testing.T) {
		for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect} {
			server := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: ok}]")})
			m := server.Model(d)
			m.Cap = wire.Lookup("openai-compatible", "m")
			a := newAgent(t, ai4j.Config{}, agent.Config{Model: m, System: "S", Instructions: "I", Request: agent.Request{Placement: wire.Split}})
			turn(t, a, "s", "hi")
			r := server.Requests()[0]
			diff(t, d.Name+": both texts", r.Summary.System, "S\n"+ai4j.ReAct+"\n\nI")
			if d.Name == openaichat.Name {
				diff(t, "roles", r.Summary.Roles, []string{"system", "system", "user"})
			} else if !strings.Contains(string(r.Body), `"input":[`+item("I")) {
				t.Errorf("got %s", r.Body)
			}
		}
	})
	t.Run("anthropic has one place", func(t *testing.T) {
		var bodies []string
		for _, p := range []wire.Placement{wire.Split, wire.Merged} {
			m := script(t, "turns: [{text: ok}]")
			m.Dialect, m.Cap = anthropic.Dialect, wire.Lookup("anthropic", "claude-sonnet-4-5")
			a := newAgent(t, ai4j.Config{}, agent.Config{Model: m, System: "S", Instructions: "I", Request: agent.Request{Placement: p}})
			bodies = append(bodies, string(preview(t, a, "s", "hi").Body.JSON))
		}
		diff(t, "placements", bodies[0], bodies[1])
	})
}

func caseTrace(t *testing.T) {
	store := &memory.Store{}
	editor := onRequest{"house", func(at agent.At, r wire.Request) (wire.Request, error) {
		if at.Step == 2 {
			r.System[0].Text = span.Of("Hooked.", nil)
		}
		return r, nil
	}}
	a := newAgent(t, ai4j.Config{Projection: ai4j.Projection{MaxMessages: 3}}, agent.Config{Model: script(t, threeSteps), Store: store, System: "S é", Instructions: "I",
		Tools: []tool.Tool{&fake{name: "w"}}, Hooks: []agent.Hook{editor}})
	turn(t, a, "s", "hi")
	var traces []session.Trace
	for e, err := range store.Events(t.Context(), "s") {
		check(t, err)
		if e.Kind == session.Requested {
			traces = append(traces, *e.Request.Trace)
		}
	}
	hooked := "Hooked.\n" + ai4j.ReAct
	first := "S é\n" + ai4j.ReAct
	diff(t, "traces", traces, []session.Trace{
		{System: first, Instructions: "I", Runtime: &session.Range{Lo: 5, Hi: len(first)}, Sent: 1, History: 1},
		{System: hooked, Instructions: "I", Runtime: &session.Range{Lo: 8, Hi: len(hooked)}, Sent: 3, History: 3},
		{System: first, Instructions: "I", Runtime: &session.Range{Lo: 5, Hi: len(first)}, Sent: 3, History: 5},
	})
	diff(t, "the runtime's bytes", first[5:], ai4j.ReAct)
}

func caseHands(t *testing.T) {
	var saw []wire.Request
	hook := onRequest{"last word", func(_ agent.At, r wire.Request) (wire.Request, error) {
		saw = append(saw, r)
		if len(saw) == 3 {
			r.Messages = append(r.Messages, chat.TextMessage(chat.User, span.Of("From the hook.", nil)))
		}
		return r, nil
	}}
	m := script(t, threeSteps)
	a := newAgent(t, ai4j.Config{
		Projection: ai4j.Projection{MaxMessages: 3, RecentResults: 1},
		Visibility: []stage.VisibilityRule{{Name: "no secrets", Tool: "secret"}},
	}, agent.Config{Model: m, Tools: []tool.Tool{&fake{name: "w"}, &fake{name: "secret"}}, Hooks: []agent.Hook{hook}})
	events := turn(t, a, "s", "hi")
	diff(t, "messages that the hook saw", len(saw[2].Messages), 3)
	for _, r := range saw {
		diff(t, "tools that the hook saw", []string{r.Tools[0].Name, fmt.Sprint(len(r.Tools))}, []string{"w", "1"})
	}
	diff(t, "what is sent", m.messages(t, 2), []string{"system: " + ai4j.ReAct, "user: hi", "assistant: <calls>", "tool: result of w", "user: From the hook."})
	var by [][]string
	for _, e := range of(events, session.Requested) {
		by = append(by, e.Request.ChangedBy)
	}
	diff(t, "changed by", by, [][]string{nil, nil, {"last word"}})
	// Byte for byte: what the hook returned, encoded.
	body, err := m.Model.Encode(nil, m.requests[2])
	check(t, err)
	diff(t, "body", string(body.JSON), m.bodies[2])
	last := body.Marks[len(body.Marks)-1]
	diff(t, "attributed", last.From.Stage, "last word")
}

func caseVisibility(t *testing.T) {
	rules := []stage.VisibilityRule{
		{Name: "read-only mode", Tool: "write", When: func(in prompt.Input) bool { return in.Step == 1 }},
		{Name: "only the lead delegates", Source: "team*", When: func(in prompt.Input) bool { return !slices.Contains(in.Lineage, "lead") }},
	}
	write := &fake{name: "write"}
	m := script(t, `turns: [{calls: [{tool: write, id: c1}]}, {calls: [{tool: write, id: c2}]}, {text: done}]`)
	a := newAgent(t, ai4j.Config{Visibility: rules}, agent.Config{Model: m, Tools: []tool.Tool{write, &fake{name: "read"}}})
	_, err := a.Registry().Global().Tools(prompt.ToolDef{Specs: []chat.ToolSpec{{Name: "delegate", From: &span.Origin{Source: "team tools"}}}})
	check(t, err)
	p := preview(t, a, "s", "hi")
	if s := string(p.Body.JSON); strings.Contains(s, `"write"`) || strings.Contains(s, "delegate") || !strings.Contains(s, `"read"`) {
		t.Errorf("got %s", s)
	}
	var notes []string
	for _, n := range p.Assembly.Notes {
		notes = append(notes, n.Name+": "+n.Reason)
	}
	diff(t, "notes", notes, []string{`delegate: the tool is hidden by the rule "only the lead delegates"`, `write: the tool is hidden by the rule "read-only mode"`})
	diff(t, "known", p.Assembly.Known, []string{"delegate", "read", "write"})
	events := turn(t, a, "s", "hi")
	diff(t, "results", results(events), []string{`!c1: the tool "write" is not available in this step`, "c2: result of write"})
	diff(t, "runs", len(write.runs), 1)

	// What is hidden for a step is neither allowed nor denied by that in the next one.
	for _, c := range []struct {
		action permit.Action
		stop   string
		runs   int
	}{{permit.Ask, agent.StopAsks, 0}, {permit.Deny, "end", 0}, {permit.Allow, "end", 1}} {
		policy, err := permit.New(permit.Config{Roots: []string{t.TempDir()}, Rules: []permit.Rule{{Action: c.action, Tool: "write"}}})
		check(t, err)
		write := &fake{name: "write"}
		m := script(t, `turns: [{calls: [{tool: write, id: c1}]}, {calls: [{tool: write, id: c2}]}, {text: done}]`)
		a := newAgent(t, ai4j.Config{Visibility: rules[:1]}, agent.Config{Model: m, Tools: []tool.Tool{write}, Permissions: &agent.Permissions{Policy: policy}})
		events := turn(t, a, "s", "hi")
		diff(t, string(c.action)+": hidden", results(events)[0], `!c1: the tool "write" is not available in this step`)
		diff(t, string(c.action)+": stop", stop(t, events), c.stop)
		diff(t, string(c.action)+": runs", len(write.runs), c.runs)
	}
}

// The stages are one list that can be read at once.
func TestStages(t *testing.T) {
	p := ai4j.New(ai4j.Config{Visibility: []stage.VisibilityRule{{Tool: "x"}}, Budget: 10})
	var names []string
	for _, s := range p.Stages(nil) {
		names = append(names, s.Name)
	}
	diff(t, "stages", strings.Join(names, " "), "tool-order visibility protect runtime interpolate drop-blank fence budget")
}
