package agent

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/trace"
	"github.com/proemhq/proem/wire"
)

// Run runs one turn: it records the input, and then sends requests and runs
// tools until the model answers without calling any. Events are yielded as they
// happen, after they were stored; deltas are yielded only. A failure is recorded
// as the reason of the stop event and yielded as the last value. The input is
// stored before anything else can fail.
//
// A turn that has to ask a person pauses; see [Permissions]. Run with Replies in its
// input goes on with it.
//
// The turn ends when ctx is done or the caller breaks off. The same session must
// not be run by two processes; a store refuses that.
func (a *Agent) Run(ctx context.Context, id string, in Input) iter.Seq2[session.Event, error] {
	return func(yield func(session.Event, error) bool) {
		if err := cmp.Or(session.CheckID(id), in.check()); err != nil {
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
		r := &run{a: a, l: l, in: in, cancel: cancel, yield: yield, turnNo: l.folder.View().Turn + 1, loop: breaker{limit: a.cfg.Limits.Repeats}, bill: &bill{limits: &a.cfg.Limits}}
		defer r.bill.close()
		if len(in.Replies) > 0 {
			r.turnNo--
		}
		if err = r.whole(ctx); err != nil && !r.left {
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
	paused bool // a call waits for a person
	// noSummary says that a summary failed in this turn.
	noSummary bool
	turnNo    int
	step      int
	models    []Alternative   // of the turn
	model     int             // which of them
	deltas    bool            // something of the present answer was shown
	shown     []chat.ToolSpec // in the last request
	bench     bench           // and what runs their calls
	spent     spending
	bill      *bill // of calls that ask models themselves
	loop      breaker

	progress Progress      // under a runtime
	called   int           // calls of the last answer, which a runtime does not run
	said     *chat.Message // the answer of the turn, if it is not the last one's text

	span *trace.Active // of the turn; nil: nobody is told

	deaf   []string        // observers that panicked
	panics []session.Event // what is to be recorded of them
}

// at returns where the turn is.
func (r *run) at() At {
	return At{Session: r.l.id, Turn: r.turnNo, Step: r.step, Who: r.in.Who}
}

// emit hands an event to the observers and to the caller.
func (r *run) emit(ctx context.Context, e session.Event) {
	if len(r.a.hooks.observers) > 0 {
		r.observe(ctx, e)
	}
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
		r.emit(ctx, e)
	}
	if panics := r.panics; len(panics) > 0 {
		r.panics = nil
		return r.append(ctx, panics...)
	}
	return nil
}

// turn runs the whole turn and records how it ended.
func (r *run) turn(ctx context.Context) error {
	r.spent.began = r.a.env.Clock.Now()
	ctx, done := r.a.cfg.Limits.timed(ctx)
	defer done()
	view := r.l.folder.View()
	if len(r.in.Replies) > 0 {
		return r.resume(ctx, view)
	}
	if err := r.settle(ctx, view); err != nil {
		return err
	}
	r.turnNo = view.Turn + 1
	var first []session.Event
	if !view.Started {
		first = append(first, session.Event{Kind: session.Start, Parent: r.in.Parent})
	}
	in, refused := r.a.hooks.intercepted(ctx, r.at(), r.in)
	r.in = in
	if m := r.in.message(); m != nil && refused == nil {
		first = append(first, session.Event{Kind: session.Input, Message: m})
	}
	if len(first) > 0 {
		if err := r.append(ctx, first...); err != nil {
			return err
		}
	}
	if refused != nil {
		return r.end(ctx, session.Stop{}, refused)
	}
	r.models = r.a.models(r.in)
	stop, err := r.steps(ctx)
	return r.end(ctx, stop, err)
}

// CodeUnknown is the code of the diagnostic for a call whose outcome is not known,
// because the process ended while its tool ran. It is for a person to look.
const CodeUnknown = "call.unknown"

// settle records the results of calls that a crash left without one, and tells of
// those that were started.
func (r *run) settle(ctx context.Context, view session.View) error {
	events := settling(view)
	if len(events) == 0 {
		return nil
	}
	for _, call := range view.Open {
		if slices.Contains(view.Begun, call.ID) && !slices.ContainsFunc(view.Asked, func(a session.Ask) bool { return a.Call == call.ID }) {
			events = append(events, session.Event{Kind: session.Diagnostic, Diagnostic: &prompt.Diagnostic{Severity: prompt.Warning, Code: CodeUnknown,
				Message: fmt.Sprintf("%s was started before the last run ended, and nobody knows whether it did what it should; it was not run again: %s",
					call.Name, shortened(string(call.Args)))}})
		}
	}
	r.turnNo, r.step = view.Turn, view.Step
	if err := r.append(ctx, events...); err != nil {
		return err
	}
	r.step = 0
	return nil
}

// settling gives calls and code that a crash left without a result one that says
// so. They are not run again: what they did is not known.
func settling(view session.View) []session.Event {
	events := settlingCalls(view)
	if view.Code != nil {
		events = append(events, session.Event{Seq: view.Seq + uint64(len(events)) + 1, Kind: session.RanResult, Turn: view.Turn, Step: view.Step,
			Message: brokenOff(view.Code, "the turn was interrupted")})
	}
	return events
}

// settlingCalls is the part of settling that is about calls.
func settlingCalls(view session.View) []session.Event {
	events := make([]session.Event, len(view.Open))
	for i, call := range view.Open {
		why := "not run: the turn was interrupted before this call"
		if slices.ContainsFunc(view.Asked, func(a session.Ask) bool { return a.Call == call.ID }) {
			why = "not run: it needed the answer of a person, and nobody gave one"
		} else if slices.Contains(view.Begun, call.ID) {
			why = wire.Interrupted + ": the tool was started and was not run again"
		}
		events[i] = session.Event{Seq: view.Seq + uint64(i) + 1, Kind: session.Result, Turn: view.Turn, Step: view.Step,
			Message: interrupted(call, why)}
	}
	return events
}

// steps sends requests and runs tools, from the step after the present one.
func (r *run) steps(ctx context.Context) (session.Stop, error) {
	for r.step++; r.step <= r.a.cfg.Limits.Steps; r.step++ {
		if err := ctx.Err(); err != nil {
			return session.Stop{}, err
		}
		if over := r.over(ctx, r.models[r.model].Name); over != nil {
			r.step--
			return *over, nil
		}
		if err := r.notify(ctx); err != nil {
			return session.Stop{}, err
		}
		if stop, err := r.stepSpan(ctx, r.oneStep); stop != nil || err != nil {
			return *orZero(stop), err
		}
	}
	r.step = r.a.cfg.Limits.Steps
	return session.Stop{Reason: StopSteps, Message: fmt.Sprintf("the turn took %d model requests, which is the limit", r.step)}, nil
}

// oneStep sends a request and does what the answer asks for. It returns why the
// turn does not go on, if it does not.
func (r *run) oneStep(ctx context.Context) (*session.Stop, error) {
	answer, stop, err := r.reason(ctx)
	if err != nil {
		return nil, err
	}
	if r.a.cfg.Runtime != nil {
		return r.obey(ctx, answer, stop)
	}
	calls := answer.Calls()
	if len(calls) == 0 {
		return &stop, nil
	}
	if over := r.over(ctx, r.models[r.model].Name); over != nil {
		return over, nil
	}
	return r.follow(ctx, calls)
}

// follow runs calls. It returns why the turn does not go on, if it does not.
func (r *run) follow(ctx context.Context, calls []chat.ToolCall) (*session.Stop, error) {
	if err := r.act(ctx, calls); err != nil {
		return nil, err
	}
	switch {
	case r.in.typed.done():
		return &session.Stop{Reason: string(wire.StopEnd)}, nil
	case r.paused:
		stop := r.pause()
		return &stop, nil
	}
	return r.loop.stop(), nil
}

// reason gets the answer of a step, with the hooks around it.
func (r *run) reason(ctx context.Context) (answer chat.Message, stop session.Stop, err error) {
	var p passing
	err = around(ctx, &p, r.a.hooks.step, aroundStep(r.at()), func(ctx context.Context) (err error) {
		answer, stop, err = r.request(ctx)
		return err
	})
	return answer, stop, p.whole(err, "step")
}

// attempt prepares, records and sends one request, and records the answer.
func (r *run) attempt(ctx context.Context) (chat.Message, session.Stop, error) {
	r.deltas = false
	model := r.models[r.model]
	s, err := r.a.prepare(ctx, r.l, model, r.l.folder.View().Messages, r.in, r.at())
	if err != nil {
		return chat.Message{}, session.Stop{}, err
	}
	request := r.a.record(s, model)
	if r.a.preset.Traced {
		request.Trace = traceOf(s)
	}
	events, err := r.keep(ctx, &s, request)
	if err != nil {
		return chat.Message{}, session.Stop{}, err
	}
	if r.step == 1 {
		for i := range s.Diagnostics {
			events = append(events, session.Event{Kind: session.Diagnostic, Diagnostic: &s.Diagnostics[i]})
		}
	}
	if s.prefix != nil {
		events = append(events, session.Event{Kind: session.Prefixed, Prefix: s.prefix})
	}
	events = append(events, r.take(s)...)
	for i := range s.Contexts {
		events = append(events, session.Event{Kind: session.Context, Message: &s.Contexts[i]})
	}
	events = append(events, session.Event{Kind: session.Requested, Request: request})
	if err := r.append(ctx, events...); err != nil {
		return chat.Message{}, session.Stop{}, err
	}
	r.shown = s.Request.Tools
	if r.a.cfg.Runtime != nil {
		r.shown = s.Assembly.Tools
	}
	r.l.sent(s.Request)
	got, err := r.ask(ctx, model, &s, request)
	if err != nil {
		return chat.Message{}, session.Stop{}, err
	}
	if r.a.cfg.Runtime != nil {
		got.message, r.called = withoutCalls(got.message)
	}
	r.l.response.Store(nil)
	if !s.projected && !s.passing() { // else the provider keeps another conversation than the session
		r.l.response.Store(&response{got.id, model, len(r.l.folder.View().Messages) + 1})
	}
	events = []session.Event{{Kind: session.Answer, Message: &got.message, Usage: got.usage, Stop: &got.stop}}
	if d := r.spend(s.Request.Model, len(s.Body.JSON), got); d != nil {
		events = append(events, session.Event{Kind: session.Diagnostic, Diagnostic: d})
	}
	return got.message, got.stop, r.append(ctx, events...)
}
