package tool

import (
	"context"
	"encoding/json"
	"fmt"
)

// Pending is the error of a call that waits for a person. It is no fault: the run
// pauses, the question is kept with the session, and once somebody answered, be it
// in another process, the tool's [Answerer] makes a result of the answer.
type Pending struct {
	Question string // valid UTF-8, not empty
	// Choices are the answers that the tool understands, the one that changes least
	// first; empty: any text.
	Choices []string
}

// Error returns what the call waits for.
func (p *Pending) Error() string { return fmt.Sprintf("waits for an answer to: %s", p.Question) }

// An Answerer is a [Tool] whose calls may be [Pending].
type Answerer interface {
	Tool
	// Answer returns the result of a call that was pending, given its arguments and
	// what the person answered.
	Answer(ctx context.Context, args json.RawMessage, answer string) (Result, error)
}
