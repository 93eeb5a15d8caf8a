package agent

import (
	"bytes"
	"maps"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// Copies for hooks. Origins, the bytes of images and schemas of answers are
// shared: they are immutable.

func cloneOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}

func cloneCall(c *chat.ToolCall) *chat.ToolCall {
	if c = cloneOf(c); c != nil {
		c.Args = bytes.Clone(c.Args)
	}
	return c
}

func cloneMessage(m chat.Message) chat.Message {
	m.Parts = slices.Clone(m.Parts)
	for i := range m.Parts {
		p := &m.Parts[i]
		p.Text, p.Image, p.Call = slices.Clone(p.Text), cloneOf(p.Image), cloneCall(p.Call)
		if p.Result = cloneOf(p.Result); p.Result != nil {
			p.Result.Text, p.Result.Images = slices.Clone(p.Result.Text), slices.Clone(p.Result.Images)
		}
		if p.Opaque = cloneOf(p.Opaque); p.Opaque != nil {
			p.Opaque.JSON = bytes.Clone(p.Opaque.JSON)
		}
	}
	return m
}

func cloneParts(parts []prompt.Part) []prompt.Part {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Text = slices.Clone(parts[i].Text)
	}
	return parts
}

func cloneOptions(o wire.Options) wire.Options {
	o.Temperature, o.TopP, o.Parallel, o.Store = cloneOf(o.Temperature), cloneOf(o.TopP), cloneOf(o.Parallel), cloneOf(o.Store)
	o.Output, o.Extra = cloneOf(o.Output), maps.Clone(o.Extra)
	return o
}

func cloneRequest(r wire.Request) wire.Request {
	r.System, r.Instructions = cloneParts(r.System), cloneParts(r.Instructions)
	r.Messages = slices.Clone(r.Messages)
	for i := range r.Messages {
		r.Messages[i] = cloneMessage(r.Messages[i])
	}
	r.Tools = slices.Clone(r.Tools)
	for i := range r.Tools {
		r.Tools[i].Parameters = bytes.Clone(r.Tools[i].Parameters)
	}
	r.Options = cloneOptions(r.Options)
	return r
}

func cloneBody(b wire.Body) wire.Body {
	b.JSON, b.Marks, b.Breakpoints, b.Losses = bytes.Clone(b.JSON), slices.Clone(b.Marks), slices.Clone(b.Breakpoints), slices.Clone(b.Losses)
	b.Retained = nil
	return b
}

func cloneInput(in Input) Input {
	in.Images, in.Fallback, in.Vars = slices.Clone(in.Images), slices.Clone(in.Fallback), maps.Clone(in.Vars)
	in.Options, in.by = cloneOptions(in.Options), maps.Clone(in.by)
	return in
}

func cloneUsage(u *session.Usage) *session.Usage {
	if u = cloneOf(u); u != nil {
		u.Input, u.Cached, u.CacheWrite = cloneOf(u.Input), cloneOf(u.Cached), cloneOf(u.CacheWrite)
		u.Output, u.Reasoning = cloneOf(u.Output), cloneOf(u.Reasoning)
	}
	return u
}

func cloneEvent(e session.Event) session.Event {
	if e.Message != nil {
		m := cloneMessage(*e.Message)
		e.Message = &m
	}
	if e.Request = cloneOf(e.Request); e.Request != nil {
		e.Request.ChangedBy, e.Request.Chain = slices.Clone(e.Request.ChangedBy), cloneOf(e.Request.Chain)
		if e.Request.Trace = cloneOf(e.Request.Trace); e.Request.Trace != nil {
			e.Request.Trace.Runtime = cloneOf(e.Request.Trace.Runtime)
		}
	}
	e.Usage, e.Stop, e.Call = cloneUsage(e.Usage), cloneOf(e.Stop), cloneCall(e.Call)
	e.Diagnostic, e.Loss, e.Cuts = cloneOf(e.Diagnostic), cloneOf(e.Loss), slices.Clone(e.Cuts)
	if e.Compaction = cloneOf(e.Compaction); e.Compaction != nil {
		e.Compaction.Messages = slices.Clone(e.Compaction.Messages)
		for i := range e.Compaction.Messages {
			e.Compaction.Messages[i] = cloneMessage(e.Compaction.Messages[i])
		}
	}
	e.Parent, e.Tasks = cloneOf(e.Parent), slices.Clone(e.Tasks)
	if e.State = cloneOf(e.State); e.State != nil {
		e.State.Value = bytes.Clone(e.State.Value)
	}
	return e
}

// size returns the bytes of a message's texts and calls.
func size(m chat.Message) (n int) {
	for _, p := range m.Parts {
		n += p.Text.Len()
		if p.Call != nil {
			n += len(p.Call.Name) + len(p.Call.Args)
		}
	}
	return n
}

// known are the spans that a text may consist of without being a hook's.
type known map[span.Span]bool

func (k known) add(t span.Text) {
	for _, s := range t {
		k[s] = true
	}
}

// by attributes what is new in a text to a hook. Text that comes without origins
// keeps, line by line, those of the text that it replaces. What is new is trusted
// no more than least, and than what it replaces.
func (k known) by(hook, section string, least span.Trust, t, old span.Text) span.Text {
	bare := len(t) > 0
	for _, s := range t {
		bare = bare && s.From == nil
	}
	made := func(trust span.Trust) *span.Origin {
		return &span.Origin{Section: section, Source: "hook", Stage: hook, Trust: trust}
	}
	if bare && len(old) > 0 {
		trust := least
		for _, s := range old {
			if s.From != nil {
				trust = max(trust, s.From.Trust)
			}
		}
		return old.Reanchor(validUTF8(t.String()), *made(trust))
	}
	out := slices.Clone(t)
	for i := range out {
		s := &out[i]
		if k[*s] || s.From != nil && s.From.Stage == hook {
			continue
		}
		trust := least
		if s.From != nil {
			trust = max(trust, s.From.Trust)
		}
		s.Text, s.Off, s.From, s.Template = validUTF8(s.Text), span.NoOffset, made(trust), false
	}
	return out
}
