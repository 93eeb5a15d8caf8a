package agent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/wire"
)

// A Replayed is a recorded request that was made again.
type Replayed struct {
	Step
	Number   int             // which of the session's requests, from 1
	Recorded session.Request // what the log says of it
	// Places says where each message of the request comes from. The zero Place is of
	// one that was made for the request alone, such as a reminder.
	Places []session.Place
	// Whole says that Body has the bytes that were sent. Otherwise hooks had the last
	// look and changed the request, see Recorded.ChangedBy: what they did is recorded
	// nowhere, so Request and Body are those before it, and only the assembly and the
	// contexts are what was recorded.
	Whole bool
}

// What of a request a [ReplayError] is about.
const (
	ReplayRecord   = "record"   // the log has no sums: the store keeps no contents, or the request is older
	ReplayInput    = "input"    // lineage, variables and options
	ReplaySnapshot = "snapshot" // the registrations
	ReplayFacts    = "facts"    // what sources read
	ReplayPreset   = "preset"   // the agent has another composition model
	ReplayAssembly = "assembly" // the composed texts and tools
	ReplayContexts = "contexts" // what the model was told of changed contexts
	ReplayDialect  = "dialect"  // nobody speaks the protocol
	ReplayBody     = "body"     // the bytes sent
)

// A ReplayError says why a request could not be made again, or what of it came out
// different.
type ReplayError struct {
	Session string
	Request int    // from 1
	What    string // ReplayAssembly and so on
	// Recorded and Now are the sums, or names, that differ; empty: nothing was
	// compared.
	Recorded, Now string
	Err           error // the cause, or nil
}

// Error names the request, what differs, and what may be the reason.
func (e *ReplayError) Error() string {
	at := fmt.Sprintf("session %s, request %d: ", e.Session, e.Request)
	if e.Recorded == "" && e.Now == "" {
		return at + "the " + e.What + " cannot be read: " + e.Err.Error()
	}
	at += fmt.Sprintf("the %s differs: recorded %s, now %s", e.What, short(e.Recorded), short(e.Now))
	switch e.What {
	case ReplayAssembly, ReplayContexts:
		at += "; the stages or hooks of the agent are not those of then"
	case ReplayBody:
		at += "; the protocol is encoded otherwise than then, or the history is another"
	}
	if e.Err != nil {
		at += ": " + e.Err.Error()
	}
	return at
}

// Unwrap returns Err.
func (e *ReplayError) Unwrap() error { return e.Err }

// short returns what is needed of a sum to tell it apart.
func short(s string) string {
	if session.CheckSum(s) == nil {
		return s[:12]
	}
	return cmp.Or(s, "nothing")
}

// Replay makes the n-th request of a session again, from the log and what the
// store kept with it alone: no source is read and the registry is not looked at. It
// compares the assembly, the contexts and the body with the recorded ones; what is
// returned without an error are the bytes that were sent, unless Whole says
// otherwise. With an error comes as much of the request as could be made.
//
// What is code is not recorded: stages of presets, prompt hooks and dialects. The
// agent needs the preset and the hooks of then, in the same configuration; anything
// else shows as a difference. Requests are counted over the whole session, those
// that failed or that another model had to answer too. The body is encoded by the
// dialect that was recorded: one of those given, or one that a model of the agent
// speaks.
func (a *Agent) Replay(ctx context.Context, id string, n int, dialects ...wire.Dialect) (Replayed, error) {
	if err := session.CheckID(id); err != nil {
		return Replayed{}, err
	}
	rec, err := findRequest(ctx, a.cfg.Store, id, n)
	if err != nil {
		return Replayed{}, err
	}
	return a.replay(ctx, rec, n, dialects)
}

