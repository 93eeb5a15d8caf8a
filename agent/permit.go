package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/permit"
)

// Permissions decide which calls run. Hooks have changed a call before it is
// judged; what is judged is what runs.
//
// Where a person must be asked, the turn pauses: an event of kind session.Asked
// holds the question, and the turn stops with the reason [StopAsks]. Results that
// are there stay, later calls of the answer wait. An [Input] with Replies goes on
// where the turn paused, also in another process; an input with a text instead
// gives the calls a result that says that nobody answered.
type Permissions struct {
	Policy *permit.Policy // required
	Cwd    string         // where commands start, absolute; empty: the policy's first root
	// Unattended says that nobody can be asked. What would ask is refused, and the
	// model is told what would permit it.
	Unattended bool
}

// check reports what makes the permissions unusable.
func (p *Permissions) check() error {
	if p != nil && p.Policy == nil {
		return errors.New("permissions without a policy; set Permissions.Policy")
	}
	return nil
}

// Asked returns the questions that wait for an answer in a session, in the order
// of the calls.
func (a *Agent) Asked(ctx context.Context, id string) ([]session.Ask, error) {
	if err := session.CheckID(id); err != nil {
		return nil, err
	}
	l := newLive(id)
	if err := a.load(ctx, l); err != nil {
		return nil, err
	}
	return l.folder.View().Asked, nil
}

// permit decides about a planned call: it may get a result that refuses it, or a
// question.
func (r *run) permit(ctx context.Context, p *planned) {
	p.effect = effectOf(r.toolContext(ctx), p.tool, p.call)
	view := r.l.folder.View()
	reply, asked := replyTo(view, p.call.ID)
	if reply != nil && reply.Digest == "" {
		if asked.Tool != p.call.Name || !bytes.Equal(asked.Args, p.call.Args) { // a hook wants something else now
			p.result = refusedByPolicy(p.call.Name, "not run: what was answered to is not the call that would go on now; call the tool again")
			return
		}
		p.answer = &reply.Text
	}
	perm, mode := r.a.cfg.Permissions, modeIn(view, r.in)
	if perm == nil {
		if mode == permit.Plan && (!p.effect.ReadOnly || p.effect.Command != "") {
			p.result = refusedByPolicy(p.call.Name, unplanned)
		}
		return
	}
	policy := perm.Policy.In(mode)
	request := policy.Request(r.a.env.Files, tool.RuleName(p.tool), p.call.Args, p.effect, perm.Cwd)
	d := policy.Decide(request, permit.Grants(view.Granted))
	if reply != nil && reply.Digest != "" {
		d = policy.Resume(request, permit.Grants(view.Granted), answerOf(reply))
	}
	switch {
	case d.Action == permit.Allow:
		return
	case d.Action == permit.Ask && p.answer != nil:
		return // it was allowed when it ran up to its own question
	case d.Action == permit.Ask && !perm.Unattended:
		p.ask = askOf(p.call, d.Asked)
		return
	}
	p.result = refusedByPolicy(p.call.Name, d.Unattended().Model)
}

// effectOf returns the effect of a call. A panic of the tool promises nothing.
func effectOf(ctx context.Context, t tool.Tool, call chat.ToolCall) (e tool.Effect) {
	defer func() {
		if recover() != nil {
			e = tool.Effect{}
		}
	}()
	return tool.EffectOf(ctx, t, call.Args)
}

// replyTo returns what was answered about a call, and the question; nil: nothing.
func replyTo(v session.View, call string) (*session.Reply, *session.Ask) {
	i := slices.IndexFunc(v.Replies, func(r session.Reply) bool { return r.Call == call })
	if i < 0 {
		return nil, nil
	}
	return &v.Replies[i], &v.Answered[i]
}

// pend makes a question of a call that waits for a person.
func (r *run) pend(p *planned, pending *tool.Pending) {
	switch _, ok := p.tool.(tool.Answerer); {
	case !ok:
		p.result = refusedByPolicy(p.call.Name, fmt.Sprintf("the tool %s asks a question and does not take an answer; it is broken", p.call.Name))
	case pending.Question == "":
		p.result = refusedByPolicy(p.call.Name, fmt.Sprintf("the tool %s waits for an answer and asks nothing; it is broken", p.call.Name))
	case r.a.cfg.Permissions != nil && r.a.cfg.Permissions.Unattended:
		p.result = refusedByPolicy(p.call.Name, "nobody can be asked here; go on as well as you can without the answer, or say in yours what is missing")
	default:
		p.ask = &session.Ask{Call: p.call.ID, Tool: p.call.Name, Args: p.call.Args, Text: validUTF8(pending.Question), Choices: pending.Choices}
	}
}

