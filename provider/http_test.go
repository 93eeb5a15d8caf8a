package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

var _ interface {
	provider.Model
	provider.Informer
} = (*provider.HTTP)(nil)

const answer = `data: {"choices":[{"index":0,"delta":{"content":"yo"}}]}` + "\n\n" +
	`data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"

const key = "sk-secret-0123456789"

// quick is a clock that does not wait.
func quick() *env.Env {
	return &env.Env{Clock: env.NewFakeClock(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), Rand: env.FixedRand(0.5)}
}

func body(t testing.TB, m provider.Model, o wire.Options) wire.Body {
	t.Helper()
	b, err := m.Encode(nil, wire.Request{Model: "m", Messages: []chat.Message{chat.UserText("hi", nil)}, Options: o})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// send collects the text, the stop reason and the error of a response.
func send(ctx context.Context, m provider.Model, b wire.Body) (string, error) {
	var out strings.Builder
	for ev, err := range m.Send(ctx, b) {
		if err != nil {
			return out.String(), err
		}
		out.WriteString(ev.Text)
	}
	return out.String(), nil
}

func TestSendTransmitsTheBody(t *testing.T) {
	var got []byte
	var head http.Header
	var path string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		head, path = r.Header, r.URL.RequestURI()
		if bytes.Contains(got, []byte(`"stream":true`)) {
			io.WriteString(w, answer)
			return
		}
		io.WriteString(w, `{"choices":[{"message":{"content":"yo"},"finish_reason":"stop"}]}`)
	}))
	defer srv.Close()
	m := &provider.HTTP{
		Dialect: openaichat.Dialect, BaseURL: srv.URL + "/v1/?api-version=1", Key: key,
		Headers: map[string]string{"X-Team": "blue"}, Cap: wire.Capability{StreamUsage: true},
	}
	for _, o := range []wire.Options{{}, {NoStream: true}} {
		b := body(t, m, o)
		text, err := send(context.Background(), m, b)
		if err != nil || text != "yostop" {
			t.Errorf("got %q, %v", text, err)
		}
		if diff := cmp.Diff(string(got), string(b.JSON)); diff != "" {
			t.Errorf("(-got +want)\n%s", diff)
		}
		want := []string{"Bearer " + key, "application/json", "blue", "/v1/chat/completions?api-version=1"}
		if diff := cmp.Diff([]string{head.Get("Authorization"), head.Get("Content-Type"), head.Get("X-Team"), path}, want); diff != "" {
			t.Errorf("(-got +want)\n%s", diff)
		}
	}
	m.Dialect.KeyHeader = "x-api-key"
	if _, err := send(context.Background(), m, body(t, m, wire.Options{})); err != nil {
		t.Fatal(err)
	}
	if head.Get("x-api-key") != key || head.Get("Authorization") != "" {
		t.Errorf("got %v", head)
	}
}

// respond is a door to a network of one host that answers from a list; the last
// answer repeats.
type respond struct {
	answers []func(*http.Request) (*http.Response, error)
	n       int
}

func (r *respond) RoundTrip(req *http.Request) (*http.Response, error) {
	f := r.answers[min(r.n, len(r.answers)-1)]
	r.n++
	return f(req)
}

func status(code int, head http.Header, body string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		if head == nil {
			head = http.Header{}
		}
		return &http.Response{StatusCode: code, Header: head, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func fails(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

func TestSendRetries(t *testing.T) {
	ok := status(200, nil, answer)
	after := func(v string) http.Header { return http.Header{"Retry-After": {v}} }
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	type list = []func(*http.Request) (*http.Response, error)
	for _, c := range []struct {
		name    string
		answers list
		retry   provider.Retry
		tries   int
		waits   []time.Duration
		want    string // in the error; empty: success
	}{
		{"at once", list{ok}, provider.Retry{}, 1, nil, ""},
		{"three failures", list{status(500, nil, ""), status(503, nil, ""), fails(io.ErrUnexpectedEOF), ok}, provider.Retry{}, 4,
			[]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}, ""},
		{"all statuses", list{status(408, nil, ""), status(409, nil, ""), status(429, nil, ""), status(529, nil, ""), ok},
			provider.Retry{Max: 9, First: time.Second, Cap: 3 * time.Second}, 5,
			[]time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second}, ""},
		{"four failures", list{status(500, nil, "boom")}, provider.Retry{}, 4,
			[]time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second}, "server_error (HTTP 500): boom"},
		{"none wanted", list{status(500, nil, "")}, provider.Retry{Max: -1}, 1, nil, "server_error"},
		{"seconds", list{status(429, after("7"), ""), ok}, provider.Retry{}, 2, []time.Duration{7*time.Second + 125*time.Millisecond}, ""},
		{"a date", list{status(503, after("Fri, 02 Jan 2026 03:04:15 GMT"), ""), ok}, provider.Retry{}, 2,
			[]time.Duration{10*time.Second + 125*time.Millisecond}, ""},
		{"a date that has passed", list{status(503, after("Fri, 02 Jan 2026 03:04:00 GMT"), ""), ok}, provider.Retry{}, 2,
			[]time.Duration{500 * time.Millisecond}, ""},
		{"a date beyond all reason", list{status(503, after("Fri, 31 Dec 9999 23:59:59 GMT"), ""), ok}, provider.Retry{}, 2, []time.Duration{time.Minute}, ""},
		{"milliseconds", list{status(429, http.Header{"Retry-After-Ms": {"40"}}, ""), ok}, provider.Retry{}, 2,
			[]time.Duration{60 * time.Millisecond}, ""},
		{"nonsense", list{status(429, after("soon"), ""), ok}, provider.Retry{}, 2, []time.Duration{500 * time.Millisecond}, ""},
		{"too long", list{status(429, after("99999999999999999999"), ""), ok}, provider.Retry{}, 2, []time.Duration{time.Minute}, ""},
		{"no server", list{fails(dial)}, provider.Retry{Max: 1}, 2, []time.Duration{500 * time.Millisecond},
			"no server answers at http://host.test/v1: dial tcp: connection refused"},
		{"authentication", list{status(401, nil, `{"error":{"message":"bad key `+key+`"}}`)}, provider.Retry{}, 1, nil,
			"authentication (HTTP 401): bad key [redacted]"},
		{"a key in a message that is cut off", list{status(401, nil, `{"error":{"message":"`+strings.Repeat("x", 1990)+key+`"}}`)}, provider.Retry{}, 1, nil,
			"xx[redacted]…"},
		{"quota", list{status(429, nil, `{"error":{"message":"pay","code":"insufficient_quota"}}`)}, provider.Retry{}, 1, nil, "quota (HTTP 429): pay"},
		{"invalid", list{status(400, nil, `{"error":{"message":"no such field"}}`)}, provider.Retry{}, 1, nil, "invalid_request (HTTP 400): no such field"},
		{"redirect", list{status(307, http.Header{"Location": {"http://evil.test"}}, "")}, provider.Retry{}, 1, nil, "redirects are not followed"},
		{"a web page", list{status(200, http.Header{"Content-Type": {"text/html; charset=utf-8"}}, "<html>")}, provider.Retry{}, 1, nil, "is the base URL right?"},
		{"an empty answer", list{status(200, nil, ""), ok}, provider.Retry{}, 2, []time.Duration{500 * time.Millisecond}, ""},
		{"an error in the stream at once", list{status(200, nil, "data: {\"error\":{\"type\":\"overloaded_error\"}}\n\n"), ok}, provider.Retry{}, 2,
			[]time.Duration{500 * time.Millisecond}, ""},
		{"an error in the stream after output", list{status(200, nil, answer[:60]+"\n\ndata: {\"error\":{\"type\":\"overloaded_error\"}}\n\n"), ok},
			provider.Retry{}, 1, nil, "overloaded"},
		{"cut after output", list{status(200, nil, answer[:60]+"\n\n"), ok}, provider.Retry{}, 1, nil, "stream.truncated"},
		{"malformed", list{status(200, nil, "data: {\n\n"), ok}, provider.Retry{}, 1, nil, "stream.malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := quick()
			network := &respond{answers: c.answers}
			e.Net = network
			var waits []time.Duration
			c.retry.Notify = func(_ error, d time.Duration) { waits = append(waits, d) }
			m := &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: "http://user:pass-word@host.test/v1", Key: key, Env: e, Retry: c.retry}
			_, err := send(context.Background(), m, body(t, m, wire.Options{}))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got error %v, want %q", err, c.want)
			}
			if network.n != c.tries {
				t.Errorf("got %d requests, want %d", network.n, c.tries)
			}
			if diff := cmp.Diff(waits, c.waits); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), key) {
				t.Error("the key is in the error")
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + l.Addr().String() + "/v1"
	l.Close()
	m := &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: base, Key: key, Retry: provider.Retry{Max: -1}}
	_, err = send(context.Background(), m, body(t, m, wire.Options{}))
	if err == nil || !strings.HasPrefix(err.Error(), "no server answers at "+base+": ") {
		t.Errorf("got %v", err)
	}
	var transport *provider.TransportError
	if !errors.As(err, &transport) || transport.BaseURL != base {
		t.Errorf("got %#v", err)
	}
}

func TestBadBaseURL(t *testing.T) {
	for _, base := range []string{"", "host:80", "ftp://host", "http://", "http://a b"} {
		m := &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: base}
		if _, err := send(context.Background(), m, wire.Body{}); err == nil || !strings.Contains(err.Error(), "base URL") {
			t.Errorf("%q: got %v", base, err)
		}
	}
}

// No printed form of a model holds its key.
func TestHTTPHidesTheKey(t *testing.T) {
	m := provider.HTTP{Dialect: openaichat.Dialect, BaseURL: "https://u:p4ssw0rd@host.test/v1?k=" + key, Key: key,
		Headers: map[string]string{"X-Key": key}}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%v %+v %#v %s %q %d %x %v %+v\n", m, m, m, m, m, m, m, &m, &m)
	fmt.Fprintf(&out, "%+v %+v\n", []any{m}, struct{ M provider.HTTP }{m})
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "m", m, "p", &m)
	if b, err := json.Marshal(struct{ Key, Headers any }{m.Key, nil}); err != nil || len(b) == 0 {
		t.Fatal(err)
	}
	for _, secret := range []string{key, "p4ssw0rd", fmt.Sprintf("%x", key)} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q is in %s", secret, out.String())
		}
	}
	if !strings.Contains(out.String(), "openai-chat at https://host.test/v1") {
		t.Errorf("got %s", out.String())
	}
}

// A key that no header can hold is refused at once, and not shown.
func TestKeyOfSeveralLines(t *testing.T) {
	e := quick()
	network := &respond{answers: []func(*http.Request) (*http.Response, error){status(200, nil, answer)}}
	e.Net = network
	m := &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: "http://host.test/v1", Key: key + "\n", Env: e,
		Retry: provider.Retry{Notify: func(err error, _ time.Duration) { t.Errorf("sent again after: %v", err) }}}
	_, err := send(context.Background(), m, body(t, m, wire.Options{}))
	if err == nil || !strings.Contains(err.Error(), "the key holds a line end") || strings.Contains(err.Error(), key) {
		t.Errorf("got %v", err)
	}
}

// A large response is refused instead of read.
func TestErrorBodyIsBounded(t *testing.T) {
	e := quick()
	e.Net = &respond{answers: []func(*http.Request) (*http.Response, error){
		status(400, nil, strings.Repeat("x", 10<<20)),
	}}
	m := &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: "http://host.test", Env: e}
	_, err := send(context.Background(), m, wire.Body{})
	if err == nil || len(err.Error()) > 4096 {
		t.Errorf("got an error of %d bytes", len(err.Error()))
	}
}
