package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/trace"
)

// A named is one point of a hook.
type named[T any] struct {
	name string
	hook T
}

// hooks are the chains of an agent: for each point the hooks that implement it.
type hooks struct {
	turn      []named[TurnHook]
	input     []named[InputHook]
	prompt    []preset.Transformer
	notice    []named[NoticeHook]
	step      []named[StepHook]
	request   []named[RequestHook]
	model     []named[ModelHook]
	calls     []named[CallsHook]
	call      []named[CallHook]
	result    []named[ResultHook]
	observers []named[Observer]
}

// chains sorts hooks by their points.
func chains(list []Hook) (hooks, error) {
	var c hooks
	seen := map[string]bool{}
	for _, h := range list {
		if h == nil {
			return c, errors.New("a hook is nil")
		}
		name := h.Name()
		switch {
		case name == "":
			return c, fmt.Errorf("a hook of type %T has no name", h)
		case seen[name]:
			return c, fmt.Errorf("two hooks are named %q", name)
		}
		seen[name] = true
		n := link(&c.turn, name, h) + link(&c.input, name, h) + link(&c.notice, name, h) + link(&c.step, name, h) + link(&c.request, name, h) +
			link(&c.model, name, h) + link(&c.calls, name, h) + link(&c.call, name, h) + link(&c.result, name, h) +
			link(&c.observers, name, h)
		if p, ok := h.(PromptHook); ok {
			order := preset.DefaultOrder
			if o, ok := h.(PromptOrder); ok {
				order = o.PromptOrder()
			}
			c.prompt = append(c.prompt, preset.Transformer{Order: order, Stage: transformer(name, p, prompt.System)},
				preset.Transformer{Order: order, Stage: transformer(name, p, prompt.Instructions)})
			n++
		}
		if n == 0 {
			return c, fmt.Errorf("the hook %q, of type %T, implements no point", name, h)
		}
	}
	return c, nil
}

// link adds a hook to the chain of a point if it implements that.
func link[T any](chain *[]named[T], name string, h Hook) int {
	if p, ok := h.(T); ok {
		*chain = append(*chain, named[T]{name, p})
		return 1
	}
	return 0
}

// transformer is the stage of a hook that transforms a channel.
func transformer(name string, h PromptHook, ch prompt.Channel) prompt.Stage {
	s := stage.Text(name, ch, func(in prompt.Input, text string) (got string, err error) {
		err = guard(name, func() error { got, err = h.TransformPrompt(in, ch, text); return err })
		return validUTF8(got), err
	})
	inner := s.Apply
	s.Apply = func(in prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
		for i := range a.Sections {
			if a.Sections[i].Sole && a.Sections[i].Channel == ch {
				return a, nil
			}
		}
		return inner(in, a)
	}
	return s
}

// guard calls a hook; an error or panic of it is a HookError.
func guard(name string, call func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &HookError{name, fmt.Errorf("panic: %v", p)}
		}
	}()
	if err := call(); err != nil {
		return &HookError{name, err}
	}
	return nil
}

// errTwice is the error of a next that was called again.
var errTwice = errors.New("next was called twice")

// A passing is one way through a chain of hooks that stand around something.
type passing struct {
	called string // the innermost hook that was called
	inner  bool   // what they stand around was called
	err    error  // its error
	panics bool   // a panic that comes from there and is no hook's
	own    error  // the first failure of a hook
}

// around calls the hooks of a chain around inner. call calls one of them.
func around[T any](ctx context.Context, p *passing, chain []named[T], call func(context.Context, T, func(context.Context) error) error, inner func(context.Context) error) error {
	if len(chain) == 0 {
		p.panics, p.inner = true, true
		p.err = inner(ctx)
		p.panics = false
		return p.err
	}
	h, used := chain[0], false
	p.called = h.name
	err := p.guard(h.name, func() error {
		return call(ctx, h.hook, func(within context.Context) error {
			if used {
				return errTwice
			}
			used = true
			within, done := joined(ctx, within)
			defer done()
			return around(within, p, chain[1:], call, inner)
		})
	})
	if p.err != nil && (err == nil || errors.Is(err, p.err)) {
		return p.err
	}
	return err
}

// guard calls a hook. Panics of what it stands around are not its own.
func (p *passing) guard(name string, call func() error) (err error) {
	defer func() {
		if p.panics {
			return
		}
		if v := recover(); v != nil {
			err = &HookError{name, fmt.Errorf("panic: %v", v)}
		}
		if p.own == nil && err != nil && p.err == nil {
			p.own = err
		}
	}()
	err = call()
	var own *HookError
	if err == nil || p.err != nil && errors.Is(err, p.err) || errors.As(err, &own) {
		return err
	}
	return &HookError{name, err}
}

// whole reports a chain that did not reach what it stands around.
func (p *passing) whole(err error, what string) error {
	switch {
	case err == nil && !p.inner && p.own != nil:
		return p.own
	case err == nil && !p.inner:
		return &HookError{p.called, fmt.Errorf("it let no %s through and gave no reason", what)}
	}
	return err
}

// joined returns a context that also ends when outer does, whatever a hook made
// of it.
func joined(outer, within context.Context) (context.Context, context.CancelFunc) {
	if within == outer {
		return within, func() {}
	}
	if trace.From(within) == nil { // a hook began with a context of its own
		within = trace.From(outer).In(within)
	}
	ctx, cancel := context.WithCancelCause(within)
	stop := context.AfterFunc(outer, func() { cancel(context.Cause(outer)) })
	return ctx, func() { stop(); cancel(context.Canceled) }
}

func aroundTurn(at At) func(context.Context, TurnHook, func(context.Context) error) error {
	return func(ctx context.Context, h TurnHook, next func(context.Context) error) error {
		return h.AroundTurn(ctx, at, next)
	}
}

func aroundStep(at At) func(context.Context, StepHook, func(context.Context) error) error {
	return func(ctx context.Context, h StepHook, next func(context.Context) error) error {
		return h.AroundStep(ctx, at, next)
	}
}
