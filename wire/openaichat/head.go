package openaichat

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

// head writes everything up to and including the system messages.
func (e *encoder) head() error {
	if e.req.Model == "" {
		return fmt.Errorf("openai-chat: the request names no model")
	}
	e.Raw(`{"model":`)
	e.Quoted(e.req.Model)
	if err := e.options(); err != nil {
		return err
	}
	if err := e.tools(); err != nil {
		return err
	}
	if err := e.extra(); err != nil {
		return err
	}
	e.Raw(`,"messages":[`)
	e.channels()
	return nil
}

const notKnown = "this model is not known to understand it"

func (e *encoder) drop(sev prompt.Severity, what, why string) {
	e.Lose(sev, wire.CodeDropped, what+" is not sent: "+why, nil)
}

// options writes the parameters that were set and that the model knows.
func (e *encoder) options() error {
	o := &e.req.Options
	if !o.NoStream {
		e.Raw(`,"stream":true`)
		if e.cap.StreamUsage {
			e.Raw(`,"stream_options":{"include_usage":true}`)
		}
	}
	if o.MaxOutputTokens != 0 {
		key := e.cap.MaxTokensKey
		if key == "" {
			key = "max_completion_tokens"
		}
		e.key(key)
		e.Int(o.MaxOutputTokens)
	}
	if err := e.number("temperature", o.Temperature); err != nil {
		return err
	}
	if err := e.number("top_p", o.TopP); err != nil {
		return err
	}
	e.text("reasoning_effort", o.Reasoning, e.cap.Reasoning, prompt.Warning)
	if o.Store != nil {
		e.key("store")
		e.Bool(*o.Store)
	}
	e.text("user", o.User, true, prompt.Warning)
	e.text("prompt_cache_key", o.CacheKey, e.cap.CacheKey, prompt.Info) // changes no answer
	return nil
}

func (e *encoder) key(name string) {
	e.Raw(",")
	e.Quoted(name)
	e.Raw(":")
}

func (e *encoder) number(name string, v *float64) error {
	if v == nil {
		return nil
	}
	if math.IsNaN(*v) || math.IsInf(*v, 0) {
		return fmt.Errorf("openai-chat: %s: %v is not a JSON number", name, *v)
	}
	e.key(name)
	b, err := wire.CanonicalJSON(strconv.AppendFloat(nil, *v, 'g', -1, 64))
	if err != nil {
		return fmt.Errorf("openai-chat: %s: %w", name, err)
	}
	e.JSON = append(e.JSON, b...)
	return nil
}

// text writes an option that is a string, or reports that it is left out.
func (e *encoder) text(name, v string, known bool, sev prompt.Severity) {
	switch {
	case v == "":
	case !known:
		e.drop(sev, name, notKnown)
	default:
		e.key(name)
		e.Quoted(v)
	}
}

// tools writes the tools and the two options that speak of them.
func (e *encoder) tools() error {
	o := &e.req.Options
	if len(e.req.Tools) == 0 {
		if o.ToolChoice != "" {
			e.drop(prompt.Warning, "tool_choice", "the request has no tools")
		}
		return nil
	}
	e.Raw(`,"tools":[`)
	for i := range e.req.Tools {
		if i > 0 {
			e.Raw(",")
		}
		if err := e.tool(&e.req.Tools[i]); err != nil {
			return err
		}
	}
	e.Raw("]")
	e.toolChoice()
	if o.Parallel != nil {
		if e.cap.Parallel {
			e.key("parallel_tool_calls")
			e.Bool(*o.Parallel)
		} else {
			e.drop(prompt.Warning, "parallel_tool_calls", notKnown)
		}
	}
	return nil
}

