package agent

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// intercepted returns the input as the hooks want it. The error is a HookError;
// one that wraps a Blocked refuses the input.
func (c *hooks) intercepted(ctx context.Context, at At, in Input) (Input, error) {
	for _, h := range c.input {
		var out Input
		err := guard(h.name, func() (err error) { out, err = h.hook.InterceptInput(ctx, at, cloneInput(in)); return err })
		if err != nil {
			return in, err
		}
		out = cloneInput(out)
		out.Who, out.typed, out.text, out.by = in.Who, in.typed, in.text, maps.Clone(in.by)
		if out.Text != in.Text {
			out.text = in.spans().Reanchor(validUTF8(out.Text), span.Origin{Section: userOrigin.Section, Source: "hook", Stage: h.name, Trust: span.User})
		}
		for name, v := range out.Vars {
			if old, ok := in.Vars[name]; !ok || old != v {
				if out.by == nil {
					out.by = map[string]string{}
				}
				out.by[name] = h.name
			}
		}
		if err := out.check(); err != nil {
			return in, &HookError{h.name, err}
		}
		in = out
	}
	return in, nil
}

// edited returns the request as the hooks want it, with the names of those that
// changed it.
func (c *hooks) edited(ctx context.Context, at At, r wire.Request) (wire.Request, []string, error) {
	var by []string
	for _, h := range c.request {
		var out wire.Request
		err := guard(h.name, func() (err error) { out, err = h.hook.EditRequest(ctx, at, cloneRequest(r)); return err })
		if err != nil {
			return r, by, err
		}
		out.Scratch = r.Scratch
		if reflect.DeepEqual(out, r) {
			continue
		}
		r, by = attributedRequest(h.name, r, cloneRequest(out)), append(by, h.name)
	}
	return r, by, nil
}

// attributedRequest attributes what is new in a request to a hook, and begins a
// new chain if the provider's part of the conversation is another now.
func attributedRequest(hook string, old, r wire.Request) wire.Request {
	k := known{}
	for _, parts := range [][]prompt.Part{old.System, old.Instructions} {
		for _, p := range parts {
			k.add(p.Text)
		}
	}
	for _, m := range old.Messages {
		eachText(m, func(_ string, t *span.Text) { k.add(*t) })
	}
	attributedParts(k, hook, old.System, r.System)
	attributedParts(k, hook, old.Instructions, r.Instructions)
	for i := range r.Messages {
		var texts []span.Text
		if i < len(old.Messages) && old.Messages[i].Role == r.Messages[i].Role {
			eachText(old.Messages[i], func(_ string, t *span.Text) { texts = append(texts, *t) })
		}
		n := 0
		eachText(r.Messages[i], func(section string, t *span.Text) {
			var before span.Text
			if n < len(texts) {
				before = texts[n]
			}
			*t = k.by(hook, section, span.Builtin, *t, before)
			n++
		})
	}
	for i := range r.Tools {
		spec := &r.Tools[i]
		if !slices.ContainsFunc(old.Tools, func(o chat.ToolSpec) bool { return reflect.DeepEqual(o, *spec) }) {
			spec.From = &span.Origin{Section: spec.Name, Source: "hook", Stage: hook}
		}
	}
	if n := r.Options.Chain.Messages; r.Options.Chain.ID != "" && r.Options.Chain == old.Options.Chain &&
		(n > len(r.Messages) || !reflect.DeepEqual(old.Messages[:n], r.Messages[:n])) {
		r.Options.Chain = wire.Chain{Begin: true}
	}
	return r
}

func attributedParts(k known, hook string, old, parts []prompt.Part) {
	for i := range parts {
		p := &parts[i]
		var before span.Text
		if at := slices.IndexFunc(old, func(o prompt.Part) bool { return o.Name == p.Name }); at >= 0 {
			before = old[at].Text
		}
		p.Text = k.by(hook, p.Name, span.Builtin, p.Text, before)
		if p.From == nil {
			p.From = &span.Origin{Section: p.Name, Source: "hook", Stage: hook}
		}
	}
}

// eachText calls f for every text of a message, with the section that a new one
// would belong to.
func eachText(m chat.Message, f func(section string, t *span.Text)) {
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Result != nil:
			f(p.Result.Name, &p.Result.Text)
		case p.Kind == chat.TextPart || p.Kind == chat.ReasoningPart:
			f("request", &p.Text)
		}
	}
}

// intercept returns the call that the hooks want to run. A call that a hook refuses
// has a result instead.
func (c *hooks) intercept(ctx context.Context, at At, call chat.ToolCall) (chat.ToolCall, *tool.Result, error) {
	for _, h := range c.call {
		var out chat.ToolCall
		err := guard(h.name, func() (err error) { out, err = h.hook.InterceptCall(ctx, at, *cloneCall(&call)); return err })
		if b, ok := refusal(err); ok {
			return call, refusedBy(h.name, call.Name, "not run: blocked by "+h.name+": "+b.Error()), nil
		}
		if err != nil {
			return call, nil, err
		}
		out = *cloneCall(&out)
		out.ID, out.From = call.ID, call.From
		if out.Name != call.Name || string(out.Args) != string(call.Args) {
			out.From = &span.Origin{Section: out.Name, Source: "hook", Stage: h.name, Trust: span.Tool}
		}
		call = out
	}
	return call, nil, nil
}

// filter returns the result that the hooks want to be recorded, innermost first.
func (c *hooks) filter(ctx context.Context, at At, call chat.ToolCall, result tool.Result) (tool.Result, error) {
	if len(c.result) > 0 {
		result.Text = attributed(result.Text, call.Name)
	}
	for i := len(c.result) - 1; i >= 0; i-- {
		h := c.result[i]
		given := result
		given.Text, given.Images, given.Touched = slices.Clone(result.Text), slices.Clone(result.Images), slices.Clone(result.Touched)
		var out tool.Result
		err := guard(h.name, func() (err error) { out, err = h.hook.InterceptResult(ctx, at, *cloneCall(&call), given); return err })
		if b, ok := refusal(err); ok {
			result = *refusedBy(h.name, call.Name, "the tool ran; its result is withheld by "+h.name+": "+b.Error())
			continue
		}
		if err != nil {
			return *refusedBy(h.name, call.Name, "the tool ran; its result is withheld, because the hook "+h.name+" failed"), err
		}
		k := known{}
		k.add(result.Text)
		out.Text = k.by(h.name, call.Name, span.Tool, out.Text, result.Text)
		result = out
	}
	return result, nil
}

// refusal returns the Blocked that an error of a hook wraps.
func refusal(err error) (Blocked, bool) {
	var b Blocked
	return b, errors.As(err, &b)
}

// refusedBy is the error result that a hook gives a call.
func refusedBy(hook, name, text string) *tool.Result {
	from := &span.Origin{Section: name, Source: "hook", Stage: hook, Trust: span.Tool}
	return &tool.Result{Text: span.OfGenerated(validUTF8(text), from), IsError: true}
}
