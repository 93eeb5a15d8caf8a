package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/wire"
)

// A Step is a model request that is ready to be sent.
type Step struct {
	Turn, Step  int
	Assembly    prompt.Assembly
	Diagnostics []prompt.Diagnostic // of sources and stages
	// Contexts are the messages that tell the model what changed in the context
	// channel. They enter the history when the request is sent.
	Contexts []chat.Message
	Request  wire.Request
	// ChangedBy names the hooks that had the last look at the request and changed
	// it.
	ChangedBy []string
	Body      wire.Body
	Facts     *prompt.Facts
	Snapshot  prompt.Snapshot
	Input     prompt.Input   // of the assembly
	Stages    []prompt.Stage // that made the assembly, those of hooks included

	bench  bench           // what calls of the answer are run with
	prefix *session.Prefix // to be recorded with the request; nil: as before
	making making          // what else it was made with
	// projected says that another history is sent than the session has. Sent and
	// history are how many messages they have.
	projected     bool
	sent, history int
}

// passing reports whether the request has a reminder that need not hold at the next
// one.
func (s *Step) passing() bool {
	return slices.ContainsFunc(s.Assembly.Sections, func(s prompt.Section) bool { return s.Channel == prompt.Reminder && s.Class == prompt.Turn })
}

// prepare does everything of a step that comes before its first write: it reads
// the world, assembles and encodes. history are the messages so far, the input
// included.
func (a *Agent) prepare(ctx context.Context, l *live, model Alternative, history []chat.Message, in Input, at At) (Step, error) {
	if err := a.recallSets(l.folder.View()); err != nil {
		return Step{}, err
	}
	view := a.cfg.Registry.View()
	composed, offer, err := a.compose(ctx, l, view, in, at)
	if err != nil {
		return Step{}, err
	}
	f := a.freezeFor(l, l.folder.View(), composed, model.Name, in, at)
	s := Step{Turn: at.Turn, Step: at.Step, Assembly: f.assembly, Diagnostics: composed.Assembly.Diagnostics,
		Facts: l.facts, Snapshot: view.Snapshot, Input: a.input(l.lineage, l.facts, in, at), Stages: l.composer.Stages(), prefix: f.record}
	if len(f.said) > 0 {
		s.Diagnostics = slices.Concat(s.Diagnostics, f.said)
	}
	a.settleTools(l, l.folder.View(), offer, &s, history, model)
	sending, messages, err := a.project(&s, history)
	if err != nil {
		return Step{}, err
	}
	s.Request = a.request(sending, model, messages)
	s.Request.Options = a.options(in)
	if a.cfg.Runtime == nil {
		in.typed.ask(&s.Request.Options)
	} else { // the answer is a text with a form of its own
		s.Request.Options.ToolChoice, s.Request.Options.Parallel = "", nil
	}
	if o := &s.Request.Options; o.CacheKey == "" && s.Request.Capability.CacheKey {
		o.CacheKey = l.cacheKey(a.preset.Project != nil, s.Request)
	}
	if a.cfg.Request.Chain {
		s.Request.Options.Chain.Begin = true
		if r := l.response.Load(); r != nil && r.id != "" && !s.projected && sameModel(r.model, model) && r.messages <= len(s.Request.Messages) {
			s.Request.Options.Chain.ID, s.Request.Options.Chain.Messages = r.id, r.messages
		}
	}
	s.making = makingOf(&a.preset, l.lineage, in.Who, l.vars, s.Request)
	if s.Request, s.ChangedBy, err = a.hooks.edited(ctx, at, s.Request); err != nil {
		return Step{}, err
	}
	prev := l.body
	if !sameModel(l.bodyOf, model) { // another model's body has another form
		prev = nil
	}
	if s.Body, err = model.Model.Encode(prev, s.Request); err != nil {
		return Step{}, err
	}
	for _, loss := range s.Body.Losses {
		s.Diagnostics = append(slices.Clip(s.Diagnostics), loss.Diagnostic)
	}
	l.body, l.bodyOf = &s.Body, model
	return s, nil
}

// compose reads the world and assembles.
func (a *Agent) compose(ctx context.Context, l *live, view registry.View, in Input, at At) (*prompt.Composed, *offer, error) {
	lineage := a.cfg.Registry.Lineage(a.cfg.Scope)
	v := l.folder.View()
	ctx = tool.WithSession(tool.WithStates(ctx, statesAt(v, v.StepNumber(at.Turn, at.Step))), l.id) // sources may ask whose session it is
	if p := a.cfg.Permissions; p != nil {
		ctx = permit.WithTerms(ctx, permit.Terms{Mode: p.Policy.In(modeIn(v, in)).Mode(), Unattended: p.Unattended})
	}
	ctx, offer := a.offered(ctx, v, view.Snapshot, lineage, in)
	composer := a.composerFor(l, lineage, runVars{in.Vars, in.by})
	needs := composer.Plan(view.Snapshot, lineage, a.preset.Ties).Needs()
	l.facts = source.Gather(ctx, needs, view, source.Query{
		Lineage: lineage, Who: in.Who, Turn: at.Turn, Step: at.Step, Preview: at.Preview,
	}, a.cfg.Limits.Source, l.facts)
	composed, err := composer.Compose(view.Snapshot, a.input(lineage, l.facts, in, at))
	return composed, offer, err
}

