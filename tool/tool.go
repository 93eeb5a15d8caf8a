// Package tool holds what a model may do: the interface of a tool and the value
// it returns. The tools themselves live in packages below this one.
//
// A tool says what the model is told about it and does one call:
//
//	type clock struct{ now func() time.Time }
//
//	func (c clock) Spec() chat.ToolSpec {
//		return chat.ToolSpec{Name: "time", Description: "Returns the current time in UTC."}
//	}
//	func (c clock) Call(ctx context.Context, args json.RawMessage) (tool.Result, error) {
//		return tool.Text(c.now().UTC().Format(time.RFC3339)), nil
//	}
//
// Arguments come from a model and are data from a stranger: a tool checks them.
// [New] makes a tool of a function with a struct for its arguments and checks
// them by itself. What a call would do to the world, for permissions to judge, an
// [Effector] says before. What it should remember in a session it keeps there, as a
// [State]; texts of its own in the prompt are a [Passage]. Tools that come and go
// are a [Set].
package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// A Tool is one ability of a model. Call may run concurrently with itself and
// with other tools.
type Tool interface {
	// Spec returns what the model is told. It is the same at every call.
	Spec() chat.ToolSpec
	// Call runs the tool. args is a complete JSON object; its members are not
	// checked. A result with IsError set, and likewise a returned error, is shown
	// to the model, which may go on. Two errors are different: the context's own
	// ends the run, and a [*Pending] pauses it.
	Call(ctx context.Context, args json.RawMessage) (Result, error)
}

// A Noter is a [Tool] that has something to say to a model that calls it from code:
// for instance which members the value has that it returns. It stands in the
// runtime text of package codeact and nowhere else.
type Noter interface {
	Tool
	Note() string // the same at every call; empty: nothing
}

// A Result is the outcome of a call.
type Result struct {
	Text    span.Text // valid UTF-8
	Images  []chat.Image
	IsError bool
	// Touched are the absolute paths that the call looked at or changed, so that
	// instructions which hold there can be handed over with the result.
	Touched []string
	// Diagnostics are for people: what the call found that somebody should know. The
	// model is not told of them.
	Diagnostics []prompt.Diagnostic
	// State is what the session is to keep from here on. What it cannot keep makes
	// the result an error.
	State []State
}

// Text returns a result of plain text.
func Text(s string) Result { return Result{Text: span.Of(s, nil)} }

// Errorf returns an error result; its text tells the model what was wrong and
// what it can do.
func Errorf(format string, args ...any) Result {
	return Result{Text: span.Of(fmt.Sprintf(format, args...), nil), IsError: true}
}
