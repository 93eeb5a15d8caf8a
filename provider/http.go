package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/wire"
)

// The defaults of HTTP.
const (
	DefaultIdle = 2 * time.Minute
	// MaxResponse is the most bytes that are read of a response.
	MaxResponse = 256 << 20
	maxError    = 64 << 10 // of a response that reports an error
)

// HTTP is a model at an endpoint that speaks a dialect over HTTP. It is not
// changed after its first use and may be used concurrently.
type HTTP struct {
	Dialect wire.Dialect
	// BaseURL is the endpoint's address, to which the dialect's path is appended,
	// such as "https://api.openai.com/v1".
	BaseURL string
	// Key is the credential; empty: none is sent. It appears in no error, no log
	// and no printed form of the value.
	Key string `json:"-"`
	// Headers are sent with every request; they replace headers of the same name.
	// Their values are kept out of errors as well.
	Headers map[string]string `json:"-"`
	// Env is the machine; nil: the operating system.
	Env *env.Env `json:"-"`
	// Idle is how long a response may bring no event before it is given up:
	// comments and pings do not count. 0: DefaultIdle; negative: for ever.
	Idle  time.Duration
	Retry Retry
	// Cap is the capability record of the model. Encode uses it for requests
	// without one.
	Cap wire.Capability
}

// Capability implements [Informer].
func (m *HTTP) Capability() wire.Capability { return m.Cap }

// Encode implements [Model].
func (m *HTTP) Encode(prev *wire.Body, r wire.Request) (wire.Body, error) {
	if r.Capability == (wire.Capability{}) {
		r.Capability = m.Cap
	}
	return m.Dialect.Encode(prev, r)
}

// Format implements [fmt.Formatter]: no verb prints the key or the headers.
func (m HTTP) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "%s at %s", m.Dialect.Name, shown(m.BaseURL))
}

// Send implements [Model]. A request that fails before its first event is sent
// again as Retry says.
func (m *HTTP) Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		e := env.OrSystem(m.Env)
		waits := m.Retry.waits(e)
		for {
			try := attempt{model: m, env: e, yield: yield}
			err := try.run(ctx, b)
			if err == nil || try.stopped {
				return
			}
			if cause := ctx.Err(); cause != nil {
				yield(wire.Event{}, cause)
				return
			}
			wait, again := waits.next(err, try.after)
			if !again || try.yielded {
				yield(wire.Event{}, m.named(m.redact(err)))
				return
			}
			if m.Retry.Notify != nil {
				m.Retry.Notify(m.redact(err), wait)
			}
			if err := e.Clock.Sleep(ctx, wait); err != nil {
				yield(wire.Event{}, err)
				return
			}
		}
	}
}

// attempt is one request and its response.
type attempt struct {
	model   *HTTP
	env     *env.Env
	yield   func(wire.Event, error) bool
	yielded bool          // an event was shown
	stopped bool          // the consumer wants no more
	after   time.Duration // what the host asked to wait
}

func (a *attempt) run(ctx context.Context, b wire.Body) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	req, err := a.model.request(ctx, b.JSON)
	if err != nil {
		return err
	}
	// A watchdog does not tell the time, so it is no business of the clock's.
	idle := newWatchdog(a.model.idle(), cancel)
	defer idle.stop()
	idle.start()
	res, err := a.env.Net.RoundTrip(req)
	if err != nil {
		return a.failed(ctx, err)
	}
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return a.refused(ctx, res)
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		return a.failed(ctx, errNotAPI)
	}
	body := &bounded{in: res.Body, left: MaxResponse}
	for ev, err := range a.model.Dialect.Decode(body) {
		if err != nil {
			return a.broken(ctx, err)
		}
		idle.stop() // the time that the consumer takes does not count
		a.yielded = true
		if !a.yield(ev, nil) {
			a.stopped = true
			return nil
		}
		idle.start()
	}
	return nil
}

// request builds the request anew for every attempt.
func (m *HTTP) request(ctx context.Context, body []byte) (*http.Request, error) {
	u, err := url.Parse(m.BaseURL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("provider: base URL %q is not an http or https address", shown(m.BaseURL))
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + m.Dialect.Path
	u.RawPath = ""
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, &TransportError{BaseURL: shown(m.BaseURL), Err: err}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("User-Agent", "proem")
	for k, v := range m.Dialect.Headers {
		req.Header.Set(k, v)
	}
	if strings.ContainsFunc(m.Key, unicode.IsControl) {
		return nil, errors.New("provider: the key holds a line end or another control character")
	}
	if m.Key != "" {
		if m.Dialect.KeyHeader != "" {
			req.Header.Set(m.Dialect.KeyHeader, m.Key)
		} else {
			req.Header.Set("Authorization", "Bearer "+m.Key)
		}
	}
	for k, v := range m.Headers {
		req.Header.Set(k, v)
	}
	return req, nil
}

// refused turns a response with an error status into an error.
func (a *attempt) refused(ctx context.Context, res *http.Response) error {
	a.after = retryAfter(res.Header, a.env.Clock.Now())
	if 300 <= res.StatusCode && res.StatusCode < 400 {
		return &wire.APIError{
			Kind: wire.InvalidRequest, Status: res.StatusCode, Code: "redirect",
			Message: "the endpoint redirects elsewhere; redirects are not followed, because the key would follow too",
		}
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxError))
	if err != nil && len(raw) == 0 {
		return a.failed(ctx, err)
	}
	return wire.ParseError(res.StatusCode, raw)
}

// broken names the endpoint if reading failed; an error that the response
// itself is or has stays as it is.
func (a *attempt) broken(ctx context.Context, err error) error {
	var api *wire.APIError
	var form wire.StreamError
	if context.Cause(ctx) == nil && (errors.As(err, &api) || errors.As(err, &form)) {
		return err
	}
	return a.failed(ctx, err)
}

func (a *attempt) failed(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	return &TransportError{BaseURL: shown(a.model.BaseURL), Err: err}
}

func (m *HTTP) idle() time.Duration {
	if m.Idle == 0 {
		return DefaultIdle
	}
	return m.Idle
}

// bounded refuses to read more than a number of bytes.
type bounded struct {
	in   io.Reader
	left int64
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, wire.StreamError(fmt.Sprintf("stream.malformed: the response is longer than %d bytes", MaxResponse))
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.in.Read(p)
	b.left -= int64(n)
	return n, err
}
