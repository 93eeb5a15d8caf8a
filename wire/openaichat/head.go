package openaichat

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
)

// head writes everything up to and including the system messages.
func (e encoder) head() error {
	if err := e.Opening(e.options, e.tool); err != nil {
		return err
	}
	e.ToolChoice(`{"type":"function","function":{"name":`, "}}")
	e.Parallel()
	if err := e.Format(`,"response_format":{"type":"json_schema","json_schema":{"name":`); err != nil {
		return err
	}
	if err := e.Extra("messages"); err != nil {
		return err
	}
	e.Raw(`,"messages":[`)
	e.channels()
	return nil
}

// options writes the parameters that were set and that the model knows.
func (e encoder) options() error {
	o := &e.Req.Options
	if !o.NoStream && e.Cap.StreamUsage {
		e.Raw(`,"stream_options":{"include_usage":true}`)
	}
	if o.MaxOutputTokens != 0 {
		key := e.Cap.MaxTokensKey
		if key == "" {
			key = "max_completion_tokens"
		}
		e.Key(key)
		e.Int(o.MaxOutputTokens)
	}
	if err := e.Sampling(); err != nil {
		return err
	}
	e.String("reasoning_effort", o.Reasoning, e.Cap.Reasoning, prompt.Warning)
	if o.Store != nil {
		e.Key("store")
		e.Bool(*o.Store)
	}
	e.User()
	e.String("prompt_cache_key", o.CacheKey, e.Cap.CacheKey, prompt.Info) // changes no answer
	if o.Chain.On() {
		e.Drop(prompt.Info, "the chain of responses", "this protocol keeps no responses: the whole conversation is sent")
	}
	return nil
}

func (e encoder) tool(t *chat.ToolSpec) error {
	e.Raw(`{"type":"function","function":{`)
	e.ToolHead(t)
	if t.Parameters != nil {
		p, err := e.ToolSchema(t)
		if err != nil {
			return err
		}
		e.Raw(`,"parameters":`)
		e.Value(p, t.From)
	}
	if e.Strict(t) {
		e.Raw(`,"strict":true`)
	}
	e.ReportStrict(t)
	e.Raw("}}")
	return nil
}

// channels writes the system text and the instructions at the head of the
// messages.
func (e encoder) channels() {
	sys, ins := e.Channels()
	if len(sys) > 0 && len(ins) > 0 && e.merged() {
		e.openMessage(e.HeadRole())
		e.Joined(sys, ins)
		e.Raw(`"}`)
		return
	}
	for _, parts := range [...][]prompt.Part{sys, ins} {
		if len(parts) > 0 {
			e.openMessage(e.HeadRole())
			e.Parts(parts)
			e.Raw(`"}`)
		}
	}
}

// merged decides the placement of two channels that both have text.
func (e encoder) merged() bool {
	if e.Req.Placement == wire.Auto && !e.Cap.ManySystem {
		e.Lose(prompt.Info, wire.CodeMerged, "system text and instructions share one message: this model is not known to accept two system messages", nil)
		return true
	}
	return e.Req.Placement == wire.Merged
}
