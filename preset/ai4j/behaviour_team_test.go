package ai4j_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/codeact"
	"github.com/proemhq/proem/agent/spawn"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

var handing = []behaviour{
	{"69 a subagent below the last depth is refused, and the runs go on", func(t *testing.T) { nested(t, 1) }},
	{"70 and so are several at the same time", func(t *testing.T) { nested(t, 3) }},
}

// nested has a subagent ask for others, at the same time, where it may not.
func nested(t *testing.T, calls int) {
	dir, store := t.TempDir(), &memory.Store{}
	filetest.Write(t, dir, map[string]string{"worker.md": "---\nname: worker\ndescription: works\ntools: [agent_spawn]\n---\nYou work.\n"})
	var asks []string
	for i := range calls {
		asks = append(asks, fmt.Sprintf("{tool: agent_spawn, id: n%d, args: {agent: worker, task: more}}", i))
	}
	child := script(t, "turns: [{calls: ["+strings.Join(asks, ", ")+"]}, {text: by myself}]")
	made := ai4j.New(ai4j.Config{})
	s, err := spawn.New(spawn.Config{Store: store, MaxDepth: 1,
		Declarations: subagents.New(subagents.Config{Places: []subagents.Place{{Scope: "project", Root: dir, Dir: ".", Trust: span.Workspace}}}),
		Build: func(context.Context, *subagents.Declaration, int) (agent.Config, error) {
			return agent.Config{Model: child, ModelName: "m", Preset: &made}, nil
		}})
	check(t, err)
	defer s.Close()
	parent := script(t, "turns: [{calls: [{tool: agent_spawn, id: c1, args: {agent: worker, task: work}}]}, {text: done}]")
	a := newAgent(t, ai4j.Config{}, agent.Config{Model: parent, Store: store, Tools: s.Tools(), Hooks: []agent.Hook{s}})
	events := turn(t, a, "s", "go")
	diff(t, "stop", stop(t, events), "end")
	has(t, results(events)[0], "c1: ", "by myself")
	var inner []session.Event
	for e, err := range store.Events(t.Context(), "s-1") {
		check(t, err)
		inner = append(inner, e)
	}
	got := results(inner)
	diff(t, "refused", len(got), calls)
	for i, r := range got {
		has(t, r, fmt.Sprintf(`!n%d: there is no tool "agent_spawn"`, i))
	}
}

// A language is an engine of which only the language is used.
type language struct{}

func (language) Language() codeact.Language {
	return codeact.Language{Name: "js", Guide: "Plain ECMAScript."}
}

func (language) Run(context.Context, codeact.Script, codeact.CallFunc) (codeact.Result, error) {
	return codeact.Result{}, fmt.Errorf("nothing runs here")
}

// noted is a tool with a note for code.
type noted struct{ *fake }

func (noted) Note() string { return "Returns a number of fen." }

// caseCode has the part of S18 that is about where the texts go; what code does is
// tested in package codeact.
func caseCode(t *testing.T) {
	m := script(t, "turns: [{text: ok}]")
	var saw []chat.ToolSpec
	hook := onRequest{"look", func(_ agent.At, r wire.Request) (wire.Request, error) { saw = r.Tools; return r, nil }}
	a := newAgent(t, ai4j.Config{}, agent.Config{Model: m, System: "S", Instructions: "I", Tools: []tool.Tool{noted{&fake{name: "price"}}, &fake{name: "w"}},
		Runtime: codeact.Runtime{Engine: language{}}, Hooks: []agent.Hook{hook}})
	p := preview(t, a, "s", "hi")
	sys := p.Assembly.Render(prompt.System)
	has(t, sys, "S\nAnswer with exactly one JSON object", `{"type":"code","language":"js","code":"…"}`, `{"type":"final","output":"…"}`, "Plain ECMAScript.",
		"- price(", "does price", "Returns a number of fen.", "- w(")
	diff(t, "instructions", p.Assembly.Render(prompt.Instructions), "I")
	diff(t, "tools", len(saw), 0)
	if strings.Contains(string(p.Body.JSON), `"tools"`) || strings.Contains(sys, ai4j.ReAct) {
		t.Errorf("got %s", p.Body.JSON)
	}
}
