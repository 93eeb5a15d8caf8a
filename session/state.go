package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxState is the most bytes that the value of a [State] may have.
const MaxState = 256 << 10

// A State is a value that the session keeps under a name, such as a list of what
// is to be done. It is no part of the history, so it holds whatever becomes of
// that; of one name the last value counts.
type State struct {
	Name string `json:"name"` // lower-case letters, digits, "_" and "-", at most 64
	// Value is JSON without blanks between its tokens, at most MaxState bytes of it;
	// empty: nothing is kept under the name any more.
	Value json.RawMessage `json:"value,omitempty"`
}

// A Standing is a state that holds.
type Standing struct {
	State
	Seq   uint64 // the event that set it
	Head  uint64 // the answer whose call set it; without a call Seq
	Steps int    // how many steps had sent a request when it was set
}

var stateName = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// Check reports what makes a state one that a log does not take.
func (s *State) Check() error {
	switch {
	case !stateName.MatchString(s.Name):
		return fmt.Errorf("state %q: a name is 1 to 64 lower-case letters, digits, _ or -", s.Name)
	case len(s.Value) > MaxState:
		return fmt.Errorf("state %s: %d bytes, and at most %d are kept", s.Name, len(s.Value), MaxState)
	case len(s.Value) == 0:
		return nil
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, s.Value); err != nil || !utf8.Valid(s.Value) {
		return fmt.Errorf("state %s: its value is not JSON", s.Name)
	}
	if !bytes.Equal(compact.Bytes(), s.Value) {
		return fmt.Errorf("state %s: its value has blanks between its tokens", s.Name)
	}
	return nil
}

// State returns what the session keeps under a name.
func (v *View) State(name string) (Standing, bool) {
	i, ok := slices.BinarySearchFunc(v.States, name, byName)
	if !ok {
		return Standing{}, false
	}
	return v.States[i], true
}

func byName(s Standing, name string) int { return strings.Compare(s.Name, name) }

// StepNumber returns the number, from 1, that a step has among all steps of the
// session that sent a request, or will have once it sends one. A further request
// of the same step, as to another model, is no new step.
func (v *View) StepNumber(turn, step int) int {
	if v.Steps > 0 && v.SentTurn == turn && v.SentStep == step {
		return v.Steps
	}
	return v.Steps + 1
}

// keep takes in a state. The list of earlier views stays as it is.
func (f *Folder) keep(e Event) {
	states := f.view.States
	i, ok := slices.BinarySearchFunc(states, e.State.Name, byName)
	out := slices.Clone(states[:i])
	if len(e.State.Value) > 0 {
		set := Standing{State: *e.State, Seq: e.Seq, Head: e.Seq, Steps: f.view.Steps}
		for i := range f.tail {
			if f.tail[i].missing > 0 {
				set.Head = f.tail[i].place.Head
			}
		}
		out = append(out, set)
	}
	if ok {
		i++
	}
	f.view.States = append(out, states[i:]...)
}