// Replays makes all requests of a session again, in order, reading the log once. A
// request that cannot be made again, or comes out different, comes with its
// [ReplayError], and the next one follows; any other error is the last value.
func (a *Agent) Replays(ctx context.Context, id string, dialects ...wire.Dialect) iter.Seq2[Replayed, error] {
	return func(yield func(Replayed, error) bool) {
		if err := session.CheckID(id); err != nil {
			yield(Replayed{}, err)
			return
		}
		n := 0
		for rec, err := range requests(ctx, a.cfg.Store, id) {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(Replayed{}, err)
				return
			}
			n++
			if r, err := a.replay(ctx, rec, n, dialects); !yield(r, err) {
				return
			}
		}
	}
}

func (a *Agent) replay(ctx context.Context, rec recordedRequest, n int, dialects []wire.Dialect) (Replayed, error) {
	out := Replayed{Number: n, Recorded: rec.request, Step: Step{Turn: rec.turn, Step: rec.step}}
	p := replayer{a: a, rec: rec, out: &out, dialects: dialects}
	if err := p.run(ctx); err != nil {
		err.Session, err.Request = rec.id, n
		if err.Err == nil {
			err.Err = rec.loss()
		}
		return out, err
	}
	return out, nil
}

// A replayer makes one request again.
type replayer struct {
	a        *Agent
	rec      recordedRequest
	out      *Replayed
	dialects []wire.Dialect
}

func (p *replayer) run(ctx context.Context) *ReplayError {
	if err := p.read(ctx); err != nil {
		return err
	}
	s, rec := &p.out.Step, &p.rec.request
	if was, now := s.making.preset, p.a.preset.Name; was != now {
		return &ReplayError{What: ReplayPreset, Recorded: was, Now: now}
	}
	if err := p.compose(); err != nil {
		return &ReplayError{What: ReplayAssembly, Recorded: rec.Assembly, Err: err}
	}
	if now := s.Assembly.Hash(); now != rec.Assembly {
		return &ReplayError{What: ReplayAssembly, Recorded: rec.Assembly, Now: now}
	}
	sending, messages, failed := p.a.project(s, p.rec.history)
	if failed != nil {
		return &ReplayError{What: ReplayContexts, Recorded: sumOf(p.rec.contexts), Err: failed}
	}
	if was, now := sumOf(p.rec.contexts), sumOf(s.Contexts); was != now {
		return &ReplayError{What: ReplayContexts, Recorded: was, Now: now}
	}
	p.request(sending, messages)
	p.out.Places = placesOf(s.Request.Messages, p.rec.history, p.rec.contexts, p.rec.places)
	p.out.Whole = len(rec.ChangedBy) == 0
	encode := p.encoder()
	if encode == nil {
		if !p.out.Whole {
			return nil // there is nothing to compare the body with
		}
		return &ReplayError{What: ReplayDialect, Recorded: cmp.Or(rec.Dialect, "that of "+rec.Model), Err: errors.New("no model of the agent speaks it")}
	}
	var err error
	if s.Body, err = encode(nil, s.Request); err != nil {
		return &ReplayError{What: ReplayBody, Recorded: rec.Body, Err: err}
	}
	for _, loss := range s.Body.Losses {
		s.Diagnostics = append(slices.Clip(s.Diagnostics), loss.Diagnostic)
	}
	if now := session.Sum(s.Body.JSON); p.out.Whole && now != rec.Body {
		p.out.Whole = false
		return &ReplayError{What: ReplayBody, Recorded: rec.Body, Now: now}
	}
	return nil
}

// sumOf returns the sum of messages as a log has them; empty: there are none.
func sumOf(messages []chat.Message) string {
	var all []byte
	for _, m := range messages {
		b, err := m.MarshalJSON()
		if err != nil {
			return err.Error()
		}
		all = append(append(all, b...), '\n')
	}
	if all == nil {
		return ""
	}
	return session.Sum(all)
}

