package ai4j_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// A behaviour is one of the original's, by its number in our notes. Where we do
// something else on purpose, the title says what is done.
type behaviour struct {
	name string
	test func(t *testing.T)
}

// TestBehaviour runs them. The numbers 7 and 46 are accidents of the original; 61 to
// 65 are about code as actions and tested there.
func TestBehaviour(t *testing.T) {
	for _, list := range [][]behaviour{assembly, wiring, looping, projecting, handing} {
		for _, b := range list {
			t.Run(b.name, b.test)
		}
	}
}

var assembly = []behaviour{
	{"01 a blank system prompt leaves the runtime text alone", func(t *testing.T) {
		for _, s := range []string{"", " \n\t"} {
			diff(t, "system", system(t, ai4j.Config{}, agent.Config{System: s}), ai4j.ReAct)
		}
	}},
	{"02 a newline before the runtime text", func(t *testing.T) {
		diff(t, "system", system(t, ai4j.Config{}, agent.Config{System: "S"}), "S\n"+ai4j.ReAct)
		diff(t, "other runtime", system(t, ai4j.Config{Runtime: ai4j.DeepResearch}, agent.Config{System: "S", Tools: []tool.Tool{&fake{name: "w"}}}), "S\n"+ai4j.DeepResearch)
		diff(t, "none", system(t, ai4j.Config{NoRuntime: true}, agent.Config{System: "S", Tools: []tool.Tool{&fake{name: "w"}}}), "S")
	}},
	{"03 nothing is trimmed", func(t *testing.T) {
		diff(t, "system", system(t, ai4j.Config{}, agent.Config{System: "S\n"}), "S\n\n"+ai4j.ReAct)
	}},
	{"04 instructions stay as they are", func(t *testing.T) {
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, "turns: [{text: ok}]"), System: "S", Instructions: "\tI {{x}} \n"})
		diff(t, "instructions", preview(t, a, "s", "hi").Assembly.Render(prompt.Instructions), "\tI {{x}} \n")
	}},
	{"05 each step sends both again", caseMerge},
	{"06 no model is an error", func(t *testing.T) {
		made := ai4j.New(ai4j.Config{})
		a, err := agent.New(agent.Config{Model: script(t, "turns: [{text: ok}]"), Preset: &made})
		check(t, err)
		if _, err := a.Preview(t.Context(), "s", agent.Text("hi")); err == nil || !strings.Contains(err.Error(), "names no model") {
			t.Errorf("got %v", err)
		}
	}},
	{"08 without a store, sessions are in memory", func(t *testing.T) {
		m := script(t, "turns: [{text: one}, {text: two}]")
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: m})
		turn(t, a, "s", "first")
		turn(t, a, "s", "second")
		diff(t, "messages", m.messages(t, 1)[1:], []string{"user: first", "assistant: one", "user: second"})
	}},
	{"09 no input adds nothing", func(t *testing.T) {
		m := script(t, "turns: [{text: one}, {text: two}]")
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: m})
		turn(t, a, "s", "first")
		events, err := run(t, a, "s", agent.Input{})
		check(t, err)
		diff(t, "inputs", len(of(events, session.Input)), 0)
		diff(t, "messages", m.messages(t, 1)[1:], []string{"user: first", "assistant: one"})
	}},
	{"10 a selected skill leads and is not kept", selectedSkill},
	{"11 a new session has the same prompt and its own history", caseNewSession},
	{"12 a summary is the first message, of the system", func(t *testing.T) {
		diff(t, "messages", restored(t, "SUM"), []string{"system: S\n" + ai4j.ReAct, "system: SUM", "user: hi"})
	}},
	{"13 a blank summary is none", func(t *testing.T) {
		diff(t, "messages", restored(t, " \n"), []string{"system: S\n" + ai4j.ReAct, "user: hi"})
	}},
}

// restored is what the first request of a session has that begins with a summary.
func restored(t *testing.T, summary string) []string {
	t.Helper()
	store := &memory.Store{}
	m := chat.TextMessage(chat.System, span.Of(summary, nil))
	check(t, store.Append(t.Context(), "s", 0, session.Event{Seq: 1, Kind: session.Start}, session.Event{Seq: 2, Kind: session.Notice, Message: &m}))
	model := script(t, "turns: [{text: ok}]")
	a := newAgent(t, ai4j.Config{Projection: ai4j.Projection{MaxMessages: 1}}, agent.Config{Model: model, Store: store, System: "S"})
	turn(t, a, "s", "hi")
	return model.messages(t, 0)
}

