package dialect

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// Parallel writes whether calls may be parallel. It belongs to requests with
// tools.
func (e *Encoder) Parallel() {
	p := e.Req.Options.Parallel
	switch {
	case p == nil || len(e.Req.Tools) == 0:
	case e.Cap.Parallel:
		e.Key("parallel_tool_calls")
		e.Bool(*p)
	default:
		e.Drop(prompt.Warning, "parallel_tool_calls", NotKnown)
	}
}

// Tools writes the list of tools by a function that writes one.
func (e *Encoder) Tools(tool func(*chat.ToolSpec) error) error {
	if len(e.Req.Tools) == 0 {
		if e.Req.Options.ToolChoice != "" {
			e.Drop(prompt.Warning, "tool_choice", "the request has no tools")
		}
		return nil
	}
	e.Raw(`,"tools":[`)
	for i := range e.Req.Tools {
		e.Next()
		if err := tool(&e.Req.Tools[i]); err != nil {
			return err
		}
	}
	e.Raw("]")
	return nil
}

// ToolHead writes the members that name and describe a tool.
func (e *Encoder) ToolHead(t *chat.ToolSpec) {
	e.Raw(`"name":"`)
	e.Inside(t.Name, t.From, span.NoOffset)
	e.Raw(`"`)
	if t.Description != "" {
		e.Raw(`,"description":"`)
		e.Inside(t.Description, t.From, span.NoOffset)
		e.Raw(`"`)
	}
}

// ToolSchema returns the parameters of a tool as the model can take them.
func (e *Encoder) ToolSchema(t *chat.ToolSpec) ([]byte, error) {
	return e.Schema(t.Parameters, e.Strict(t), fmt.Sprintf("parameters of tool %q", t.Name), t.From)
}

// Strict reports whether the schema of a tool is to be enforced.
func (e *Encoder) Strict(t *chat.ToolSpec) bool { return t.Strict && e.Cap.StrictTools }

// ReportStrict reports a tool whose schema cannot be enforced.
func (e *Encoder) ReportStrict(t *chat.ToolSpec) {
	if t.Strict && !e.Cap.StrictTools {
		e.Lose(prompt.Info, wire.CodeDropped, fmt.Sprintf("strict is not sent for tool %q: %s", t.Name, NotKnown), t.From)
	}
}

// Schema returns a schema in canonical form, at the level of the model or, if it
// is to be enforced, at the strict one. What that changes is reported.
func (e *Encoder) Schema(raw json.RawMessage, strict bool, what string, from *span.Origin) ([]byte, error) {
	level := e.Cap.Schema
	if strict {
		level = wire.SchemaStrict
	}
	out, losses, err := wire.DownLevel(raw, level)
	if err != nil {
		return nil, e.Fail("%s: %w", what, err)
	}
	for _, l := range losses {
		e.Lose(l.Severity, wire.CodeSchema, fmt.Sprintf("%s: %s", what, l), from)
	}
	return out, nil
}

// Chosen returns the choice of tools: a word of the protocol, or else the name
// of a tool that the request has. It is empty if there is nothing to send.
func (e *Encoder) Chosen() (word, tool string) {
	choice := e.Req.Options.ToolChoice
	switch {
	case choice == "" || len(e.Req.Tools) == 0:
		return "", ""
	case choice == "auto" || choice == "none" || choice == "required":
		return choice, ""
	case slices.ContainsFunc(e.Req.Tools, func(t chat.ToolSpec) bool { return t.Name == choice }):
		return "", choice
	}
	e.Drop(prompt.Warning, "tool_choice", fmt.Sprintf("the request has no tool %q", choice))
	return "", ""
}

// ToolChoice writes the choice of tools. Before is what stands before the quoted
// name of a tool, after what stands behind it.
func (e *Encoder) ToolChoice(before, after string) {
	word, tool := e.Chosen()
	switch {
	case word != "":
		e.Key("tool_choice")
		e.Quoted(word)
	case tool != "":
		e.Key("tool_choice")
		e.Raw(before)
		e.Quoted(tool)
		e.Raw(after)
	}
}
