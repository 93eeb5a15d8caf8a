package openairesponses

import (
	"encoding/json"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// head writes everything up to and including the instructions.
func (e encoder) head() error {
	if err := e.Opening(e.options, e.tool); err != nil {
		return err
	}
	e.ToolChoice(`{"type":"function","name":`, "}")
	if err := e.Format(`,"text":{"format":{"type":"json_schema","name":`); err != nil {
		return err
	}
	sys, ins := e.Channels()
	var first []prompt.Part
	if e.split(len(sys) > 0 && len(ins) > 0) {
		ins, first = nil, ins
	}
	if len(sys)+len(ins) > 0 {
		e.Raw(`,"instructions":"`)
		e.Joined(sys, ins)
		e.Raw(`"`)
	}
	return e.input(first)
}

// options writes the parameters that were set and that the model knows, and the
// two that hold unless the caller says otherwise: nothing is stored, and
// reasoning is handed out encrypted.
func (e encoder) options() error {
	o := &e.Req.Options
	if o.MaxOutputTokens != 0 {
		e.Key("max_output_tokens")
		e.Int(o.MaxOutputTokens)
	}
	if err := e.Sampling(); err != nil {
		return err
	}
	switch {
	case o.Reasoning == "":
	case e.Cap.Reasoning:
		e.Raw(`,"reasoning":{"effort":`)
		e.Quoted(o.Reasoning)
		e.Raw("}")
	default:
		e.Drop(prompt.Warning, "reasoning", dialect.NotKnown)
	}
	if _, own := o.Extra["store"]; !own || o.Store != nil {
		e.Key("store")
		e.Bool(e.stored())
	}
	if _, own := o.Extra["include"]; !own && e.Cap.SealedReasoning {
		e.Raw(`,"include":["reasoning.encrypted_content"]`)
	}
	e.Parallel()
	e.String("prompt_cache_key", o.CacheKey, e.Cap.CacheKey, prompt.Info) // changes no answer
	e.User()
	return nil
}

// stored reports whether the provider keeps the response.
func (e encoder) stored() bool {
	o := &e.Req.Options
	if o.Store != nil {
		return *o.Store
	}
	if own, ok := o.Extra["store"]; ok {
		return string(own) == "true"
	}
	return o.Chain.On()
}

var noParameters = json.RawMessage(`{"properties":{},"type":"object"}`)

// tool writes one tool. The protocol demands parameters and strict.
func (e encoder) tool(t *chat.ToolSpec) error {
	e.Raw(`{"type":"function",`)
	e.ToolHead(t)
	whole := *t
	if whole.Parameters == nil {
		whole.Parameters = noParameters
	}
	p, err := e.ToolSchema(&whole)
	if err != nil {
		return err
	}
	e.Raw(`,"parameters":`)
	e.Value(p, t.From)
	e.Raw(`,"strict":`)
	e.Bool(e.Strict(t))
	e.ReportStrict(t)
	e.Raw("}")
	return nil
}

// split decides whether the instructions are a message. Both says that the two
// channels have text: only then is there something to report.
func (e encoder) split(both bool) bool {
	chained := e.Req.Options.Chain.On()
	why := ""
	switch split := e.Req.Placement == wire.Split || e.Req.Placement == wire.Auto && e.Cap.ManySystem; {
	case split && !chained:
		return true
	case split:
		why = "in a chain of responses only this field is replaced"
	case e.Req.Placement == wire.Auto:
		why = "this model is not known to accept a system message besides"
	}
	if both && why != "" {
		e.Lose(prompt.Info, wire.CodeMerged, "system text and instructions share the field instructions: "+why, nil)
	}
	return false
}

// input writes the caller's own fields, what is continued, and opens the list of
// items.
func (e encoder) input(first []prompt.Part) error {
	if id := e.Req.Options.Chain.ID; id != "" {
		if err := e.Extra("input", "previous_response_id"); err != nil {
			return err
		}
		e.Key("previous_response_id")
		e.Quoted(id)
	} else if err := e.Extra("input"); err != nil {
		return err
	}
	e.Raw(`,"input":[`)
	if len(first) > 0 {
		e.openText(e.HeadRole())
		e.Parts(first)
		e.Raw(closeText)
	}
	return nil
}