func (e *encoder) tool(t *chat.ToolSpec) error {
	e.Raw(`{"type":"function","function":{"name":"`)
	e.Inside(t.Name, t.From, span.NoOffset)
	e.Raw(`"`)
	if t.Description != "" {
		e.Raw(`,"description":"`)
		e.Inside(t.Description, t.From, span.NoOffset)
		e.Raw(`"`)
	}
	if t.Parameters != nil {
		p, err := wire.CanonicalJSON(t.Parameters)
		if err != nil {
			return fmt.Errorf("openai-chat: parameters of tool %q: %w", t.Name, err)
		}
		if p[0] != '{' {
			return fmt.Errorf("openai-chat: parameters of tool %q: not a JSON object", t.Name)
		}
		e.Raw(`,"parameters":`)
		e.Value(p, t.From)
	}
	if t.Strict {
		if e.cap.StrictTools {
			e.Raw(`,"strict":true`)
		} else {
			e.Lose(prompt.Info, wire.CodeDropped, fmt.Sprintf("strict is not sent for tool %q: %s", t.Name, notKnown), t.From)
		}
	}
	e.Raw("}}")
	return nil
}

func (e *encoder) toolChoice() {
	choice := e.req.Options.ToolChoice
	switch choice {
	case "":
	case "auto", "none", "required":
		e.key("tool_choice")
		e.Quoted(choice)
	default:
		if !slices.ContainsFunc(e.req.Tools, func(t chat.ToolSpec) bool { return t.Name == choice }) {
			e.drop(prompt.Warning, "tool_choice", fmt.Sprintf("the request has no tool %q", choice))
			return
		}
		e.Raw(`,"tool_choice":{"type":"function","function":{"name":`)
		e.Quoted(choice)
		e.Raw("}}")
	}
}

// extra writes the caller's own fields. They stand behind all others except the
// messages, which are always last. Like all options they are no text: they carry
// no marks.
func (e *encoder) extra() error {
	if len(e.req.Options.Extra) == 0 {
		return nil
	}
	var present map[string]json.RawMessage
	if err := json.Unmarshal(append(slices.Clone(e.JSON), '}'), &present); err != nil {
		return fmt.Errorf("openai-chat: extra fields: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(e.req.Options.Extra)) {
		if _, ok := present[name]; ok || name == "messages" {
			return fmt.Errorf("openai-chat: extra field %q is already part of the request", name)
		}
		v, err := wire.CanonicalJSON(e.req.Options.Extra[name])
		if err != nil {
			return fmt.Errorf("openai-chat: extra field %q: %w", name, err)
		}
		e.key(name)
		e.JSON = append(e.JSON, v...)
	}
	return nil
}

// channels writes the system text and the instructions at the head of the
// messages.
func (e *encoder) channels() {
	sys, ins := e.req.System, e.req.Instructions
	if wire.Blank(sys) {
		sys = nil
	}
	if wire.Blank(ins) {
		ins = nil
	}
	if len(sys) > 0 && len(ins) > 0 && e.merged() {
		e.openMessage(e.headRole())
		e.Parts(sys)
		e.Separator(prompt.DefaultSep)
		e.Parts(ins)
		e.Raw(`"}`)
		return
	}
	for _, parts := range [...][]prompt.Part{sys, ins} {
		if len(parts) > 0 {
			e.openMessage(e.headRole())
			e.Parts(parts)
			e.Raw(`"}`)
		}
	}
}

func (e *encoder) headRole() string {
	if e.cap.DeveloperRole {
		return "developer"
	}
	return "system"
}

// merged decides the placement of two channels that both have text.
func (e *encoder) merged() bool {
	if e.req.Placement == wire.Auto && !e.cap.ManySystem {
		e.Lose(prompt.Info, wire.CodeMerged, "system text and instructions share one message: this model is not known to accept two system messages", nil)
		return true
	}
	return e.req.Placement == wire.Merged
}

// openMessage begins a message whose content is one string.
func (e *encoder) openMessage(role string) {
	e.begin()
	e.Raw(`{"role":"`)
	e.Raw(role)
	e.Raw(`","content":"`)
}

// begin writes the comma before every message but the first.
func (e *encoder) begin() {
	if e.JSON[len(e.JSON)-1] != '[' {
		e.Raw(",")
	}
}
