package agent

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// Reasons why a turn stops besides those of the model (see wire.StopReason).
const (
	StopSteps     = "max_steps" // the limit of steps was reached
	StopCancelled = "cancelled" // the context was cancelled or the caller went away
	StopError     = "error"     // Failure says which
)

// Run runs one turn: it records the input, and then sends requests and runs
// tools until the model answers without calling any. Events are yielded as they
// happen, after they were stored; deltas are yielded only. A failure is recorded
// as the reason of the stop event and yielded as the last value. The input is
// stored before anything else can fail.
//
// The turn ends when ctx is done or the caller breaks off. The same session must
// not be run by two processes; a store refuses that.
func (a *Agent) Run(ctx context.Context, id string, in Input) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		if err := session.CheckID(id); err != nil {
			yield(session.Event{}, err)
			return
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		l, release, err := a.acquire(ctx, id)
		if err != nil {
			yield(session.Event{}, err)
			return
		}
		defer release()
		r := &run{a: a, l: l, in: in, cancel: cancel, yield: yield}
		if err := r.turn(ctx); err != nil && !r.left {
			yield(session.Event{}, err)
		}
	}
}

// A run is one turn in progress.
type run struct {
	a      *Agent
	l      *live
	in     Input
	cancel context.CancelFunc
	yield  func(session.Event, error) bool
	left   bool // the caller broke off
	turnNo int
	step   int
	model  int             // which of the agent's models
	deltas bool            // something of the present answer was shown
	shown  []chat.ToolSpec // in the last request
}

// emit hands an event to the caller.
func (r *run) emit(e session.Event) {
	if !r.left && !r.yield(e, nil) {
		r.left = true
		r.cancel()
	}
}

// append stores events and then hands them out. What happened is recorded even
// if the turn was cancelled meanwhile.
func (r *run) append(ctx context.Context, events ...session.Event) error {
	after := r.l.folder.View().Seq
	for i := range events {
		e := &events[i]
		e.Seq, e.Time, e.Turn, e.Step = after+uint64(i)+1, r.a.env.Clock.Now().UTC(), r.turnNo, r.step
		if e.Kind == session.Start {
			e.Turn, e.Step = 0, 0
		}
	}
	for _, e := range events { // a log that cannot be read again is not written
		if err := r.l.folder.Add(e); err != nil {
			r.l.forget()
			return fmt.Errorf("session %s: %w", r.l.id, err)
		}
	}
	if err := r.a.cfg.Store.Append(context.WithoutCancel(ctx), r.l.id, after, events...); err != nil {
		r.l.forget() // somebody else may have written
		return fmt.Errorf("session %s: %w", r.l.id, err)
	}
	for _, e := range events {
		r.emit(e)
	}
	return nil
}

// turn runs the whole turn and records how it ended.
func (r *run) turn(ctx context.Context) error {
	view := r.l.folder.View()
	if err := r.settle(ctx, view); err != nil {
		return err
	}
	r.turnNo = view.Turn + 1
	var first []session.Event
	if !view.Started {
		first = append(first, session.Event{Kind: session.Start})
	}
	if m := r.in.message(); m != nil {
		first = append(first, session.Event{Kind: session.Input, Message: m})
	}
	if len(first) > 0 {
		if err := r.append(ctx, first...); err != nil {
			return err
		}
	}
	stop, err := r.steps(ctx)
	if err != nil {
		if !r.l.loaded { // the log is out of our hands
			return err
		}
		stop = session.Stop{Reason: StopError}
		if ctx.Err() != nil {
			stop.Reason = StopCancelled
		}
		return errors.Join(err, r.append(ctx, session.Event{Kind: session.Stopped, Stop: &stop, Failure: err.Error()}))
	}
	return r.append(ctx, session.Event{Kind: session.Stopped, Stop: &stop})
}

// settle records the results of calls that a crash left without one.
func (r *run) settle(ctx context.Context, view session.View) error {
	events := settling(view)
	if len(events) == 0 {
		return nil
	}
	r.turnNo, r.step = view.Turn, view.Step
	if err := r.append(ctx, events...); err != nil {
		return err
	}
	r.step = 0
	return nil
}

// settling gives calls that a crash left without a result one that says so. They
// are not run again: what they did is not known.
func settling(view session.View) []session.Event {
	events := make([]session.Event, len(view.Open))
	for i, call := range view.Open {
		why := "not run: the turn was interrupted before this call"
		if slices.Contains(view.Begun, call.ID) {
			why = wire.Interrupted + ": the tool was started and was not run again"
		}
		m := chat.ResultMessage(chat.ToolResult{ID: call.ID, Name: call.Name, IsError: true,
			Text: span.OfGenerated(why, span.Generated("interrupted"))})
		events[i] = session.Event{Seq: view.Seq + uint64(i) + 1, Kind: session.Result, Turn: view.Turn, Step: view.Step, Message: &m}
	}
	return events
}

func (r *run) steps(ctx context.Context) (session.Stop, error) {
	for r.step = 1; r.step <= r.a.cfg.Limits.Steps; r.step++ {
		if err := ctx.Err(); err != nil {
			return session.Stop{}, err
		}
		answer, stop, err := r.request(ctx)
		if err != nil {
			return session.Stop{}, err
		}
		calls := answer.Calls()
		if len(calls) == 0 {
			return stop, nil
		}
		if err := r.calls(ctx, calls); err != nil {
			return session.Stop{}, err
		}
		if r.in.typed.done() {
			return session.Stop{Reason: string(wire.StopEnd)}, nil
		}
	}
	r.step = r.a.cfg.Limits.Steps
	return session.Stop{Reason: StopSteps, Message: fmt.Sprintf("the turn took %d model requests, which is the limit", r.step)}, nil
}

// attempt prepares, records and sends one request, and records the answer.
func (r *run) attempt(ctx context.Context) (chat.Message, session.Stop, error) {
	r.deltas = false
	model := r.a.models()[r.model]
	s, err := r.a.prepare(ctx, r.l, model, r.l.folder.View().Messages, r.in, r.turnNo, r.step, false)
	if err != nil {
		return chat.Message{}, session.Stop{}, err
	}
	var events []session.Event
	if r.step == 1 {
		for i := range s.Diagnostics {
			events = append(events, session.Event{Kind: session.Diagnostic, Diagnostic: &s.Diagnostics[i]})
		}
	}
	for i := range s.Contexts {
		events = append(events, session.Event{Kind: session.Context, Message: &s.Contexts[i]})
	}
	events = append(events, session.Event{Kind: session.Requested, Request: record(s, model)})
	if err := r.append(ctx, events...); err != nil {
		return chat.Message{}, session.Stop{}, err
	}
	r.shown = s.Request.Tools
	got, err := r.receive(ctx, model.Model, s.Body)
	if err != nil {
		return chat.Message{}, session.Stop{}, err
	}
	r.l.response = response{got.id, model.Name, len(r.l.folder.View().Messages) + 1}
	err = r.append(ctx, session.Event{Kind: session.Answer, Message: &got.message, Usage: got.usage, Stop: &got.stop})
	return got.message, got.stop, err
}
