package agent

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// calls runs the tools of an answer and records each result, in the order of the
// calls. Neighbours that only read run at the same time; a call that may change
// something runs by itself. When the turn is cancelled, what was not run yet gets a
// result that says so: every call has exactly one.
func (r *run) calls(ctx context.Context, calls []chat.ToolCall) error {
	for len(calls) > 0 {
		n := r.together(ctx, calls)
		if err := r.batch(ctx, calls[:n]); err != nil {
			return err
		}
		calls = calls[n:]
	}
	return ctx.Err()
}

// maxTogether is how many calls run at the same time.
const maxTogether = 8

// together returns how many calls at the beginning may run at the same time.
func (r *run) together(ctx context.Context, calls []chat.ToolCall) int {
	n := 0
	for n < len(calls) && n < maxTogether {
		t, ok := r.a.tools[calls[n].Name]
		if ok && !tool.EffectOf(tool.WithWho(ctx, r.in.Who), t, calls[n].Args).ReadOnly {
			break
		}
		n++
	}
	return max(n, 1)
}

// batch starts calls at the same time and records their results in order. That
// they are about to run is recorded before any of them is.
func (r *run) batch(ctx context.Context, calls []chat.ToolCall) error {
	pending := make([]<-chan tool.Result, len(calls))
	var begun []session.Event
	for i := range calls {
		if refused := r.refuse(ctx, calls[i]); refused != nil {
			done := make(chan tool.Result, 1)
			done <- *refused
			pending[i] = done
			continue
		}
		begun = append(begun, session.Event{Kind: session.Call, Call: &calls[i]})
	}
	if len(begun) > 0 {
		if err := r.append(ctx, begun...); err != nil {
			return err
		}
	}
	for i := range calls {
		if pending[i] == nil {
			pending[i] = start(tool.WithWho(ctx, r.in.Who), r.a.tools[calls[i].Name], calls[i])
		}
	}
	for i := range calls {
		if err := r.result(ctx, calls[i], wait(ctx, pending[i])); err != nil {
			return err
		}
	}
	return nil
}

// result records the result of a call.
func (r *run) result(ctx context.Context, call chat.ToolCall, result tool.Result) error {
	images, left := boundedImages(result.Images)
	text, events := r.nested(ctx, append(bounded(attributed(result.Text, call.Name)), left...), result.Touched)
	m := chat.ResultMessage(chat.ToolResult{ID: call.ID, Name: call.Name, Text: text, Images: images, IsError: result.IsError})
	return r.append(ctx, append(events, session.Event{Kind: session.Result, Message: &m})...)
}

// refuse returns the result of a call that is not run, or nil if it may run.
func (r *run) refuse(ctx context.Context, call chat.ToolCall) *tool.Result {
	no := func(format string, args ...any) *tool.Result {
		res := tool.Errorf(format, args...)
		return &res
	}
	if ctx.Err() != nil {
		return no("not run: the turn was cancelled before this call")
	}
	if result, ok := r.in.typed.answer(call); ok {
		return &result
	}
	if r.a.tools[call.Name] == nil {
		return no("there is no tool %q; the tools are: %s", call.Name, r.a.toolNames())
	}
	if !r.visible(call.Name) {
		return no("the tool %q is not available in this step", call.Name)
	}
	if err := wire.CheckArgs(call.Args); err != nil {
		return no("not run: the arguments are not a complete JSON object (%v); call the tool again", err)
	}
	return nil
}

// start runs a call in a goroutine of its own.
func start(ctx context.Context, t tool.Tool, call chat.ToolCall) <-chan tool.Result {
	done := make(chan tool.Result, 1)
	go func() { done <- invoke(ctx, t, call) }()
	return done
}

// deaf is how long a tool may take to notice that its turn was cancelled.
const deaf = 25 * time.Millisecond

// wait returns the result of a call. A tool that does not notice the end of its
// turn is left behind: the turn does not wait for it.
func wait(ctx context.Context, pending <-chan tool.Result) tool.Result {
	select {
	case result := <-pending:
		return result
	case <-ctx.Done():
	}
	last := time.NewTimer(deaf)
	defer last.Stop()
	select {
	case result := <-pending:
		return result
	case <-last.C:
		return tool.Errorf("interrupted: the turn was cancelled while the tool ran; its outcome is unknown")
	}
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
