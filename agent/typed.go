package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// AnswerInvalid is the reason of an AnswerError whose text does not fit the type.
const AnswerInvalid = "invalid"

// An AnswerError says why an answer is no value of the type that was asked for.
type AnswerError struct {
	// Reason is AnswerInvalid, or why the model or the turn stopped, such as
	// "refusal", "length" or StopSteps.
	Reason string
	Text   string // what the model said instead
	Err    error  // what does not fit; nil for other reasons
}

// Error returns the reason and what does not fit. The text is not part of it.
func (e *AnswerError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the answer is %s: %v", e.Reason, e.Err)
	}
	return "no answer: " + e.Reason
}

// Unwrap returns Err.
func (e *AnswerError) Unwrap() error { return e.Err }

// RunAs runs one turn as Run does and returns its answer as a value of type T.
// The model is told the schema that follows from T, by the means that its
// protocol has; see [wire.Output]. Fields of a struct are named by their json
// tags and described by their description tags; a field is required unless its
// tag says omitempty or omitzero, or it is a pointer.
//
//	type Weather struct {
//		City    string  `json:"city"`
//		Celsius float64 `json:"celsius" description:"at noon"`
//	}
//	w, err := agent.RunAs[Weather](ctx, a, "s1", agent.Text("The weather in Oslo?"))
//
// The provider is asked to enforce the schema unless T holds a map or a value of
// any type, which no provider can enforce. An answer that does not fit is an
// *AnswerError, which holds its text. A type that has no schema, such as a function or one that contains itself, is an error
// at once.
func RunAs[T any](ctx context.Context, a *Agent, id string, in Input) (T, error) {
	var value, none T
	schema, wrapped, err := schemaOf(reflect.TypeFor[T]())
	var raw json.RawMessage
	if err == nil {
		raw, err = json.Marshal(schema)
	}
	if err != nil {
		return none, fmt.Errorf("agent: an answer of type %s: %w", reflect.TypeFor[T](), err)
	}
	o := wire.Output{Schema: raw, Strict: schema.closed()}.Named()
	for a.tools[o.Name] != nil {
		o.Name += "_"
	}
	in.typed = &typed{output: o, take: func(raw []byte) error {
		value = none
		if wrapped {
			return decodeAnswer(raw, &struct {
				Value *T `json:"value"`
			}{&value}, schema)
		}
		return decodeAnswer(raw, &value, schema)
	}}
	var text string
	var answer, turn session.Stop
	for e, err := range a.Run(ctx, id, in) {
		switch {
		case err != nil:
			return none, err
		case e.Kind == session.Answer:
			text, answer = e.Message.Text().String(), *e.Stop
		case e.Kind == session.Stopped:
			turn = *e.Stop
			if e.Message != nil {
				text = e.Message.Text().String()
			}
		}
	}
	if in.typed.taken {
		return value, nil
	}
	if err := finish(in.typed, text, answer, turn); err != nil {
		return none, err
	}
	return value, nil
}

// finish takes an answer that came as text.
func finish(t *typed, text string, answer, turn session.Stop) error {
	for _, stop := range []session.Stop{turn, answer} {
		switch wire.StopReason(stop.Reason) {
		case wire.StopEnd, wire.StopTools, wire.StopOtherwise:
		default:
			return &AnswerError{Reason: stop.Reason, Text: text}
		}
	}
	if err := t.take([]byte(text)); err != nil {
		return &AnswerError{Reason: AnswerInvalid, Text: text, Err: err}
	}
	return nil
}

// typed is what a turn must answer.
type typed struct {
	output wire.Output
	take   func(raw []byte) error
	taken  bool // the answer came as a call, and it fits
}

// ask puts the schema into a request.
func (t *typed) ask(o *wire.Options) {
	if t != nil {
		o.Output = &t.output
	}
}

// done reports whether the turn has its answer.
func (t *typed) done() bool { return t != nil && t.taken }

// answer takes a call that stands for the answer. One that does not fit goes back
// to the model.
func (t *typed) answer(call chat.ToolCall) (tool.Result, bool) {
	if t == nil || call.Name != t.output.Name {
		return tool.Result{}, false
	}
	if err := t.take(call.Args); err != nil {
		return tool.Errorf("the answer does not fit the schema (%v); call the tool again", err), true
	}
	t.taken = true
	return tool.Text("received"), true
}

// decodeAnswer reads an answer strictly: one JSON value, with the required
// members of the schema and without others.
func decodeAnswer(raw []byte, v any, of *schema) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if errors.Is(err, io.EOF) {
			return errors.New("it is empty")
		}
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more follows the value")
	}
	return of.misfit(raw)
}
