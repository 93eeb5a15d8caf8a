package cli

import (
	"context"
	"fmt"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/todo"
)

// kept returns what the session keeps under a name.
func (t *talk) kept(ctx context.Context, name string) (session.Standing, error) {
	v, err := t.b.agent.View(ctx, t.id)
	s, _ := v.State(name)
	return s, err
}

// todos shows the agent's list.
func (t *talk) todos(ctx context.Context, _ string) error {
	s, err := t.kept(ctx, todo.StateName)
	if err != nil {
		return err
	}
	list, err := todo.Parse(s.Value)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(t.out, visible(describeTodos(list)))
	return err
}

// plan turns plan mode on or off, or shows it and the plan.
func (t *talk) plan(ctx context.Context, word string) error {
	switch word {
	case "on", "off":
		changed, err := t.b.agent.SetPlan(ctx, t.id, word == "on")
		if err != nil {
			return err
		}
		t.begun = t.begun || changed
	case "":
	default:
		return fmt.Errorf("/plan %s: write on, off, or nothing", word)
	}
	s, err := t.kept(ctx, plan.StateName)
	if err != nil {
		return err
	}
	state := plan.Parse(s.Value)
	fmt.Fprintln(t.out, describePlan(state))
	if word == "" && state.Plan != "" {
		fmt.Fprintln(t.out, visible(state.Plan))
	}
	return nil
}