// input returns what an assembly depends on besides the snapshot.
func (a *Agent) input(lineage []string, facts *prompt.Facts, in Input, at At) prompt.Input {
	input := a.preset.Input(lineage, facts)
	input.Who, input.Turn, input.Step = in.Who, at.Turn, at.Step
	return input
}

// request puts the neutral request together: history, input, contexts, reminder.
func (a *Agent) request(as prompt.Assembly, model Alternative, messages []chat.Message) wire.Request {
	if reminder := as.Text(prompt.Reminder); len(reminder) > 0 {
		m := chat.TextMessage(chat.User, reminder)
		m.Name = wire.Transient
		messages = append(messages, m)
	}
	r := wire.Request{
		Model:        model.Name,
		System:       as.Parts(prompt.System),
		Instructions: as.Parts(prompt.Instructions),
		Messages:     messages,
		Tools:        as.Tools,
		Placement:    a.cfg.Request.Placement,
		Cache:        a.cfg.Request.Cache,
		Options:      a.cfg.Request.Options,
	}
	if a.cfg.Runtime != nil {
		r.Tools = nil
	}
	if m, ok := model.Model.(provider.Informer); ok {
		r.Capability = m.Capability()
	}
	return r
}

// Trace returns the assembly after each stage, from the facts and registrations
// that the step was made of. If the session keeps something else than the stages
// made, that is the last frame, so the last one has the step's assembly.
func (s *Step) Trace() ([]prompt.Frame, error) {
	frames, err := prompt.Trace(s.Snapshot, s.Input, s.Stages...)
	if err != nil {
		return frames, err
	}
	if last := frames[len(frames)-1].Assembly; last.Hash() != s.Assembly.Hash() {
		frames = append(frames, prompt.Frame{Stage: freezeStage, Assembly: s.Assembly,
			Doc: "keeps the prefix and the tools that the session began with; changes are told behind the conversation"})
	}
	return frames, nil
}

// A Preview is what a request would be.
type Preview struct{ Step }

// Preview returns the request that Run would send first for the input. It writes
// nothing and sends nothing; sources and hooks are told that it is a preview.
func (a *Agent) Preview(ctx context.Context, id string, in Input) (Preview, error) {
	if err := cmp.Or(session.CheckID(id), in.check()); err != nil {
		return Preview{}, err
	}
	if len(in.Replies) > 0 {
		return Preview{}, errors.New("agent: a preview is of an input, not of replies to questions")
	}
	l := newLive(id) // a copy of its own: a turn may be running
	l.response.Store(a.responseOf(id))
	if err := a.load(ctx, l); err != nil {
		return Preview{}, err
	}
	for _, e := range settling(l.folder.View()) { // as Run does first
		if err := l.folder.Add(e); err != nil {
			return Preview{}, fmt.Errorf("session %s: %w", id, err)
		}
	}
	v := l.folder.View()
	at := At{Session: id, Turn: v.Turn + 1, Who: in.Who, Preview: true}
	var p Preview
	var turn, step passing
	err := around(ctx, &turn, a.hooks.turn, aroundTurn(at), func(ctx context.Context) error {
		in, err := a.hooks.intercepted(ctx, at, in)
		if err != nil {
			return err
		}
		history := v.Messages
		if m := in.message(); m != nil {
			history = append(slices.Clip(history), *m)
		}
		at.Step = 1
		told, err := a.hooks.notices(ctx, at, v)
		if err != nil {
			return err
		}
		for _, e := range told {
			history = append(slices.Clip(history), *e.Message)
		}
		err = around(ctx, &step, a.hooks.step, aroundStep(at), func(ctx context.Context) (err error) {
			p.Step, err = a.prepare(ctx, l, a.models(in)[0], history, in, at)
			return err
		})
		return step.whole(err, "step")
	})
	return p, turn.whole(err, "turn")
}

// record returns what the session keeps of a request.
func (a *Agent) record(s Step, model Alternative) *session.Request {
	sum := sha256.Sum256(s.Body.JSON)
	r := &session.Request{Model: s.Request.Model, Body: hex.EncodeToString(sum[:]), Bytes: len(s.Body.JSON), Assembly: s.Assembly.Hash(), ChangedBy: s.ChangedBy, Lock: a.cfg.Lock}
	if m, ok := model.Model.(provider.Speaker); ok {
		r.Dialect = m.Protocol().Name
	}
	return r
}

func validUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
