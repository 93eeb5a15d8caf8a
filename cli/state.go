package cli

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/todo"
)

// describeState returns what a session keeps from here on, in lines.
func describeState(s *session.State) string {
	switch s.Name {
	case todo.StateName:
		if list, err := todo.Parse(s.Value); err == nil {
			return describeTodos(list)
		}
	case plan.StateName:
		return describePlan(plan.Parse(s.Value))
	}
	if len(s.Value) == 0 {
		return "keeps no " + s.Name
	}
	return "keeps " + s.Name + ", " + plural(len(s.Value), "byte")
}

func describeTodos(l todo.List) string {
	if len(l.Items) == 0 {
		return "nothing to do"
	}
	lines := make([]string, len(l.Items))
	for i, item := range l.Items {
		lines[i] = item.String()
	}
	return strings.Join(lines, "\n")
}

func describePlan(s plan.State) string {
	text := "plan mode is off"
	if s.Active {
		text = "plan mode is on"
	}
	if s.Plan != "" {
		text += fmt.Sprintf("; the plan has %s", plural(strings.Count(s.Plan, "\n")+1, "line"))
	}
	return text
}