// asks records the questions of planned calls. The turn pauses.
func (r *run) asks(ctx context.Context, plans []*planned) error {
	var events []session.Event
	for _, p := range plans {
		if p != nil && p.ask != nil {
			events = append(events, session.Event{Kind: session.Asked, Ask: p.ask})
		}
	}
	r.paused = r.paused || len(events) > 0
	if len(events) == 0 {
		return nil
	}
	return r.append(ctx, events...)
}

// pause is the stop of a turn that waits for a person.
func (r *run) pause() session.Stop {
	asked := r.l.folder.View().Asked
	stop := session.Stop{Reason: StopAsks, Message: "a person is asked"}
	if len(asked) > 0 {
		stop.Message = "a person is asked about " + asked[0].Tool
		if n := len(asked) - 1; n > 0 {
			stop.Message += fmt.Sprintf(" and %d more", n)
		}
	}
	return stop
}

// resume goes on with a turn that paused.
func (r *run) resume(ctx context.Context, view session.View) error {
	r.turnNo, r.step = view.Turn, view.Step
	events := make([]session.Event, len(r.in.Replies))
	for i := range events {
		reply := &r.in.Replies[i]
		if err := checkReply(view, *reply); err != nil {
			return err
		}
		events[i] = session.Event{Kind: session.Replied, Reply: reply}
	}
	if err := r.append(ctx, events...); err != nil {
		return err
	}
	r.models = r.a.models(r.in)
	r.spent.resume(view.Spent, r.a.cfg.Limits.Price, r.models[0].Name)
	stop, err := r.goOn(ctx)
	return r.end(ctx, stop, err)
}

// goOn runs the open calls of the last answer and then the further steps.
func (r *run) goOn(ctx context.Context) (session.Stop, error) {
	view := r.l.folder.View()
	if len(view.Asked) > 0 {
		return r.pause(), nil
	}
	if err := r.takeUp(ctx); err != nil {
		return session.Stop{}, err
	}
	if view.Code != nil {
		if r.a.cfg.Runtime == nil {
			return session.Stop{}, errors.New("code waits for the answer, and the agent has no runtime to run it; set Config.Runtime")
		}
		if stop, err := r.stepSpan(ctx, func(ctx context.Context) (*session.Stop, error) { return r.code(ctx, true) }); stop != nil || err != nil {
			return *orZero(stop), err
		}
		return r.steps(ctx)
	}
	if stop, err := r.stepSpan(ctx, func(ctx context.Context) (*session.Stop, error) { return r.follow(ctx, view.Open) }); stop != nil || err != nil {
		return *orZero(stop), err
	}
	return r.steps(ctx)
}

func orZero(s *session.Stop) *session.Stop {
	if s == nil {
		return &session.Stop{}
	}
	return s
}

// checkReply reports what makes a reply unusable.
func checkReply(view session.View, reply session.Reply) error {
	i := slices.IndexFunc(view.Asked, func(a session.Ask) bool { return a.Call == reply.Call })
	if i < 0 {
		return fmt.Errorf("nothing is asked about the call %q", reply.Call)
	}
	asked := view.Asked[i]
	if asked.Text == "" {
		_, err := permit.Grants{}.With(questionOf(asked), answerOf(&reply))
		return err
	}
	if reply.Digest != "" {
		return fmt.Errorf("%s asks a question, which takes a text and no verdict", asked.Tool)
	}
	return nil
}

// askOf returns a question of the policy as it is kept in the log.
func askOf(call chat.ToolCall, q *permit.Question) *session.Ask {
	a := &session.Ask{Call: call.ID, Args: call.Args, Digest: q.Digest, Tool: q.Tool, Why: q.Why, Command: q.Command, Cwd: q.Cwd, Rules: q.Rules, Wider: q.Wider}
	for _, t := range q.Targets {
		a.Targets = append(a.Targets, session.Target(t))
	}
	return a
}

// questionOf is the reverse of askOf.
func questionOf(a session.Ask) permit.Question {
	q := permit.Question{Digest: a.Digest, Tool: a.Tool, Why: a.Why, Command: a.Command, Cwd: a.Cwd, Rules: a.Rules, Wider: a.Wider}
	for _, t := range a.Targets {
		q.Targets = append(q.Targets, permit.Target(t))
	}
	return q
}

func answerOf(r *session.Reply) permit.Answer {
	if r == nil {
		return permit.Answer{}
	}
	return permit.Answer{Digest: r.Digest, Verdict: permit.Verdict(r.Verdict), Rules: r.Rules, Note: r.Note}
}

// refusedByPolicy is the result of a call that the permissions did not let run.
func refusedByPolicy(name, text string) *tool.Result {
	return refusedBy("permissions", name, text)
}
