package scripted

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// A Model plays a script. It may be used concurrently: requests take entries in
// the order in which they are sent.
type Model struct {
	// Dialect encodes requests. Answers are decoded by openaichat whatever it is.
	// Set it before the first use; New sets openaichat.Dialect.
	Dialect wire.Dialect
	// Cap is the capability record that is reported, and used for requests without
	// one.
	Cap wire.Capability
	// Env is the machine, of which the clock is used for delays; nil: the operating
	// system.
	Env *env.Env

	script Script
	mu     sync.Mutex
	next   int // the next entry
	served int // requests
}

// ExpectError says that a request was not as the script expects.
type ExpectError struct {
	Turn int // the entry, from 0
	Err  error
}

// Error returns every expectation that failed.
func (e *ExpectError) Error() string {
	return fmt.Sprintf("scripted: turns[%d].expect: %v", e.Turn, e.Err)
}

// Unwrap returns the failed expectations.
func (e *ExpectError) Unwrap() error { return e.Err }

// New returns a model that plays s from its first entry. Its capability record
// is one of a host that understands everything.
func New(s Script) *Model {
	return &Model{Dialect: openaichat.Dialect, Cap: Capability(), script: s}
}

// Capability is the record of a scripted model.
func Capability() wire.Capability {
	c := wire.Lookup("openai", "gpt-4o")
	c.Source, c.Reasoning = "scripted model", true
	return c
}

// Capability implements [provider.Informer].
func (m *Model) Capability() wire.Capability { return m.Cap }

// Protocol implements [provider.Speaker].
func (m *Model) Protocol() wire.Dialect { return m.Dialect }

// Encode implements [provider.Model].
func (m *Model) Encode(prev *wire.Body, r wire.Request) (wire.Body, error) {
	if r.Capability == (wire.Capability{}) {
		r.Capability = m.Cap
	}
	return m.Dialect.Encode(prev, r)
}

// Send implements [provider.Model].
func (m *Model) Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		if err := m.play(ctx, b, yield); err != nil {
			yield(wire.Event{}, err)
		}
	}
}

func (m *Model) play(ctx context.Context, b wire.Body, yield func(wire.Event, error) bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, err := readRequest(b.JSON)
	if err != nil {
		return err
	}
	n, served, err := m.take(r)
	if err != nil {
		return err
	}
	t := &m.script.Turns[n]
	if t.Expect != nil {
		if err := t.Expect.check(r, b.JSON); err != nil {
			return &ExpectError{Turn: n, Err: err}
		}
	}
	if t.Delay > 0 {
		if err := env.OrSystem(m.Env).Clock.Sleep(ctx, t.Delay); err != nil {
			return err
		}
	}
	if t.Error != nil && t.Error.Status != 0 {
		return wire.ParseError(t.Error.Status, t.Error.body())
	}
	for ev, err := range openaichat.Dialect.Decode(bytes.NewReader(t.stream(served))) {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if !yield(ev, nil) {
			return nil
		}
	}
	return nil
}

// take returns the entry to play and the number of the request, from 0.
func (m *Model) take(r request) (entry, served int, err error) {
	if len(m.script.Turns) == 0 {
		return 0, 0, fmt.Errorf("scripted: the script has no turns")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.script.By == "conversation" {
		m.next = max(m.next, r.answers)
	}
	entry, served = min(m.next, len(m.script.Turns)-1), m.served
	m.next++
	m.served++
	return entry, max(served, r.answers), nil
}
