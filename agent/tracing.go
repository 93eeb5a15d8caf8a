package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/trace"
	"github.com/proemhq/proem/wire"
)

// Tracing says who is told, as spans, what a turn does and how long it takes: the
// turn, its steps, the calls of models and tools, compactions and code. Each is over
// when what it stands for is, on whatever way that is left. In a context that has a
// span the turn is part of that one, also without a sink here.
type Tracing struct {
	Sink trace.Sink // nil: nobody
	// Name is what the spans call the agent; empty: nothing.
	Name string
	// Contents puts messages, arguments and results into the spans. They hold
	// whatever the user, files and tools say; the sink takes out what it knows to be a
	// credential.
	Contents bool
}

// closeSpan ends a span on the way out of what it stands for. done says that this
// came to its end; else a panic is passing.
func closeSpan(s *trace.Active, done *bool, err *error) {
	if s == nil {
		return
	}
	if !*done {
		s.Fail(trace.Panic, "it was left by a panic")
	} else if *err != nil {
		s.Fail(errorType(*err), (*err).Error())
	}
	s.End()
}

// errorType returns the stable word for an error.
func errorType(err error) string {
	var hook *HookError
	var api *wire.APIError
	var transport *provider.TransportError
	var stream wire.StreamError
	switch {
	case errors.As(err, &hook):
		return "hook"
	case errors.As(err, &api):
		return string(api.Kind)
	case errors.Is(err, context.Canceled):
		return trace.Cancelled
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.As(err, &transport):
		return "transport"
	case errors.As(err, &stream):
		return "stream"
	}
	return trace.Other
}

// begin begins a span that may be the root of a trace.
func (r *run) begin(ctx context.Context, op, target string) (context.Context, *trace.Active) {
	if t := r.a.tracer; t != nil {
		return t.Start(ctx, op, target)
	}
	return trace.Start(ctx, op, target)
}

// whole runs the turn with the hooks around it, in its span.
func (r *run) whole(ctx context.Context) (err error) {
	ctx, r.span = r.begin(ctx, trace.InvokeAgent, r.a.cfg.Trace.Name)
	r.span.Set(trace.String(trace.Operation, trace.InvokeAgent), trace.String(trace.AgentName, r.a.cfg.Trace.Name),
		trace.String(trace.Conversation, r.l.id), trace.Int(trace.Turn, r.turnNo), trace.String(trace.LockHash, r.a.cfg.Lock))
	done := false
	defer closeSpan(r.span, &done, &err)
	var p passing
	err = p.whole(around(ctx, &p, r.a.hooks.turn, aroundTurn(r.at()), r.turn), "turn")
	done = true
	return err
}

// stepSpan runs a part of a step in a span.
func (r *run) stepSpan(ctx context.Context, part func(context.Context) (*session.Stop, error)) (stop *session.Stop, err error) {
	ctx, span := trace.Start(ctx, trace.Step, "", trace.Int(trace.Turn, r.turnNo), trace.Int(trace.StepNumber, r.step))
	done := false
	defer closeSpan(span, &done, &err)
	stop, err = part(ctx)
	done = true
	return stop, err
}

// ask sends a request and collects the answer, in a span.
func (r *run) ask(ctx context.Context, model Alternative, s *Step, rec *session.Request) (got received, err error) {
	ctx, span := r.chatSpan(ctx, &s.Request, rec)
	done := false
	defer closeSpan(span, &done, &err)
	got, err = r.receive(ctx, model.Model, s.Body)
	done = true
	if span != nil {
		span.Set(trace.String(trace.ResponseID, got.id))
		setUsage(span, got.usage)
		if err == nil {
			span.Set(trace.Strings(trace.FinishReasons, []string{got.stop.Reason}))
		}
		if r.a.cfg.Trace.Contents {
			span.Set(trace.String(trace.OutputMessages, messagesText(got.message)))
		}
	}
	return got, err
}

// askForSummary is ask for the request of a summary.
func (r *run) askForSummary(ctx context.Context, at At, model Alternative, request wire.Request, body wire.Body, got *summarised) (err error) {
	ctx, span := r.chatSpan(ctx, &request, got.request)
	done := false
	defer closeSpan(span, &done, &err)
	err = r.receiveSummary(ctx, at, model, body, got)
	done = true
	if span != nil {
		setUsage(span, got.usage)
		if err == nil {
			span.Set(trace.Strings(trace.FinishReasons, []string{string(got.stop)}))
		}
		if r.a.cfg.Trace.Contents {
			span.Set(trace.String(trace.OutputMessages, got.text))
		}
	}
	return err
}

