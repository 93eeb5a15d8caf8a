package agent

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// calls runs the tools of an answer in order and records each result. When the
// turn is cancelled, what was not run yet gets a result that says so: every call
// has exactly one.
func (r *run) calls(ctx context.Context, calls []chat.ToolCall) error {
	for i := range calls {
		call := calls[i]
		var result tool.Result
		switch {
		case ctx.Err() != nil:
			result = tool.Errorf("not run: the turn was cancelled before this call")
		default:
			var err error
			if result, err = r.call(ctx, call); err != nil {
				return err
			}
		}
		images, left := boundedImages(result.Images)
		text, events := r.nested(ctx, append(bounded(attributed(result.Text, call.Name)), left...), result.Touched)
		m := chat.ResultMessage(chat.ToolResult{ID: call.ID, Name: call.Name, Text: text, Images: images, IsError: result.IsError})
		if err := r.append(ctx, append(events, session.Event{Kind: session.Result, Message: &m})...); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// call checks and runs one call. The error is that of the store only.
func (r *run) call(ctx context.Context, call chat.ToolCall) (tool.Result, error) {
	if result, ok := r.in.typed.answer(call); ok {
		return result, nil
	}
	t, ok := r.a.tools[call.Name]
	if !ok {
		return tool.Errorf("there is no tool %q; the tools are: %s", call.Name, r.a.toolNames()), nil
	}
	if !r.visible(call.Name) {
		return tool.Errorf("the tool %q is not available in this step", call.Name), nil
	}
	if err := wire.CheckArgs(call.Args); err != nil {
		return tool.Errorf("not run: the arguments are not a complete JSON object (%v); call the tool again", err), nil
	}
	if err := r.append(ctx, session.Event{Kind: session.Call, Call: &call}); err != nil {
		return tool.Result{}, err
	}
	return invoke(tool.WithWho(ctx, r.in.Who), t, call), nil
}

// visible reports whether the model was shown the tool in the last request.
func (r *run) visible(name string) bool {
	return slices.ContainsFunc(r.shown, func(s chat.ToolSpec) bool { return s.Name == name })
}

// invoke calls a tool; whatever goes wrong becomes a result that the model sees.
func invoke(ctx context.Context, t tool.Tool, call chat.ToolCall) (result tool.Result) {
	defer func() {
		if p := recover(); p != nil {
			result = tool.Errorf("the tool %s panicked: %v", call.Name, p)
		}
	}()
	result, err := t.Call(ctx, call.Args)
	switch {
	case err == nil:
		return result
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return tool.Errorf("interrupted: the turn was cancelled while the tool ran; its outcome is unknown")
	}
	return tool.Errorf("%v", err)
}

func (a *Agent) toolNames() string {
	names := slices.Sorted(maps.Keys(a.tools))
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// attributed returns the text of a result as valid UTF-8 in which every span has
// an origin that is trusted as little as a tool.
func attributed(t span.Text, name string) span.Text {
	from := &span.Origin{Section: name, Source: "tool", Trust: span.Tool}
	out := make(span.Text, 0, len(t))
	for _, s := range t {
		if s.From == nil {
			s.From, s.Off = from, span.NoOffset
		}
		if clean := validUTF8(s.Text); clean != s.Text {
			s.Text, s.Off = clean, span.NoOffset
		}
		s.Template = false
		out = append(out, s)
	}
	return out
}
