package session

import "fmt"

// A Trace is what a request said before its conversation, as it was sent: behind
// all hooks. It stands in the events of agents whose preset asks for it.
type Trace struct {
	System       string `json:"system,omitempty"` // runtime text included
	Instructions string `json:"instructions,omitempty"`
	// Runtime is the part of System that says how the loop works; nil: there is none.
	Runtime *Range `json:"runtime,omitempty"`
	// History is how many messages the session had, and Sent how many stand in the
	// request in their place.
	Sent    int `json:"sent"`
	History int `json:"history"`
}

// A Range is a piece of a text: byte offsets, Hi exclusive.
type Range struct {
	Lo int `json:"lo"`
	Hi int `json:"hi"`
}

func (t *Trace) check() error {
	if r := t.Runtime; r != nil && (r.Lo < 0 || r.Hi < r.Lo || r.Hi > len(t.System)) {
		return fmt.Errorf("trace: the range %d to %d is not within %d bytes of system text", r.Lo, r.Hi, len(t.System))
	}
	return nil
}
