// Package plan has the tools by which a model plans before it acts: plan_enter,
// plan_write and plan_exit.
//
//	cfg := agent.Config{Tools: append(plan.New(), …), …}
//
// Plan mode is state of the session, not a text in the conversation. As long as it is
// on, the agent's loop refuses every call that would change something, whatever
// rules allow it; a reminder at the end of each request says so, and goes with the
// mode. Tools and prefix stay as they are. plan_exit always asks a person.
package plan

import (
	"context"
	"encoding/json"

	"github.com/proemhq/proem/tool"
)

// Names of the tools.
const (
	EnterName = "plan_enter"
	WriteName = "plan_write"
	ExitName  = "plan_exit"
)

// StateName is the name under which a session keeps the mode and the plan.
const StateName = "plan"

// MaxPlan is the most bytes that a plan may have.
const MaxPlan = 64 << 10

// A State is what a session keeps of planning.
type State struct {
	Active bool `json:"active"` // plan mode is on
	// Told says that the conversation tells of plan mode, so that a model must be
	// told when it ends.
	Told bool `json:"told,omitempty"`
	// Agreed is the turn in which the user agreed to the plan, which ended plan mode;
	// 0: none did.
	Agreed int    `json:"agreed,omitempty"`
	Plan   string `json:"plan,omitempty"` // what plan_write kept last; it stays until the mode is turned on again
}

// Parse reads what a session keeps under StateName. With what cannot be read, plan
// mode is on: it forbids, and somebody can end it.
func Parse(value json.RawMessage) State {
	var s State
	if len(value) > 0 && json.Unmarshal(value, &s) != nil {
		return State{Active: true, Told: true}
	}
	return s
}

// From returns the state of the session in which a tool is called or a source read.
func From(ctx context.Context) State { return Parse(tool.StateOf(ctx, StateName).Value) }

// Keep returns the state as a session keeps it.
func (s State) Keep() tool.State {
	kept, err := tool.NewState(StateName, s)
	if err != nil {
		panic(err) // a struct of strings and bools
	}
	return kept
}

// keeping returns a result that changes the state.
func (s State) keeping(text string) tool.Result {
	r := tool.Text(text)
	r.State = []tool.State{s.Keep()}
	return r
}
