package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/trace"
)

// end records how the turn ended. Calls that have no result get one.
func (r *run) end(ctx context.Context, stop session.Stop, err error) error {
	if err != nil && !r.l.loaded { // the log is out of our hands
		return err
	}
	failure := ""
	switch _, ok := refusal(err); {
	case err == nil:
	case ok && r.step == 0:
		stop, err = session.Stop{Reason: StopBlocked, Message: err.Error()}, nil
	case errors.Is(context.Cause(ctx), errTime):
		stop, err = r.a.cfg.Limits.timeOver(), nil
	case ctx.Err() != nil:
		stop, failure = session.Stop{Reason: StopCancelled}, err.Error()
	default:
		stop, failure = session.Stop{Reason: StopError}, err.Error()
	}
	r.span.Set(trace.String(trace.StopReason, stop.Reason))
	why := "the turn ended before this call"
	if failure != "" {
		why += ": " + failure
	} else if stop.Message != "" {
		why += ": " + stop.Message
	}
	if err == nil && stop.Reason == StopAsks { // its calls wait
		return r.append(ctx, session.Event{Kind: session.Stopped, Stop: &stop})
	}
	if failed := r.close(ctx, why); failed != nil {
		return errors.Join(err, failed)
	}
	return errors.Join(err, r.append(ctx, session.Event{Kind: session.Stopped, Stop: &stop, Failure: failure, Message: r.said}))
}

// close gives calls and code without a result one that says why.
func (r *run) close(ctx context.Context, why string) error {
	if err := r.closeCalls(ctx, why); err != nil {
		return err
	}
	if c := r.l.folder.View().Code; c != nil {
		return r.append(ctx, session.Event{Kind: session.RanResult, Message: brokenOff(c, why)})
	}
	return nil
}

// closeCalls gives the calls that have no result one that says why they were not
// run.
func (r *run) closeCalls(ctx context.Context, why string) error {
	view := r.l.folder.View()
	if len(view.Open) == 0 {
		return nil
	}
	events := settlingCalls(view)
	for i, call := range view.Open {
		if !slices.Contains(view.Begun, call.ID) {
			events[i].Message = interrupted(call, "not run: "+why)
		}
	}
	return r.append(ctx, events...)
}

// interrupted returns the result of a call that has no other.
func interrupted(call chat.ToolCall, why string) *chat.Message {
	m := chat.ResultMessage(chat.ToolResult{ID: call.ID, Name: call.Name, IsError: true,
		Text: span.OfGenerated(validUTF8(why), span.Generated("interrupted"))})
	return &m
}
