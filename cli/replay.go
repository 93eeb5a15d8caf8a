package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/wire"
)

// A past request is one of a recorded session, as --session ID@STEP names it.
type past struct {
	id string
	n  int // which of the session's requests, from 1
}

// parsePast splits what stands behind --session; without an @ it names no request.
func parsePast(s string) (p past, ok bool, err error) {
	id, step, ok := strings.Cut(s, "@")
	if !ok {
		return past{}, false, nil
	}
	n, err := strconv.Atoi(step)
	if err != nil || n < 1 || strconv.Itoa(n) != step {
		return past{}, true, usage(fmt.Errorf("--session %s: behind the @ stands the number of a request, from 1", s))
	}
	return past{id, n}, true, session.CheckID(id)
}

// replay shows a request that was recorded: made again from the session alone and
// compared with what was sent.
func (c *command) replay(ctx context.Context, p past, o options, wireName string) error {
	b, r, err := c.replayed(ctx, p, o, wireName)
	if err != nil {
		return err
	}
	return c.showPrompt(b, agent.Preview{Step: r.Step}, wireName)
}

// replayed makes a recorded request again.
func (c *command) replayed(ctx context.Context, p past, o options, wireName string) (*bench, agent.Replayed, error) {
	var rec session.Request
	o.recorded = &rec
	o.store = func(at place) (session.Store, error) {
		store, err := c.readStore(ctx, at, p.id)
		if err == nil {
			rec, err = nthRequest(ctx, store, p)
		}
		return store, err
	}
	b, err := c.setup(ctx, o)
	if err != nil {
		return nil, agent.Replayed{}, err
	}
	r, err := b.agent.Replay(ctx, p.id, p.n, protocols...)
	if err != nil {
		c.diagnose(b.diagnostics)
		return nil, r, c.hinted(err)
	}
	b.model = resolved{name: rec.Model, dialect: rec.Dialect}
	if !r.Whole {
		changed := fmt.Sprintf("the hooks %s changed the request; what they did is recorded nowhere", strings.Join(rec.ChangedBy, ", "))
		if wireName == rec.Dialect && !c.flags.json {
			return nil, r, fmt.Errorf("session %s, request %d: the bytes that were sent cannot be made again: %s", p.id, p.n, changed)
		}
		b.diagnostics = append(b.diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: "replay.hooks", Message: changed + ", so it is shown as it was before"})
		r.Body = wire.Body{}
	} else {
		c.say("info session: request %d of %s, turn %d, step %d, made again as it was sent", p.n, p.id, r.Turn, r.Step.Step)
	}
	return b, r, nil
}

// nthRequest returns what the log says of a request; the zero value if it says
// nothing.
func nthRequest(ctx context.Context, store session.Store, p past) (session.Request, error) {
	n := 0
	for e, err := range store.Events(ctx, p.id) {
		if err != nil {
			return session.Request{}, err
		}
		if e.Kind == session.Requested {
			if n++; n == p.n {
				return *e.Request, nil
			}
		}
	}
	return session.Request{}, nil
}

// hinted says what to do about a request that comes out different.
func (c *command) hinted(err error) error {
	e, ok := errors.AsType[*agent.ReplayError](err)
	if !ok {
		return err
	}
	switch e.What {
	case agent.ReplayPreset, agent.ReplayAssembly, agent.ReplayContexts:
		return fmt.Errorf("%w; give the --agent, --preset, --model, --trust and --set of then", err)
	}
	return err
}