// read reads what was kept.
func (p *replayer) read(ctx context.Context) *ReplayError {
	rec := &p.rec.request
	store, ok := p.a.cfg.Store.(session.Keeper)
	switch {
	case !ok:
		return &ReplayError{What: ReplayRecord, Err: fmt.Errorf("a store of type %T keeps no contents", p.a.cfg.Store)}
	case rec.Snapshot == "" || rec.Facts == "" || rec.Input == "" || rec.Assembly == "" || rec.Body == "":
		return &ReplayError{What: ReplayRecord, Err: errors.New("the log does not say what the request was made from")}
	}
	k := keptReader{ctx: ctx, store: store, id: p.rec.id}
	s := &p.out.Step
	if err := k.into(rec.Input, &s.making); err != nil {
		return &ReplayError{What: ReplayInput, Err: err}
	}
	var err error
	if s.Snapshot, err = k.snapshot(rec.Snapshot); err != nil {
		return &ReplayError{What: ReplaySnapshot, Err: err}
	}
	if s.Facts, err = k.facts(rec.Facts); err != nil {
		return &ReplayError{What: ReplayFacts, Err: err}
	}
	return nil
}

func (p *replayer) compose() error {
	s := &p.out.Step
	in := p.a.preset.Input(s.making.lineage, s.Facts)
	in.Who, in.Turn, in.Step = s.making.who, s.Turn, s.Step
	var own live // of no session: its composer has composed nothing yet
	composer := p.a.composerFor(&own, s.making.lineage, s.making.vars)
	composed, err := composer.Compose(s.Snapshot, in)
	if err != nil {
		return err
	}
	s.Input, s.Stages = in, composer.Stages()
	s.Assembly, s.Diagnostics = validAssembly(composed.Assembly), composed.Assembly.Diagnostics
	if kept := p.rec.prefix; kept != nil && s.making.keeps && !(p.rec.made && samePrefix(kept, s.Assembly)) {
		var f frozen
		s.Assembly = overlaid(kept, s.Assembly, &f, &p.a.preset)
		s.Diagnostics = slices.Concat(s.Diagnostics, f.said)
	}
	if t := p.rec.tools; t != nil && t.Frozen {
		s.freeze(t.Block)
	}
	return nil
}

// samePrefix reports whether a prefix was made from the assembly as it is, which
// is then sent as it is.
func samePrefix(kept *session.Prefix, a prompt.Assembly) bool {
	was, err := json.Marshal(kept)
	now, failed := json.Marshal(session.PrefixOf(kept.Model, a))
	return err == nil && failed == nil && bytes.Equal(was, now)
}

// request puts the request together as it was before hooks looked at it.
func (p *replayer) request(as prompt.Assembly, messages []chat.Message) {
	s, made := &p.out.Step, &p.out.making.request
	r := p.a.request(as, Alternative{Name: p.rec.request.Model}, messages)
	r.Placement, r.Cache, r.Capability, r.Options = made.Placement, made.Cache, made.Capability, made.Options
	if c := p.rec.request.Chain; c != nil {
		r.Options.Chain = wire.Chain{Begin: c.Begin, ID: c.ID, Messages: c.Messages}
		s.making.chain = r.Options.Chain
	}
	s.Request, s.ChangedBy = r, p.rec.request.ChangedBy
}

// encoder returns what encodes the recorded request; nil: nobody does. A model of
// the agent that is not known by its dialect is known by its name.
func (p *replayer) encoder() func(*wire.Body, wire.Request) (wire.Body, error) {
	rec := &p.rec.request
	if rec.Dialect == "" {
		for _, m := range p.a.models(Input{}) {
			if _, speaks := m.Model.(provider.Speaker); !speaks && m.Name == rec.Model {
				return m.Model.Encode
			}
		}
		return nil
	}
	for _, d := range p.dialects {
		if d.Name == rec.Dialect {
			return d.Encode
		}
	}
	for _, m := range p.a.models(Input{}) {
		if s, ok := m.Model.(provider.Speaker); ok && s.Protocol().Name == rec.Dialect {
			return s.Protocol().Encode
		}
	}
	return nil
}
