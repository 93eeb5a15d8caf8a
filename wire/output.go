package wire

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// An Output is the form that an answer must have. A dialect sends it as its
// protocol's answer schema where the capability record allows that, else as a
// tool that the model must call.
type Output struct {
	// Name is what the answer is called: letters, digits, _ and -; empty:
	// DefaultOutput.
	Name   string
	Schema json.RawMessage // a JSON Schema object
	Strict bool            // ask the provider to enforce the schema
}

// DefaultOutput is the name of an answer that has none.
const DefaultOutput = "answer"

// OutputOrigin is where the schema of an answer comes from.
var OutputOrigin = span.Generated("output")

const outputTool = "Gives the final answer. Call it once, when the answer is complete; no other text is read."

// Named returns o with its name filled in.
func (o Output) Named() Output {
	if o.Name == "" {
		o.Name = DefaultOutput
	}
	return o
}

// Tool returns the tool that stands for o where a protocol has no answer schema.
// A call of it is the answer: its arguments fit the schema.
func (o Output) Tool() chat.ToolSpec {
	o = o.Named()
	return chat.ToolSpec{Name: o.Name, Description: outputTool, Parameters: o.Schema, Strict: o.Strict, From: OutputOrigin}
}

// WithOutputTool returns the request with a tool in place of Options.Output, and
// a report of it. Without other tools the model must call this one, with others
// it must call any. A choice other than auto that the caller made stays. The
// request itself is not changed.
func (r Request) WithOutputTool() (Request, []Loss, error) {
	if r.Options.Output == nil {
		return r, nil, nil
	}
	tool := r.Options.Output.Tool()
	if slices.ContainsFunc(r.Tools, func(t chat.ToolSpec) bool { return t.Name == tool.Name }) {
		return r, nil, fmt.Errorf("the answer is called %q like a tool of the request; give it another name", tool.Name)
	}
	how := "the model must call it"
	switch choice := r.Options.ToolChoice; {
	case choice != "" && choice != "auto":
		how = "the choice of tools is the caller's, so that the model need not call it"
	case len(r.Tools) == 0:
		r.Options.ToolChoice = tool.Name
	default:
		r.Options.ToolChoice = "required"
		how = "the model must call it or another tool"
	}
	r.Tools = append(slices.Clip(r.Tools), tool)
	r.Options.Output = nil
	return r, []Loss{NewLoss(prompt.Info, CodeDowngraded,
		fmt.Sprintf("the schema of the answer is sent as the tool %q: %s", tool.Name, how), OutputOrigin)}, nil
}

func sameOutput(a, b *Output) bool {
	return a.Name == b.Name && a.Strict == b.Strict && sameBytes(a.Schema, b.Schema)
}