// chatSpan begins the span of a request.
func (r *run) chatSpan(ctx context.Context, q *wire.Request, rec *session.Request) (context.Context, *trace.Active) {
	if trace.From(ctx) == nil {
		return ctx, nil
	}
	ctx, span := trace.Start(ctx, trace.Chat, q.Model)
	prefix, _ := wire.Prefix(q.System, q.Instructions, q.Tools)
	sum := sha256.Sum256(prefix)
	span.Set(
		trace.String(trace.Operation, trace.Chat), trace.String(trace.Provider, providerOf(rec.Dialect)), trace.String(trace.RequestModel, q.Model),
		trace.String(trace.Conversation, r.l.id), trace.Int(trace.Turn, r.turnNo), trace.Int(trace.StepNumber, r.step), trace.Bool(trace.RequestStream, !q.Options.NoStream),
		trace.String(trace.AssemblyHash, rec.Assembly), trace.String(trace.BodyHash, rec.Body), trace.Int(trace.BodyBytes, rec.Bytes),
		trace.String(trace.PrefixHash, hex.EncodeToString(sum[:])), trace.String(trace.LockHash, rec.Lock), trace.Strings(trace.ChangedBy, rec.ChangedBy))
	if t := q.Options.Temperature; t != nil {
		span.Set(trace.Float(trace.Temperature, *t))
	}
	if p := q.Options.TopP; p != nil {
		span.Set(trace.Float(trace.TopP, *p))
	}
	if n := q.Options.MaxOutputTokens; n > 0 {
		span.Set(trace.Int(trace.MaxTokens, n))
	}
	if r.a.cfg.Trace.Contents {
		span.Set(trace.String(trace.SystemText, systemText(q)), trace.String(trace.InputMessages, messagesText(q.Messages...)))
	}
	return ctx, span
}

// providerOf returns what the conventions call whoever defined a protocol. Which
// host speaks it is not known.
func providerOf(dialect string) string {
	switch dialect {
	case "openai-chat", "openai-responses":
		return "openai"
	}
	return dialect
}

func setUsage(span *trace.Active, u *session.Usage) {
	if u == nil {
		return
	}
	for _, n := range []struct {
		key   string
		count *int
	}{{trace.InputTokens, u.Input}, {trace.OutputTokens, u.Output}, {trace.CacheReadTokens, u.Cached},
		{trace.CacheMadeTokens, u.CacheWrite}, {trace.ReasoningTokens, u.Reasoning}} {
		if n.count != nil {
			span.Set(trace.Int(n.key, *n.count))
		}
	}
}

// toolSpan begins the span of a call.
func (r *run) toolSpan(ctx context.Context, p *planned) context.Context {
	if trace.From(ctx) == nil {
		return ctx
	}
	ctx, p.span = trace.Start(ctx, trace.ExecuteTool, p.call.Name, trace.String(trace.Operation, trace.ExecuteTool),
		trace.String(trace.ToolName, p.call.Name), trace.String(trace.ToolType, "function"), trace.String(trace.ToolCallID, p.call.ID),
		trace.Int(trace.Turn, r.turnNo), trace.Int(trace.StepNumber, r.step))
	if r.a.cfg.Trace.Contents {
		p.contents = true
		p.span.Set(trace.String(trace.ToolArguments, string(p.call.Args)))
	}
	return ctx
}

// over ends the span of a call with what came of it.
func (p *planned) over(out outcome) {
	if p.span == nil {
		return
	}
	if out.pending != nil {
		p.span.Set(trace.Bool(trace.Waits, true))
	} else if out.result.IsError {
		message := ""
		if p.contents {
			message = out.result.Text.String()
		}
		p.span.Fail(out.fault(), message)
	} else if p.contents {
		p.span.Set(trace.String(trace.ToolResult, out.result.Text.String()))
	}
	p.span.End()
}

// fault returns the stable word for a call that failed.
func (o *outcome) fault() string {
	if o.why == "" {
		return "tool_error"
	}
	return o.why
}

// shorten makes the history shorter, in a span. An error is one that ends the turn.
func (r *run) shorten(ctx context.Context, why occasion, long *wire.APIError) (err error) {
	ctx, span := r.begin(ctx, trace.Compact, "")
	span.Set(trace.String(trace.Conversation, r.l.id), trace.Int(trace.Turn, r.turnNo), trace.Int(trace.StepNumber, r.step),
		trace.String(trace.Occasion, [...]string{"ahead", "refused", "by_hand"}[why]))
	done := false
	defer closeSpan(span, &done, &err)
	err = r.passes(ctx, why, long)
	done = true
	return err
}

// runCode runs a program, in a span.
func (r *run) runCode(ctx context.Context, p Program, c *calling) (ran Ran, err error) {
	ctx, span := trace.Start(ctx, trace.Code, "", trace.Int(trace.Turn, r.turnNo), trace.Int(trace.StepNumber, r.step))
	var failed error
	done := false
	defer closeSpan(span, &done, &failed)
	ran, err = r.a.cfg.Runtime.Run(ctx, p, c.call)
	done = true
	switch {
	case r.paused:
		span.Set(trace.Bool(trace.Waits, true))
	case c.err != nil:
		failed = c.err
	case err != nil:
		failed = err
	case !ran.OK:
		span.Fail("tool_error", "")
	}
	return ran, err
}
