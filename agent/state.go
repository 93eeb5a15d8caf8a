package agent

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
)

// statesAt returns what a session keeps, as tools and sources see it before the
// request of a step of that number.
func statesAt(v session.View, step int) func(string) tool.Kept {
	return func(name string) tool.Kept {
		s, ok := v.State(name)
		if !ok {
			return tool.Kept{}
		}
		k := tool.Kept{Value: s.Value, Age: step - s.Steps}
		if v.Through >= s.Head {
			k.Forgotten = step - v.ThroughSteps
		}
		return k
	}
}

// stated returns the events of the states that a result asks to keep. What the
// session cannot keep makes the result an error, and nothing is kept.
func stated(name string, result tool.Result) (tool.Result, []session.Event) {
	events := make([]session.Event, len(result.State))
	for i, s := range result.State {
		state, err := stateOf(s)
		if err != nil {
			return tool.Errorf("the tool %s is broken: %v; nothing of it is kept", name, err), nil
		}
		events[i] = session.Event{Kind: session.Kept, State: state}
	}
	return result, events
}

// stateOf returns a state in the form in which it is recorded.
func stateOf(s tool.State) (*session.State, error) {
	out := &session.State{Name: s.Name, Value: s.Value}
	if len(s.Value) > 0 {
		var b bytes.Buffer
		if err := json.Compact(&b, s.Value); err != nil {
			return nil, fmt.Errorf("state %q: %w", s.Name, err)
		}
		out.Value = b.Bytes()
	}
	return out, out.Check()
}
