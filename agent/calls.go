package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/trace"
	"github.com/proemhq/proem/wire"
)

// act runs the calls of an answer, with the hooks around them.
func (r *run) act(ctx context.Context, calls []chat.ToolCall) error {
	at := r.at()
	var p passing
	err := around(ctx, &p, r.a.hooks.calls, func(ctx context.Context, h CallsHook, next func(context.Context) error) error {
		own := make([]chat.ToolCall, len(calls))
		for i := range calls {
			own[i] = *cloneCall(&calls[i])
		}
		return h.AroundCalls(ctx, at, own, next)
	}, func(ctx context.Context) error { return r.calls(ctx, calls) })
	if err == nil && !p.inner {
		if err = p.own; err == nil {
			return r.closeCalls(ctx, "the hook "+p.called+" let no call through")
		}
	}
	return err
}

// A planned is a call as it will run, or the result of one that will not.
type planned struct {
	made   chat.ToolCall // by the model
	call   chat.ToolCall // as hooks want it
	tool   tool.Tool
	effect tool.Effect
	ask    *session.Ask // it waits for a person
	answer *string      // what a person answered to the tool's own question
	result *tool.Result

	span     *trace.Active // while it runs; nil: nobody is told
	contents bool          // the span has arguments and result
}

// calls runs the tools of an answer and records each result, in the order of the
// calls. Neighbours that only read run at the same time; a call that may change
// something, or what the session keeps, runs by itself. Where a person must be asked, the turn pauses, with
// that call and those after it open. When the turn is cancelled, what was not run
// yet gets a result that says so: every call has exactly one.
func (r *run) calls(ctx context.Context, calls []chat.ToolCall) error {
	plans := make([]*planned, len(calls)) // made when their turn comes, and once
	for done := 0; done < len(calls); {
		n, err := r.together(ctx, calls[done:], plans[done:])
		if err != nil {
			return err
		}
		if n == 0 {
			return r.asks(ctx, plans[done:done+1])
		}
		if err := r.batch(ctx, plans[done:done+n]); err != nil || r.paused {
			return err
		}
		done += n
	}
	return ctx.Err()
}

// maxTogether is how many calls run at the same time.
const maxTogether = 8

// together plans calls and returns how many at the beginning may run at the same
// time; none if the first waits for a person.
func (r *run) together(ctx context.Context, calls []chat.ToolCall, plans []*planned) (int, error) {
	n := 0
	for n < len(calls) && n < maxTogether {
		if plans[n] == nil {
			p, err := r.plan(ctx, calls[n])
			if err != nil {
				return 0, err
			}
			plans[n] = p
		}
		p := plans[n]
		if p.ask != nil {
			return n, nil
		}
		if p.result == nil && (!p.effect.ReadOnly || p.effect.Keeps) {
			return max(n, 1), nil
		}
		n++
	}
	return n, nil
}

// plan checks a call, asks the hooks, checks what they made of it, and asks the
// permissions.
func (r *run) plan(ctx context.Context, call chat.ToolCall) (*planned, error) {
	p := &planned{made: call, call: call, result: r.refuse(ctx, call)}
	if p.result != nil {
		return p, nil
	}
	var err error
	if p.call, p.result, err = r.a.hooks.intercept(ctx, r.at(), call); err != nil || p.result != nil {
		return p, err
	}
	by := ""
	if p.call.From != nil {
		by = p.call.From.Stage
	}
	if p.tool = r.tool(p.call.Name); p.tool == nil {
		p.result = refusedBy(by, call.Name, fmt.Sprintf("not run: the hook %s asks for the tool %q, which there is not", by, p.call.Name))
	} else if err := wire.CheckArgs(p.call.Args); err != nil {
		p.result = refusedBy(by, call.Name, fmt.Sprintf("not run: the arguments that the hook %s gave it are not a complete JSON object (%v)", by, err))
	} else {
		r.permit(ctx, p)
	}
	return p, nil
}

// toolContext returns a context that says for whom and in which session tools
// are called, and what that session keeps.
func (r *run) toolContext(ctx context.Context) context.Context {
	v := r.l.folder.View()
	return tool.WithStates(tool.WithSession(tool.WithWho(ctx, r.in.Who), r.l.id), statesAt(v, v.Steps+1))
}

// batch starts calls at the same time and records their results in order. That
// they are about to run is recorded before any of them is.
func (r *run) batch(ctx context.Context, plans []*planned) error {
	running := make([]<-chan outcome, len(plans))
	var begun []session.Event
	for _, p := range plans {
		if p.result == nil && ctx.Err() != nil {
			p.result = notRun()
		}
		if p.result == nil && p.answer == nil { // it ran before up to its question
			begun = append(begun, session.Event{Kind: session.Call, Call: &p.call})
		}
	}
	if len(begun) > 0 {
		if err := r.append(ctx, begun...); err != nil {
			return err
		}
	}
	past := tool.History{Turn: r.turnNo, Messages: r.l.folder.View().Messages}
	var places []*place
	for i, p := range plans {
		if p.result == nil {
			past.Call = p.made.ID
			places = append(places, queue(places))
			called := r.toolSpan(r.callContext(ctx, p.made.ID, places[len(places)-1]), p)
			running[i] = start(tool.WithHistory(called, past), p)
		}
	}
	var failed error // of a hook
	for i, p := range plans {
		if p.result == nil {
			out := wait(ctx, running[i])
			p.over(out) // if it was left behind
			if out.pending != nil {
				if r.pend(p, out.pending); p.ask != nil {
					continue
				}
				out.result = *p.result
			}
			result, err := r.a.hooks.filter(ctx, r.at(), p.call, out.result)
			failed = cmp.Or(failed, err)
			p.result = &result
		}
		if err := r.result(ctx, p.made, *p.result); err != nil {
			return err
		}
	}
	return cmp.Or(failed, r.asks(ctx, plans))
}

