package agentscope_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/inspect/explain"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/agentscope"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

// s27 has the three ways of composing in one agent: the workspace and a transformer
// of the one, a section of a scope at an order of the other, and the third's two
// fields, apart.
func s27(t *testing.T) {
	w := newWorld(t, full())
	w.memory.ExtraFiles = []string{"SOUL.md"}
	w.agent.Hooks = []agent.Hook{adds("HOST", preset.DefaultOrder)}
	w.parts.Plan = plan(agentscope.Plan{Active: true})
	w.parts.Subagents = nil
	w.agent.Instructions, w.agent.Request.Placement = "TASK", wire.Split
	reg := registry.New()
	w.agent.Registry, w.agent.Scope = reg, "session-1"
	_, err := reg.Scope("session-1").Section(prompt.SectionDef{Name: "plan:policy", Order: 500, Body: prompt.Body{Literal: "SCOPED"}})
	filetest.Must(t, err)
	p := w.preview()

	system := p.Assembly.Render(prompt.System)
	inOrder(t, system, "BASE", "SCOPED", "HOST", "## AgentStateStore Context", "## Domain Knowledge", "## Memory Recall", "## Memory Persistence",
		"## Workspace", "## Workspace Files (Injected)", "<loaded_context>", "<agents_context>", "<memory_context>", "<domain_knowledge_context>",
		"<soul_md>", "</loaded_context>", "## Task List", "PLAN MODE is active (read-only)", "<available_skills>")
	diff(t, "instructions", p.Assembly.Render(prompt.Instructions), "TASK")

	frames, err := p.Trace()
	filetest.Must(t, err)
	for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
		t.Run(d.Name, func(t *testing.T) {
			body, err := d.Encode(nil, p.Request)
			filetest.Must(t, err)
			placed(t, d.Name, body.JSON, system)
			r := explain.New(explain.Subject{Step: p.Step, Frames: frames, Dialect: d.Name, Body: &body, Counter: token.Estimate})
			explained(t, &r, p.Assembly)
		})
	}
}

// placed checks where a body has the system text and the instructions.
func placed(t *testing.T, dialect string, body []byte, system string) {
	t.Helper()
	type message struct {
		Role    string
		Content json.RawMessage
	}
	var b struct {
		Messages, Input []message
		Instructions    string
		System          []struct{ Text string }
	}
	filetest.Must(t, json.Unmarshal(body, &b))
	text := func(m message) (s string) {
		if json.Unmarshal(m.Content, &s) == nil {
			return m.Role + ": " + s
		}
		var parts []struct{ Text string }
		filetest.Must(t, json.Unmarshal(m.Content, &parts))
		return m.Role + ": " + parts[0].Text
	}
	switch dialect {
	case openaichat.Dialect.Name:
		diff(t, "first messages", []string{text(b.Messages[0]), text(b.Messages[1])}, []string{"system: " + system, "system: TASK"})
		has(t, "third message", text(b.Messages[2]), "user: hi")
	case openairesponses.Dialect.Name:
		diff(t, "field", b.Instructions, system)
		diff(t, "first item", text(b.Input[0]), "system: TASK")
		has(t, "second item", text(b.Input[1]), "user: hi")
	default:
		var all strings.Builder
		for _, block := range b.System {
			all.WriteString(block.Text)
		}
		diff(t, "blocks", squeeze(all.String()), squeeze(system+"TASK"))
		diff(t, "last block", b.System[len(b.System)-1].Text, "TASK")
		has(t, "first message", text(b.Messages[0]), "user: hi")
	}
}

// squeeze takes out the line breaks, which stand between blocks or are left out.
func squeeze(s string) string { return strings.ReplaceAll(s, "\n", "") }

// explained checks that a report has every section with the reason for it, and
// leaves no byte of any text without an origin.
func explained(t *testing.T, r *explain.Report, a prompt.Assembly) {
	t.Helper()
	var got, want []string
	for _, s := range r.Sections {
		got = append(got, s.Channel+" "+s.Name)
		if s.Rule == "" || s.Source == "" {
			t.Errorf("section %s: rule %q, source %q", s.Name, s.Rule, s.Source)
		}
	}
	for ch := range prompt.Channels {
		for _, part := range a.Parts(ch) {
			want = append(want, ch.String()+" "+part.Name)
		}
	}
	diff(t, "sections of the report", got, want)
	for _, x := range append(slices.Clone(r.Texts), r.Body) {
		at := 0
		for _, g := range x.Ranges {
			if g.Start != at || g.Origin == "" || g.Origin == "generated:unknown" {
				t.Errorf("text %s: the range %+v does not follow byte %d, or has no origin", x.Name, g, at)
			}
			at = g.End
		}
		diff(t, "end of "+x.Name, at, len(x.Text))
	}
	for _, c := range []explain.Range{
		{Section: "plan:policy", Source: "literal", Scope: "session-1", Origin: "SCOPED"}, {Section: "HOST", Source: "stage", Stage: "HOST", Origin: "HOST"},
		{Section: "instructions", Source: "literal", Scope: "session-1", Origin: "TASK"}, {Section: "workspace:AGENTS.md", Source: "file", Origin: "You are Ada."},
	} {
		m := r.Find(explain.Query{Any: c.Origin})
		if len(m) == 0 || len(m[0].Ranges) == 0 {
			t.Errorf("%q is not found", c.Origin)
			continue
		}
		g := m[0].Ranges[0]
		diff(t, "origin of "+c.Origin, explain.Range{Section: g.Section, Source: g.Source, Scope: g.Scope, Stage: g.Stage, Origin: c.Origin}, c)
	}
}
