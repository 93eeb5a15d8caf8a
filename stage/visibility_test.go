package stage_test

import (
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/stage"
)

func TestVisibility(t *testing.T) {
	turn2 := func(in prompt.Input) bool { return in.Turn == 2 }
	tests := []struct {
		name  string
		rules []stage.VisibilityRule
		in    prompt.Input
		want  []string
		notes []string
	}{
		{"no rules", nil, prompt.Input{}, []string{"fs/read", "fs/write", "web"}, []string{}},
		{"by name", []stage.VisibilityRule{{Name: "offline", Tool: "web"}}, prompt.Input{}, []string{"fs/read", "fs/write"},
			[]string{`visibility: web: the tool is hidden by the rule "offline"`}},
		{"by pattern", []stage.VisibilityRule{{Tool: "fs*e"}}, prompt.Input{}, []string{"fs/read", "web"},
			[]string{`visibility: fs/write: the tool is hidden by the rule tool "fs*e"`}},
		{"by source", []stage.VisibilityRule{{Source: "mcp:*"}}, prompt.Input{}, []string{"fs/read", "fs/write"},
			[]string{`visibility: web: the tool is hidden by the rule source "mcp:*"`}},
		{"by both", []stage.VisibilityRule{{Tool: "fs/*", Source: "mcp:*"}}, prompt.Input{}, []string{"fs/read", "fs/write", "web"}, []string{}},
		{"all but one", []stage.VisibilityRule{{Name: "plan"}, {Tool: "*read*", Show: true}}, prompt.Input{}, []string{"fs/read"},
			[]string{`visibility: fs/write: the tool is hidden by the rule "plan"`, `visibility: web: the tool is hidden by the rule "plan"`}},
		{"the last rule decides", []stage.VisibilityRule{{Tool: "web"}, {Show: true}, {Tool: "fs/read", Name: "x"}}, prompt.Input{}, []string{"fs/write", "web"},
			[]string{`visibility: fs/read: the tool is hidden by the rule "x"`}},
		{"a predicate that holds", []stage.VisibilityRule{{Tool: "web", When: turn2}}, prompt.Input{Turn: 2}, []string{"fs/read", "fs/write"},
			[]string{`visibility: web: the tool is hidden by the rule tool "web"`}},
		{"a predicate that does not", []stage.VisibilityRule{{Tool: "web", When: turn2}}, prompt.Input{Turn: 1}, []string{"fs/read", "fs/write", "web"}, []string{}},
		{"an exception that does not hold", []stage.VisibilityRule{{Tool: "web"}, {Tool: "web", Show: true, When: turn2}, {Tool: "none"}}, prompt.Input{}, []string{"fs/read", "fs/write"},
			[]string{`visibility: web: the tool is hidden by the rule tool "web"`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := prompt.Assembly{Tools: tools("fs/read", "fs/write", "web"), Known: []string{"fs/read", "fs/write", "web"}}
			a.Tools[2].From.Source = "mcp:search"
			got := apply(t, stage.Visibility(tt.rules...), tt.in, a)
			diff(t, "tools", toolNames(got), tt.want)
			diff(t, "notes", notes(got), tt.notes)
			diff(t, "known", got.Known, a.Known)
			if len(tt.notes) == 0 {
				untouched(t, a, got)
			}
		})
	}
}

func TestVisibilityPromises(t *testing.T) {
	always := stage.Visibility(stage.VisibilityRule{Tool: "x"})
	sometimes := stage.Visibility(stage.VisibilityRule{Tool: "x"}, stage.VisibilityRule{When: func(prompt.Input) bool { return true }})
	if always.PerStep || !always.Local || !sometimes.PerStep || sometimes.Local {
		t.Errorf("got %+v and %+v", always, sometimes)
	}
	noAllocs(t, always, prompt.Assembly{Tools: tools("a", "b")})
}

func TestVisibilityPatterns(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"*", "anything", true}, {"*", "", true}, {"a", "a", true}, {"a", "ab", false}, {"a*", "a", true}, {"a*", "ba", false},
		{"*a", "ba", true}, {"*a", "ab", false}, {"a*b*c", "a-b-b-c", true}, {"a*b*c", "acb", false}, {"a*a", "a", false},
		{"**", "x", true}, {"a?", "ab", false}, {"mcp/*", "mcp/a/b", true},
	}
	for _, tt := range tests {
		got := apply(t, stage.Visibility(stage.VisibilityRule{Tool: tt.pattern}), prompt.Input{}, prompt.Assembly{Tools: tools(tt.name)})
		diff(t, tt.pattern+" fits "+tt.name, len(got.Tools) == 0, tt.want)
	}
}