// result records the result of a call.
func (r *run) result(ctx context.Context, call chat.ToolCall, result tool.Result) error {
	result, states := stated(call.Name, result)
	images, left := boundedImages(result.Images)
	given := append(bounded(attributed(result.Text, call.Name)), left...)
	r.loop.add(call, given.String(), result.IsError)
	text, events := r.nested(ctx, given, result.Touched)
	for i := range result.Diagnostics {
		events = append(events, session.Event{Kind: session.Diagnostic, Diagnostic: &result.Diagnostics[i]})
	}
	m := chat.ResultMessage(chat.ToolResult{ID: call.ID, Name: call.Name, Text: text, Images: images, IsError: result.IsError})
	return r.append(ctx, append(append(events, states...), session.Event{Kind: session.Result, Message: &m, Usage: r.bill.of(billed{r.step, call.ID})})...)
}

// refuse returns the result of a call that is not run, or nil if it may run.
func (r *run) refuse(ctx context.Context, call chat.ToolCall) *tool.Result {
	no := func(format string, args ...any) *tool.Result {
		res := tool.Errorf(format, args...)
		return &res
	}
	if ctx.Err() != nil {
		return notRun()
	}
	if result, ok := r.in.typed.answer(call); ok {
		return &result
	}
	if why := r.bench.refusals[call.Name]; why != "" {
		return no("%s", why)
	}
	if r.tool(call.Name) == nil {
		return no("there is no tool %q; the tools are: %s", call.Name, r.toolNames())
	}
	if !r.visible(call.Name) {
		return no("the tool %q is not available in this step", call.Name)
	}
	if err := wire.CheckArgs(call.Args); err != nil {
		return no("not run: the arguments are not a complete JSON object (%v); call the tool again", err)
	}
	return nil
}

// notRun is the result of a call that comes after the end of its turn.
func notRun() *tool.Result {
	result := tool.Errorf("not run: the turn was cancelled before this call")
	return &result
}

// An outcome is what came of a call: a result, or that it waits for a person.
type outcome struct {
	result  tool.Result
	pending *tool.Pending
	why     string // a stable word for a call that did not fail by itself
}

// start runs a call in a goroutine of its own.
func start(ctx context.Context, p *planned) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		if c, ok := CallerOf(ctx); ok {
			defer c.Pass()
		}
		defer p.span.End()
		out := invoke(ctx, p.tool, p.call, p.answer)
		p.over(out)
		done <- out
	}()
	return done
}

// deaf is how long a tool may take to notice that its turn was cancelled.
const deaf = 25 * time.Millisecond

// wait returns what comes of a call. A tool that does not notice the end of its
// turn is left behind: the turn does not wait for it.
func wait(ctx context.Context, running <-chan outcome) outcome {
	select {
	case out := <-running:
		return out
	case <-ctx.Done():
	}
	last := time.NewTimer(deaf)
	defer last.Stop()
	select {
	case out := <-running:
		return out
	case <-last.C:
		return interruption()
	}
}

func failed(format string, args ...any) outcome { return outcome{result: tool.Errorf(format, args...)} }

// interruption is the outcome of a call that the end of its turn broke off.
func interruption() outcome {
	out := failed("interrupted: the turn was cancelled while the tool ran; its outcome is unknown")
	out.why = trace.Cancelled
	return out
}

// visible reports whether the model was shown the tool in the last request.
func (r *run) visible(name string) bool {
	return slices.ContainsFunc(r.shown, func(s chat.ToolSpec) bool { return s.Name == name })
}

// invoke calls a tool, or hands it the answer to its question; whatever goes wrong
// becomes a result that the model sees.
func invoke(ctx context.Context, t tool.Tool, call chat.ToolCall, answer *string) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out = failed("the tool %s panicked: %v", call.Name, p)
			out.why = trace.Panic
		}
	}()
	var err error
	if a, ok := t.(tool.Answerer); ok && answer != nil {
		out.result, err = a.Answer(ctx, call.Args, *answer)
	} else {
		out.result, err = t.Call(ctx, call.Args)
	}
	switch {
	case err == nil:
		return out
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return interruption()
	case errors.As(err, &out.pending):
		return out
	}
	return failed("%s", strings.TrimSpace(err.Error()))
}

func (r *run) toolNames() string {
	names := slices.Sorted(maps.Keys(r.bench.tools))
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// attributed returns the text of a result as valid UTF-8 in which every span has
// an origin that is trusted as little as a tool.
func attributed(t span.Text, name string) span.Text {
	return owned(t, &span.Origin{Section: name, Source: "tool", Trust: span.Tool})
}

// owned returns a text as valid UTF-8 in which every span has an origin, from where
// it has none, and no span is a template.
func owned(t span.Text, from *span.Origin) span.Text {
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
