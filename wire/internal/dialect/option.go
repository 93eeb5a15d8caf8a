package dialect

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// Fail returns an error that begins with the name of the dialect.
func (e *Encoder) Fail(format string, args ...any) error {
	return fmt.Errorf("%s: %w", e.name, fmt.Errorf(format, args...))
}

// Begin opens the body with the model and, unless one object is asked for, the
// stream flag.
func (e *Encoder) Begin() error {
	if err := e.Model(); err != nil {
		return err
	}
	e.Stream()
	return nil
}

// Model opens the body with the model.
func (e *Encoder) Model() error {
	if e.Req.Model == "" {
		return e.Fail("the request names no model")
	}
	e.Raw(`{"model":`)
	e.Quoted(e.Req.Model)
	return nil
}

// Stream writes the stream flag, unless one object is asked for.
func (e *Encoder) Stream() {
	if !e.Req.Options.NoStream {
		e.Raw(`,"stream":true`)
	}
}

// Key writes a comma and the name of a member.
func (e *Encoder) Key(name string) {
	e.Raw(",")
	e.Quoted(name)
	e.Raw(":")
}

// Number writes an option that is a number, if it is set.
func (e *Encoder) Number(name string, v *float64) error {
	if v == nil {
		return nil
	}
	if math.IsNaN(*v) || math.IsInf(*v, 0) {
		return e.Fail("%s: %v is not a JSON number", name, *v)
	}
	e.Key(name)
	b, err := wire.CanonicalJSON(strconv.AppendFloat(nil, *v, 'g', -1, 64))
	if err != nil {
		return e.Fail("%s: %w", name, err)
	}
	e.JSON = append(e.JSON, b...)
	return nil
}

// String writes an option that is a string, or reports that it is left out.
func (e *Encoder) String(name, v string, known bool, sev prompt.Severity) {
	switch {
	case v == "":
	case !known:
		e.Drop(sev, name, NotKnown)
	default:
		e.Key(name)
		e.Quoted(v)
	}
}

// User writes for whom the request is made, under the name that the model knows.
func (e *Encoder) User() {
	name := "user"
	if e.Cap.SafetyID {
		name = "safety_identifier"
	}
	e.String(name, e.Req.Options.User, true, prompt.Warning)
}

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

// Extra writes the caller's own fields. They stand behind all others except the
// reserved ones, which the dialect writes later. Like all options they are no
// text: they carry no marks.
func (e *Encoder) Extra(reserved ...string) error {
	if len(e.Req.Options.Extra) == 0 {
		return nil
	}
	var present map[string]json.RawMessage
	if err := json.Unmarshal(append(slices.Clone(e.JSON), '}'), &present); err != nil {
		return e.Fail("extra fields: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Req.Options.Extra)) {
		if _, ok := present[name]; ok || slices.Contains(reserved, name) {
			return e.Fail("extra field %q is already part of the request", name)
		}
		v, err := wire.CanonicalJSON(e.Req.Options.Extra[name])
		if err != nil {
			return e.Fail("extra field %q: %w", name, err)
		}
		e.Key(name)
		e.JSON = append(e.JSON, v...)
	}
	return nil
}

// Channels returns the parts of the two text channels; nil for one without text.
func (e *Encoder) Channels() (system, instructions []prompt.Part) {
	if !wire.Blank(e.Req.System) {
		system = e.Req.System
	}
	if !wire.Blank(e.Req.Instructions) {
		instructions = e.Req.Instructions
	}
	return system, instructions
}

// HeadRole returns the role of system text at the head.
func (e *Encoder) HeadRole() string {
	if e.Cap.DeveloperRole {
		return "developer"
	}
	return "system"
}

// ForceOutput puts a tool in place of the schema of the answer, unless that is
// supported.
func (e *Encoder) ForceOutput(supported bool) error {
	if supported {
		return nil
	}
	r, losses, err := e.Req.WithOutputTool()
	if err != nil {
		return e.Fail("%w", err)
	}
	e.Req = &r
	e.Losses = append(e.Losses, losses...)
	return nil
}

// OutputSchema returns the schema of the answer as the model can take it, and
// whether it is to be enforced.
func (e *Encoder) OutputSchema(o wire.Output) (schema []byte, strict bool, err error) {
	strict = o.Strict && e.Cap.StrictTools
	if o.Strict && !strict {
		e.Lose(prompt.Info, wire.CodeDropped, "strict is not sent for the answer: "+NotKnown, wire.OutputOrigin)
	}
	schema, err = e.Schema(o.Schema, strict, "schema of the answer", wire.OutputOrigin)
	return schema, strict, err
}

// Joined writes the two channels into one string, with a blank line between.
func (e *Encoder) Joined(system, instructions []prompt.Part) {
	e.Parts(system)
	if len(system) > 0 && len(instructions) > 0 {
		e.Separator(prompt.DefaultSep)
	}
	e.Parts(instructions)
}
