package plan

import (
	"context"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
)

// Texts of the prompt. What names a tool is left out where the tool is not shown.
const (
	guide = "When a task is large, risky or unclear, call plan_enter first: you can look and ask then, and change nothing until the user agrees " +
		"to your plan. Leave it for small things."
	reminder = "Plan mode is on. Look, ask and think the task through; calls that would change something are refused, also in another form."
	howTo    = "Keep the plan with plan_write, and end with plan_exit: the user decides whether it is carried out. "
)

// passages are the texts that come with the tools. The reminder needs none of
// them: a user can turn plan mode on where the model cannot.
var passages = []tool.Passage{
	{Section: prompt.SectionDef{Name: EnterName, Body: prompt.Body{Literal: guide}}, Needs: []string{EnterName}},
	{Section: prompt.SectionDef{Name: "plan-reminder", Channel: prompt.Reminder, Class: prompt.Turn, Order: 100, Source: "plan"},
		Source: while(func(context.Context, State) string { return reminder })},
	{Section: prompt.SectionDef{Name: "plan-tools", Channel: prompt.Reminder, Class: prompt.Turn, Order: 110, Source: "plan"},
		Source: while(tools), Needs: []string{WriteName, ExitName}},
}

// while returns a source that says something as long as plan mode is on.
func while(text func(context.Context, State) string) source.Source {
	return source.Func(func(ctx context.Context, _ source.Query) (prompt.Fact, error) {
		s := From(ctx)
		if !s.Active {
			return prompt.Fact{None: true}, nil
		}
		return prompt.Fact{Text: text(ctx, s), Class: prompt.Turn}, nil
	})
}

// tools is what is said of the tools, and of the plan.
func tools(ctx context.Context, s State) string {
	switch {
	case s.Plan == "":
		return howTo + "No plan is kept yet."
	case forgotten(ctx):
		return howTo + "The plan that is kept:\n" + s.Plan
	}
	return howTo + "A plan is kept: " + size(s.Plan) + "."
}

// forgotten reports whether a summary took the place of the call that kept the plan.
func forgotten(ctx context.Context) bool { return tool.StateOf(ctx, StateName).Forgotten > 0 }
