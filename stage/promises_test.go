package stage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/prompttest"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// Every stage keeps the promises of its fields and leaves its argument alone.
func TestPromises(t *testing.T) {
	busy := prompt.Assembly{
		Sections: []prompt.Section{
			file("base", "", "You are {{who}}.", span.Builtin), file("mine", "m.md", "Be brief.", span.User), file("AGENTS.md", "AGENTS.md", lines(30, "use tabs"), span.Project),
			file("blank", "", " \n", span.Tool), file("empty", "", "", span.Tool), section(prompt.Instructions, "todo", "one"), section(prompt.Context, "now", "noon"),
		},
		Tools: tools("write", "read", "web"), Known: []string{"read", "web", "write"}, Vars: []prompt.Var{{Name: "who", Value: "proem"}},
		Notes: []prompt.Note{{Name: "old"}}, Diagnostics: []prompt.Diagnostic{{Code: "old"}},
	}
	busy.Sections[0].Text[0].Template = true
	busy.Sections[2].Min = 5
	busy.Sections[5].Class = prompt.Turn
	fenced := apply(t, stage.Fence(stage.FenceConfig{}), prompt.Input{}, busy)
	cases := []prompttest.Case{
		{Name: "busy", Assembly: busy, Input: prompt.Input{Turn: 1, Step: 1}}, {Name: "fenced", Assembly: fenced}, {Name: "empty"},
		{Name: "one", Assembly: system("only")}, {Name: "muted", Assembly: prompt.Assembly{Sections: busy.Sections, Mutes: []prompt.Channel{prompt.Context}}},
	}
	text := func(f func(string) string) prompt.Stage {
		return stage.Text("x", prompt.System, func(_ prompt.Input, s string) (string, error) { return f(s), nil })
	}
	for i, s := range []prompt.Stage{
		text(func(s string) string { return "top\n\n" + s + "\n\nend" }), text(strings.ToUpper), text(func(string) string { return "" }),
		text(func(s string) string { return strings.ReplaceAll(s, "tabs", "spaces") }), text(func(s string) string { return s + "x" }),
		stage.ToolOrder(nil), stage.ToolOrder([]string{"web", stage.Unlisted}), stage.ToolOrder([]string{"ghost"}),
		stage.Visibility(), stage.Visibility(stage.VisibilityRule{Tool: "w*"}), stage.Visibility(stage.VisibilityRule{Tool: "web", When: func(in prompt.Input) bool { return in.Step > 0 }}),
		stage.Fence(stage.FenceConfig{}), stage.Fence(stage.FenceConfig{Trust: span.User}), stage.DropBlank(), stage.MoveTurn(), stage.Heading(prompt.Context, "Now."),
		stage.Budget(stage.BudgetConfig{}), stage.Budget(stage.BudgetConfig{Tokens: 40, Tools: true}), stage.Budget(stage.BudgetConfig{Tokens: 60, Count: words}), stage.Budget(stage.BudgetConfig{Tokens: 10000}),
	} {
		t.Run(fmt.Sprintf("%d %s", i, s.Name), func(t *testing.T) { prompttest.Check(t, s, cases...) })
	}
}

// Tools come out in one order, whoever registered first.
func TestToolOrderIndependent(t *testing.T) {
	var layers []prompt.Layer
	for i, names := range [][]string{{"zeta"}, {"alpha"}, {"mu", "Beta"}} {
		layers = append(layers, prompt.Layer{Scope: fmt.Sprint(i), Tools: []prompt.ToolDef{{Specs: tools(names...)}}})
	}
	for l := range layers { // the description is not to depend on the place
		for i := range layers[l].Tools[0].Specs {
			layers[l].Tools[0].Specs[i].Description = ""
		}
	}
	in := prompt.Input{Lineage: []string{"0", "1", "2"}}
	prompttest.Shuffle(t, in, layers, stage.ToolOrder(nil))
	prompttest.Shuffle(t, in, layers, stage.ToolOrder([]string{"mu", stage.Unlisted}))

	s, err := prompt.NewSnapshot(1, layers...)
	if err != nil {
		t.Fatal(err)
	}
	a, err := prompt.Assemble(s, in, stage.ToolOrder(nil))
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "order", toolNames(a), []string{"Beta", "alpha", "mu", "zeta"})
}
