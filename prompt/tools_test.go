package prompt_test

import (
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

func TestTools(t *testing.T) {
	layers := func(near ...prompt.ToolDef) []prompt.Layer {
		return []prompt.Layer{{Tools: []prompt.ToolDef{specs("read", "write"), specs("ask")}}, {Scope: "a", Tools: near}}
	}
	tests := []struct {
		name   string
		ties   prompt.Ties
		near   []prompt.ToolDef
		facts  map[string]prompt.Fact
		want   []string
		known  []string
		notes  []string
		faults []string
	}{
		{name: "by name", near: []prompt.ToolDef{specs("zip", "Beta")}, want: []string{"Beta", "ask", "read", "write", "zip"}, known: []string{"Beta", "ask", "read", "write", "zip"}},
		{name: "a nearer layer's shadows", near: []prompt.ToolDef{specs("read")}, want: []string{"ask", "read", "write"}, known: []string{"ask", "read", "write"},
			notes: []string{"read: the tool is shadowed by that of scope \"a\""}},
		{name: "two in a layer", near: []prompt.ToolDef{specs("x"), specs("x")}, want: []string{"ask", "read", "write", "x"}, known: []string{"ask", "read", "write", "x"}, faults: []string{"tool.duplicate"}},
		{name: "two that also shadow", near: []prompt.ToolDef{specs("read", "read")}, want: []string{"ask", "read", "write"}, known: []string{"ask", "read", "write"},
			notes: []string{"read: the tool is shadowed by that of scope \"a\""}, faults: []string{"tool.duplicate"}},
		{name: "all are kept", ties: prompt.Ties{KeepTools: true}, near: []prompt.ToolDef{specs("read", "read")}, want: []string{"ask", "read", "read", "read", "write"}, known: []string{"ask", "read", "write"}},
		{name: "known but not shown", near: []prompt.ToolDef{{Known: []string{"secret", "ask"}}}, want: []string{"ask", "read", "write"}, known: []string{"ask", "read", "secret", "write"}},
		{name: "shown but not known", near: []prompt.ToolDef{{Specs: specs("odd").Specs, Known: []string{}}}, want: []string{"ask", "odd", "read", "write"}, known: []string{"ask", "read", "write"}},
		{name: "a fact's", near: []prompt.ToolDef{{Fact: "mcp"}}, facts: map[string]prompt.Fact{"mcp": {Tools: specs("m2", "m1").Specs, Known: []string{"m1", "m2", "m3"}}},
			want: []string{"ask", "m1", "m2", "read", "write"}, known: []string{"ask", "m1", "m2", "m3", "read", "write"}},
		{name: "a fact's without known names", near: []prompt.ToolDef{{Fact: "mcp"}}, facts: map[string]prompt.Fact{"mcp": {Tools: specs("m").Specs}},
			want: []string{"ask", "m", "read", "write"}, known: []string{"ask", "m", "read", "write"}},
		{name: "a fact without a value", near: []prompt.ToolDef{{Fact: "mcp"}}, facts: map[string]prompt.Fact{"mcp": {None: true, Tools: specs("m").Specs}}, want: []string{"ask", "read", "write"}, known: []string{"ask", "read", "write"}},
		{name: "a fact that failed", near: []prompt.ToolDef{{Fact: "mcp"}}, facts: map[string]prompt.Fact{"mcp": {Err: errDown}}, want: []string{"ask", "read", "write"}, known: []string{"ask", "read", "write"},
			notes: []string{"mcp: its source failed: the disk is down"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := prompt.Resolve(snapshot(t, layers(tt.near...)...), prompt.Input{Lineage: []string{"a"}, Ties: tt.ties, Facts: prompt.NewFacts(tt.facts)})
			diff(t, "tools", toolNames(a), tt.want)
			diff(t, "known", a.Known, tt.known)
			diff(t, "notes", notes(a), tt.notes)
			diff(t, "faults", codes(err), tt.faults)
		})
	}
}

// The nearest layer's tool is the one that is sent, and collection order decides
// between equal names that are all kept.
func TestToolsNearest(t *testing.T) {
	tool := func(description string) prompt.ToolDef {
		return prompt.ToolDef{Specs: []chat.ToolSpec{{Name: "read", Description: description}}}
	}
	s := snapshot(t, prompt.Layer{Tools: []prompt.ToolDef{tool("global")}}, prompt.Layer{Scope: "far", Tools: []prompt.ToolDef{tool("far")}}, prompt.Layer{Scope: "near", Tools: []prompt.ToolDef{tool("near")}})
	for _, tt := range []struct {
		keep bool
		want []string
	}{{false, []string{"near"}}, {true, []string{"global", "far", "near"}}} {
		var got []string
		for _, x := range resolve(t, s, prompt.Input{Lineage: []string{"near", "far"}, Ties: prompt.Ties{KeepTools: tt.keep}}).Tools {
			got = append(got, x.Description)
		}
		diff(t, "descriptions", got, tt.want)
	}
}

// What a source of tools has to say is not lost.
func TestToolsDiagnostics(t *testing.T) {
	s := snapshot(t, prompt.Layer{Tools: []prompt.ToolDef{{Fact: "mcp"}}})
	a := resolve(t, s, prompt.Input{Facts: prompt.NewFacts(map[string]prompt.Fact{"mcp": {Tools: specs("m").Specs,
		Notes: []prompt.Note{{Name: "x", Reason: "not wanted"}}, Diagnostics: []prompt.Diagnostic{{Code: "tool.refused", Message: "x"}}}})})
	diff(t, "notes", notes(a), []string{"x: not wanted"})
	diff(t, "diagnostics", a.Diagnostics, []prompt.Diagnostic{{Code: "tool.refused", Message: "x"}})
}

func TestNeeds(t *testing.T) {
	context := dynamic("context", 0)
	context.Channel = prompt.Context
	s := snapshot(t,
		prompt.Layer{
			Sections: []prompt.SectionDef{dynamic("shadowed", 0), literal("text", 0, "x"), context},
			Vars:     []prompt.VarDef{{Name: "v", Body: prompt.Body{Fact: "var-far"}}},
			Tools:    []prompt.ToolDef{{Fact: "tools-far"}},
		},
		prompt.Layer{
			Scope: "a", Sections: []prompt.SectionDef{{Name: "shadowed", Body: prompt.Body{Fact: "near"}}, {Name: "twice", Body: prompt.Body{Fact: "near"}}},
			Vars:  []prompt.VarDef{{Name: "v", Body: prompt.Body{Fact: "var-near"}}},
			Tools: []prompt.ToolDef{{Fact: "tools-near"}}, Mutes: []prompt.Channel{prompt.Context},
		})
	diff(t, "global", prompt.Needs(s, nil), []string{"context", "shadowed", "tools-far", "var-far"})
	diff(t, "scope", prompt.Needs(s, []string{"a"}), []string{"near", "tools-far", "tools-near", "var-far", "var-near"})
}
