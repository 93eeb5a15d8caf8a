package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
)

// tap is a transport that notes what passes, for the send that a request is of.
type tap struct{ inner http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (p tap) RoundTrip(r *http.Request) (*http.Response, error) {
	t, ok := r.Context().Value(key{}).(*taken)
	if !ok {
		return p.inner.RoundTrip(r)
	}
	t.hide(r)
	res, err := p.inner.RoundTrip(r)
	if err != nil {
		t.add(attempt{Failure: err.Error()})
		return nil, err
	}
	a := attempt{Status: res.StatusCode, Header: map[string]string{}}
	for _, name := range kept {
		if v := res.Header.Get(name); v != "" {
			a.Header[name] = v
		}
	}
	res.Body = &copied{ReadCloser: res.Body, to: t, at: t.add(a)}
	return res, nil
}

// taken is what was noted of one send.
type taken struct {
	mu       sync.Mutex
	attempts []attempt
	ended    []bool
	secrets  []string // what is replaced in responses
	keys     []string // of these, what a request must not hold
}

func (t *taken) add(a attempt) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.attempts = append(t.attempts, a)
	t.ended = append(t.ended, a.Status == 0)
	return len(t.attempts) - 1
}

// least is the length from which on a header's value is taken for a secret.
const least = 8

// plain are headers whose values are none.
var plain = map[string]bool{"Content-Type": true, "Accept": true, "User-Agent": true, "Anthropic-Version": true, "Anthropic-Beta": true}

// isKey reports whether a header is there to carry a credential.
func isKey(name string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"auth", "key", "token", "secret", "cookie", "pass"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// hide notes what must not be stored: the values of headers, with and without
// the name of a scheme, and a password in the address.
func (t *taken) hide(r *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.secrets, t.keys = nil, nil
	keep := func(s string, key bool) {
		if len(s) < least {
			return
		}
		t.secrets = append(t.secrets, s)
		if key {
			t.keys = append(t.keys, s)
		}
	}
	for name, values := range r.Header {
		if plain[name] {
			continue
		}
		for _, v := range values {
			keep(v, isKey(name))
			if _, token, ok := strings.Cut(v, " "); ok {
				keep(token, isKey(name))
			}
		}
	}
	if p, ok := r.URL.User.Password(); ok {
		keep(p, true)
	}
	for name, values := range r.URL.Query() {
		for _, v := range values {
			keep(v, isKey(name))
		}
	}
}

// done returns the attempts, without credentials, and what the request must not
// hold.
func (t *taken) done() ([]attempt, []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.attempts {
		a := &t.attempts[i]
		a.Partial = !t.ended[i] && a.Failure == ""
		for _, secret := range t.secrets {
			for _, s := range written(secret) {
				a.body = bytes.ReplaceAll(a.body, []byte(s), []byte("[redacted]"))
				a.Failure = strings.ReplaceAll(a.Failure, s, "[redacted]")
				for name, v := range a.Header {
					a.Header[name] = strings.ReplaceAll(v, s, "[redacted]")
				}
			}
		}
	}
	return t.attempts, t.keys
}

// written returns the forms in which a response may repeat a secret: as it is, and
// as it stands in JSON, where hosts differ in what they escape.
func written(secret string) []string {
	out := []string{secret}
	if b, err := json.Marshal(secret); err == nil {
		out = append(out, string(b[1:len(b)-1]))
	}
	return append(out, strings.ReplaceAll(secret, "/", `\/`))
}

// copied is the body of a response that notes what is read of it.
type copied struct {
	io.ReadCloser
	to *taken
	at int
}

// Read implements [io.Reader].
func (c *copied) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.to.mu.Lock()
	defer c.to.mu.Unlock()
	a := &c.to.attempts[c.at]
	a.body = append(a.body, p[:n]...)
	switch {
	case err == nil:
	case err == io.EOF:
		c.to.ended[c.at] = true
	case errors.Is(err, io.ErrUnexpectedEOF):
		a.Failure = cut
	default:
		a.Failure = err.Error()
	}
	return n, err
}
