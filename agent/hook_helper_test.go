package agent_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// Hooks of one point each, made of a function.
type (
	onTurn struct {
		named
		f func(context.Context, agent.At, func(context.Context) error) error
	}
	onInput struct {
		named
		f func(agent.At, agent.Input) (agent.Input, error)
	}
	onPrompt struct {
		named
		f func(prompt.Channel, string) (string, error)
	}
	onStep struct {
		named
		f func(context.Context, agent.At, func(context.Context) error) error
	}
	onRequest struct {
		named
		f func(agent.At, wire.Request) (wire.Request, error)
	}
	onModel struct {
		named
		f func(context.Context, wire.Body, func(context.Context) iter.Seq2[wire.Event, error]) iter.Seq2[wire.Event, error]
	}
	onCalls struct {
		named
		f func(context.Context, []chat.ToolCall, func(context.Context) error) error
	}
	onCall struct {
		named
		f func(chat.ToolCall) (chat.ToolCall, error)
	}
	onResult struct {
		named
		f func(chat.ToolCall, tool.Result) (tool.Result, error)
	}
	onEvent struct {
		named
		f func(session.Event)
	}
	named string
)

func (n named) Name() string { return string(n) }

func (h onTurn) AroundTurn(ctx context.Context, at agent.At, next func(context.Context) error) error {
	return h.f(ctx, at, next)
}
func (h onInput) InterceptInput(_ context.Context, at agent.At, in agent.Input) (agent.Input, error) {
	return h.f(at, in)
}
func (h onPrompt) TransformPrompt(_ prompt.Input, ch prompt.Channel, text string) (string, error) {
	return h.f(ch, text)
}
func (h onStep) AroundStep(ctx context.Context, at agent.At, next func(context.Context) error) error {
	return h.f(ctx, at, next)
}
func (h onRequest) EditRequest(_ context.Context, at agent.At, r wire.Request) (wire.Request, error) {
	return h.f(at, r)
}
func (h onModel) AroundModel(ctx context.Context, _ agent.At, b wire.Body, next func(context.Context) iter.Seq2[wire.Event, error]) iter.Seq2[wire.Event, error] {
	return h.f(ctx, b, next)
}
func (h onCalls) AroundCalls(ctx context.Context, _ agent.At, calls []chat.ToolCall, next func(context.Context) error) error {
	return h.f(ctx, calls, next)
}
func (h onCall) InterceptCall(_ context.Context, _ agent.At, c chat.ToolCall) (chat.ToolCall, error) {
	return h.f(c)
}
func (h onResult) InterceptResult(_ context.Context, _ agent.At, c chat.ToolCall, r tool.Result) (tool.Result, error) {
	return h.f(c, r)
}
func (h onEvent) Observe(_ context.Context, _ string, e session.Event) { h.f(e) }

// everywhere is a hook of every point that writes down when it is called, and
// fails or panics at the point of that name.
type everywhere struct {
	named
	log   *trail
	fails string
	panic bool
}

// A trail is what was written down.
type trail struct {
	mu    sync.Mutex
	lines []string
}

func (t *trail) add(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

func (t *trail) take() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := slices.Clone(t.lines)
	t.lines = nil
	return lines
}

func (h everywhere) mark(point string, at agent.At) error {
	where := ""
	if at.Preview {
		where = " preview"
	}
	h.log.add("%s %s %d.%d%s", h.named, point, at.Turn, at.Step, where)
	return h.fail(point)
}

func (h everywhere) fail(point string) error {
	if h.fails != point {
		return nil
	}
	if h.panic {
		panic("no good")
	}
	return fmt.Errorf("no good")
}

func (h everywhere) around(ctx context.Context, point string, at agent.At, next func(context.Context) error) error {
	if err := h.mark(point, at); err != nil {
		return err
	}
	if err := next(context.WithValue(ctx, h.named, true)); err != nil {
		return err
	}
	h.log.add("%s %s ends", h.named, point)
	return h.fail("after " + point)
}

func (h everywhere) AroundTurn(ctx context.Context, at agent.At, next func(context.Context) error) error {
	return h.around(ctx, "turn", at, next)
}

func (h everywhere) AroundStep(ctx context.Context, at agent.At, next func(context.Context) error) error {
	return h.around(ctx, "step", at, next)
}

func (h everywhere) AroundCalls(ctx context.Context, at agent.At, _ []chat.ToolCall, next func(context.Context) error) error {
	return h.around(ctx, "calls", at, next)
}

func (h everywhere) InterceptInput(_ context.Context, at agent.At, in agent.Input) (agent.Input, error) {
	return in, h.mark("input", at)
}

func (h everywhere) TransformPrompt(in prompt.Input, ch prompt.Channel, text string) (string, error) {
	if ch != prompt.System {
		return text, nil
	}
	return text, h.mark("prompt", agent.At{Turn: in.Turn, Step: in.Step})
}

func (h everywhere) EditRequest(_ context.Context, at agent.At, r wire.Request) (wire.Request, error) {
	return r, h.mark("request", at)
}

func (h everywhere) AroundModel(ctx context.Context, at agent.At, _ wire.Body, next func(context.Context) iter.Seq2[wire.Event, error]) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		if err := h.mark("model", at); err != nil {
			yield(wire.Event{}, err)
			return
		}
		for e, err := range next(ctx) {
			if !yield(e, err) {
				return
			}
		}
		if err := h.fail("after model"); err != nil {
			yield(wire.Event{}, err)
			return
		}
		h.log.add("%s model ends", h.named)
	}
}

func (h everywhere) InterceptCall(_ context.Context, at agent.At, c chat.ToolCall) (chat.ToolCall, error) {
	return c, h.mark("call", at)
}

func (h everywhere) InterceptResult(_ context.Context, at agent.At, _ chat.ToolCall, r tool.Result) (tool.Result, error) {
	return r, h.mark("result", at)
}

func (h everywhere) Observe(_ context.Context, _ string, e session.Event) {
	if !e.Kind.Transient() && h.fail("event") != nil {
		panic("an observer has no error")
	}
}
