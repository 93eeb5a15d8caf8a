package agent

import (
	"context"
	"errors"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/plan"
)

// planLeft is all that the conversation keeps of a plan mode that a user ended.
const planLeft = "The user ended plan mode. Whether a call runs is decided as before it."

// planState returns what a session keeps of planning.
func planState(v session.View) (plan.State, session.Standing) {
	s, _ := v.State(plan.StateName)
	return plan.Parse(s.Value), s
}

// View returns the state of a session as its log tells it, also while a turn runs
// in it. What tools keep is in it: see [plan.Parse] and the package todo.
func (a *Agent) View(ctx context.Context, id string) (session.View, error) {
	if err := session.CheckID(id); err != nil {
		return session.View{}, err
	}
	l := newLive(id)
	if err := a.load(ctx, l); err != nil {
		return session.View{}, err
	}
	return l.folder.View(), nil
}

// SetPlan turns plan mode on or off in a session, which may begin with it, and
// reports whether it was otherwise before. It waits for a turn that runs, or returns
// [ErrBusy] if the agent is configured so.
//
// As long as the mode is on, every call that would change something is refused,
// whatever the permissions and the mode of an input say. What a model is told of it
// needs the tools of package plan; an agent without them cannot turn it on. Turning
// it off leaves one notice in the conversation if a model was told of it.
func (a *Agent) SetPlan(ctx context.Context, id string, on bool) (changed bool, err error) {
	if err := session.CheckID(id); err != nil {
		return false, err
	}
	if on && a.tools[plan.ExitName] == nil {
		return false, errors.New("agent: plan mode needs the tools of package plan in Config.Tools")
	}
	l, release, err := a.acquire(ctx, id)
	if err != nil {
		return false, err
	}
	defer release()
	v := l.folder.View()
	s, standing := planState(v)
	if s.Active == on {
		return false, nil
	}
	told := s.Told || v.Steps > standing.Steps
	s.Active, s.Told = on, false
	if on {
		s.Plan = "" // a new plan is made
	}
	state, err := stateOf(s.Keep())
	if err != nil {
		return false, err
	}
	var events []session.Event
	if !v.Started {
		events = append(events, session.Event{Kind: session.Start})
	}
	events = append(events, session.Event{Kind: session.Kept, State: state})
	if !on && told {
		m := chat.TextMessage(chat.User, span.OfGenerated(planLeft, span.Generated("notice")))
		m.Name = "notice"
		events = append(events, session.Event{Kind: session.Notice, Message: &m})
	}
	r := &run{a: a, l: l, cancel: func() {}, yield: func(session.Event, error) bool { return true }, turnNo: v.Turn, step: v.Step}
	return true, r.append(ctx, events...)
}

// modeIn returns the mode in which the calls of a turn are judged; empty: the
// policy's. Nothing is above plan mode.
func modeIn(v session.View, in Input) permit.Mode {
	if s, _ := planState(v); s.Active {
		return permit.Plan
	}
	return in.Mode
}

// unplanned is what the model is told of a call that plan mode does not let run
// where no permissions say so.
const unplanned = "Not run: in the mode plan nothing is changed, and this may change something. Do not try another way to the same effect."
