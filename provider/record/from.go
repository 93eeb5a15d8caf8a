package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/wire"
)

// A Player is a model that answers from a recording. It may be used concurrently.
type Player struct {
	dialect wire.Dialect
	cap     wire.Capability

	mu    sync.Mutex
	sends []*send // those that were not played yet, in order
}

// From returns a model that answers from the recording in a folder, which was
// made with the dialect. All of it is read at once. E is the machine whose files
// are read; nil: the operating system.
func From(dir string, d wire.Dialect, e *env.Env) (*Player, error) {
	e = env.OrSystem(e)
	root, err := e.Files.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	x, err := folder{root, e.IDs}.load()
	if err = errors.Join(err, root.Close()); err != nil {
		return nil, fmt.Errorf("record: %s: %w", dir, err)
	}
	if x.Dialect != d.Name {
		return nil, fmt.Errorf("record: %s: the recording is of %s, not of %s", dir, x.Dialect, d.Name)
	}
	return &Player{dialect: d, cap: x.Capability, sends: x.Sends}, nil
}

// Capability implements [provider.Informer]. It is that of the recorded model.
func (p *Player) Capability() wire.Capability { return p.cap }

// Protocol implements [provider.Speaker].
func (p *Player) Protocol() wire.Dialect { return p.dialect }

// Encode implements [provider.Model].
func (p *Player) Encode(prev *wire.Body, r wire.Request) (wire.Body, error) {
	if r.Capability == (wire.Capability{}) {
		r.Capability = p.cap
	}
	return p.dialect.Encode(prev, r)
}

// Rest returns how many recorded sends were not played.
func (p *Player) Rest() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.sends)
}

// Send implements [provider.Model]. Sends are played in their order; those that
// were recorded at the same time in any.
func (p *Player) Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(wire.Event{}, err)
			return
		}
		s, err := p.take(b)
		if err != nil {
			yield(wire.Event{}, err)
			return
		}
		s.model(p.dialect).Send(ctx, b)(yield)
	}
}

// take returns the next send, which must be of the body.
func (p *Player) take(b wire.Body) (*send, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.sends) == 0 {
		return nil, errors.New("record: the recording has no further request")
	}
	for i, s := range p.sends {
		if s.Began > p.sends[0].Ended {
			break
		}
		if bytes.Equal(s.body, b.JSON) {
			p.sends = append(p.sends[:i:i], p.sends[i+1:]...)
			return s, nil
		}
	}
	return nil, difference(p.sends[0], b)
}

// model returns the host as it was during the send.
func (s *send) model(d wire.Dialect) *provider.HTTP {
	again := len(s.Attempts) - 1
	if again < 1 {
		again = -1
	}
	return &provider.HTTP{Dialect: d, BaseURL: "http://recording", Idle: -1, Retry: provider.Retry{Max: again},
		Env: &env.Env{Net: &host{attempts: s.Attempts}, Clock: env.NewFakeClock(time.Unix(0, 0)), Rand: env.FixedRand(0)}}
}

// A host answers with attempts, in order.
type host struct {
	attempts []attempt
	next     int
}

// RoundTrip implements [http.RoundTripper].
func (h *host) RoundTrip(*http.Request) (*http.Response, error) {
	if h.next == len(h.attempts) {
		return nil, errors.New("record: the recording has no further attempt")
	}
	a := &h.attempts[h.next]
	h.next++
	if a.Status == 0 {
		return nil, recorded(a.Failure)
	}
	res := &http.Response{StatusCode: a.Status, Header: http.Header{}, Body: io.NopCloser(a.reader())}
	for name, v := range a.Header {
		res.Header.Set(name, v)
	}
	return res, nil
}

func (a *attempt) reader() io.Reader {
	in := io.Reader(bytes.NewReader(a.body))
	failure := a.Failure
	if a.Partial {
		failure = left
	}
	if failure == "" {
		return in
	}
	return io.MultiReader(in, failing{recorded(failure)})
}

// recorded returns a failure as an error.
func recorded(failure string) error {
	if failure == cut {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("recorded: %s", failure)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