func selectedSkill(t *testing.T) {
	texts := map[string]string{"review": "Look for faults first.", "long": strings.Repeat("x", ai4j.MaxSelectedRunes+1)}
	selected := source.Func(func(_ context.Context, q source.Query) (prompt.Fact, error) {
		name := q.Who.Attrs["skill"]
		if name == "" {
			return prompt.Fact{None: true}, nil
		}
		text, ok := texts[name]
		if !ok {
			return prompt.Fact{}, errors.New("there is no skill " + name)
		}
		return prompt.Fact{Text: text, Ref: "/skills/" + name + "/SKILL.md"}, nil
	})
	reg, m, store := registry.New(), script(t, "turns: [{text: one}, {text: two}]"), &memory.Store{}
	check(t, ai4j.Select(reg.Global(), selected))
	a := newAgent(t, ai4j.Config{}, agent.Config{Model: m, Registry: reg, Store: store, Scope: "agent"})
	with := func(skill string) agent.Input {
		return agent.Input{Text: "hi", Who: prompt.Who{Attrs: map[string]string{"skill": skill}}}
	}
	_, err := run(t, a, "s", with("review"))
	check(t, err)
	diff(t, "messages", m.messages(t, 0)[1:], []string{"user: Look for faults first.", "user: hi"})
	_, err = run(t, a, "s", with(""))
	check(t, err)
	diff(t, "later", m.messages(t, 1)[1:], []string{"user: hi", "assistant: one", "user: hi"})
	for e := range store.Events(t.Context(), "s") {
		if e.Message != nil && strings.Contains(e.Message.Text().String(), "faults") {
			t.Errorf("the skill is in the history: %s", e.Message.Text())
		}
	}
	p, err := a.Preview(t.Context(), "s", with("review"))
	check(t, err)
	found := false
	for _, mark := range p.Body.Marks {
		found = found || mark.From != nil && mark.From.Path == "/skills/review/SKILL.md"
	}
	diff(t, "its bytes lead to the file", found, true)
	for _, wrong := range []string{"nobody", "long"} {
		if _, err := a.Preview(t.Context(), "s", with(wrong)); err == nil {
			t.Errorf("%s: no error", wrong)
		}
	}
}

// The text of another runtime stays and is joined in the same way; what is muted
// or has a sole section is left alone.
func TestRuntimeStage(t *testing.T) {
	apply := func(a prompt.Assembly) string {
		out, err := ai4j.Runtime(ai4j.ReAct).Apply(prompt.Input{}, a)
		check(t, err)
		return out.Render(prompt.System)
	}
	section := func(name, text string, order float64) prompt.Section {
		return prompt.Section{Name: name, Order: order, Text: span.Of(text, nil)}
	}
	base, own := section("base", "S", 100), section("runtime", "Write code.", 900)
	diff(t, "another runtime", apply(prompt.Assembly{Sections: []prompt.Section{base, own}}), "S\nWrite code.")
	diff(t, "sections behind it", apply(prompt.Assembly{Sections: []prompt.Section{base, section("late", "L", 950)}}), "S\n"+ai4j.ReAct+"\n\nL")
	sole := base
	sole.Sole = true
	diff(t, "a sole section", apply(prompt.Assembly{Sections: []prompt.Section{sole}}), "S")
	diff(t, "muted", apply(prompt.Assembly{Sections: []prompt.Section{base}, Mutes: []prompt.Channel{prompt.System}}), "S")
}

// Of no other text: the runtime text never stands in another channel.
func TestRuntimeInSystemOnly(t *testing.T) {
	a := newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, "turns: [{text: ok}]"), Instructions: "I", Request: agent.Request{Placement: wire.Split}})
	p := preview(t, a, "s", "hi")
	for ch := range prompt.Channels {
		diff(t, ch.String(), strings.Contains(p.Assembly.Render(ch), ai4j.ReAct), ch == prompt.System)
	}
}
