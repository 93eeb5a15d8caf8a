package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/proemhq/proem/agent/internal/compact"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/wire"
)

// Compact makes the history of a session shorter now, whatever room there is: it
// cuts old large results and asks for a summary of all but the latest messages.
// It returns the events that were recorded, which is none if there is nothing to
// replace. A turn that waits for a person can be compacted; while one runs, Compact
// waits as an input does.
func (a *Agent) Compact(ctx context.Context, id string) (events []session.Event, err error) {
	if err := session.CheckID(id); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l, release, err := a.acquire(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	v := l.folder.View()
	r := &run{a: a, l: l, cancel: cancel, turnNo: v.Turn, step: v.Step, models: a.models(Input{}),
		yield: func(e session.Event, _ error) bool { events = append(events, e); return true }}
	err = r.shorten(ctx, byHand, nil)
	return events, err
}

// An occasion is why a history is made shorter.
type occasion int

const (
	ahead   occasion = iota // the next request would be too long
	refused                 // the provider says that it was
	byHand                  // somebody wants it
)

// makeRoom makes the history shorter if the next request would be too long. It
// returns why the turn may not go on, if it may not.
func (r *run) makeRoom(ctx context.Context) (*session.Stop, error) {
	model := r.models[r.model]
	window, reserve := r.a.window(r.l, model, r.in)
	if r.a.cfg.Compaction.Off || window == 0 {
		return nil, nil
	}
	room := compact.RoomIn(window, reserve, r.a.cfg.Compaction.Keep)
	if r.l.tokens(r.l.folder.View(), r.a.meter(model), model.Name) <= room.Limit {
		return nil, nil
	}
	if err := r.shorten(ctx, ahead, nil); err != nil {
		return nil, err
	}
	return r.over(ctx, model.Name), nil
}

// recover makes the history shorter after a model refused a request as too long.
// It reports whether it could.
func (r *run) recover(ctx context.Context, long *wire.APIError) (bool, error) {
	if r.a.cfg.Compaction.Off {
		return false, nil
	}
	r.l.learn(r.models[r.model], long)
	before := r.l.folder.View().Shortened
	err := r.shorten(ctx, refused, long)
	return r.l.folder.View().Shortened != before, err
}

// passes does what makes the history shorter.
func (r *run) passes(ctx context.Context, why occasion, long *wire.APIError) error {
	model := r.models[r.model]
	window, reserve := r.a.window(r.l, model, r.in)
	v, meter := r.l.folder.View(), r.a.meter(model)
	tokens := r.l.tokens(v, meter, model.Name)
	if long != nil {
		tokens = max(tokens, window)
		if long.Used < sane {
			tokens = max(tokens, long.Used)
		}
	}
	if n := r.l.counted(v, meter, model.Name); n > 0 && r.l.size.before != nil { // a provider's count corrects ours
		meter.Num, meter.Den = min(max(tokens, n/8, 1), 8*n), n
	}
	if window == 0 {
		window = max(tokens, 1)
	}
	room := compact.RoomIn(window, reserve, r.a.cfg.Compaction.Keep)
	if why != ahead {
		room.Least = 1
		if r.a.cfg.Compaction.Keep == 0 { // of what there is, not of what there could be
			room.Keep = min(room.Keep, meter.Messages(v.Messages)/4)
		}
		room.Goal = min(room.Goal, tokens-tokens/4)
	}
	saved, err := r.prune(ctx, v, meter, room.Protect, room.Least)
	if tokens -= saved; err != nil || saved > 0 && tokens <= room.Goal && why != byHand {
		return err
	}
	if after, err := r.summarise(ctx, meter, room, tokens, why); err != nil || why != refused || after <= room.Goal {
		return err
	}
	_, err = r.prune(ctx, r.l.folder.View(), meter, -1, 1) // nothing is left but the newest results
	return err
}

// prune records cuts in old results if they save at least so many tokens, and
// returns how many.
func (r *run) prune(ctx context.Context, v session.View, meter compact.Meter, protect, least int) (int, error) {
	cuts, saved := compact.Prune(v, meter, protect)
	if len(cuts) == 0 || saved < least {
		return 0, nil
	}
	return saved, r.shortened(ctx, session.Event{Kind: session.Pruned, Cuts: cuts})
}

// shortened records that the history is another one. A provider that keeps the
// conversation is sent it anew.
func (r *run) shortened(ctx context.Context, events ...session.Event) error {
	if err := r.append(ctx, events...); err != nil {
		return err
	}
	r.l.response.Store(nil)
	return nil
}

// tooLong returns the error of a request that is too long for its model, or nil.
func tooLong(err error) *wire.APIError {
	var api *wire.APIError
	if errors.As(err, &api) && api.Kind == wire.ContextTooLong {
		return api
	}
	return nil
}

// noRoom is the stop of a turn whose conversation does not fit into its model.
func (r *run) noRoom(long *wire.APIError) session.Stop {
	how := "also after it was made shorter as far as possible"
	if r.a.cfg.Compaction.Off {
		how = "and compaction is off"
	}
	return session.Stop{Reason: StopContext, Message: fmt.Sprintf(
		"the conversation does not fit into the window of %s, %s; begin a new session, or take a model with a larger window (%v)",
		r.models[r.model].Name, how, long)}
}

// failedSummary reports a summary that changed nothing. It is not tried again in this
// turn but where a request was refused.
func (r *run) failedSummary(ctx context.Context, usage *session.Usage, format string, args ...any) error {
	r.noSummary = true
	return r.append(ctx, session.Event{Kind: session.Diagnostic, Usage: usage, Diagnostic: &prompt.Diagnostic{
		Severity: prompt.Warning, Code: "compaction.failed",
		Message: "the conversation was not summarised and stays as it is: " + fmt.Sprintf(format, args...)}})
}
