package provider

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/proemhq/proem/wire"
)

// A TransportError is a failure to reach an endpoint or to read its response.
type TransportError struct {
	BaseURL string // without credentials
	Err     error
}

// Error names the endpoint, and says so if no server answers there.
func (e *TransportError) Error() string {
	var op *net.OpError
	if errors.As(e.Err, &op) && op.Op == "dial" {
		return "no server answers at " + e.BaseURL + ": " + e.Err.Error()
	}
	return "endpoint " + e.BaseURL + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *TransportError) Unwrap() error { return e.Err }

var errNotAPI = errors.New("the answer is a web page, not a model's: is the base URL right?")

// shown returns a URL without user, password and query.
func shown(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return "(not a URL)"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

// minSecret is the least length of a header value that is taken for a secret.
const minSecret = 8

// redact returns an error in whose text no credential occurs.
func (m *HTTP) redact(err error) error {
	r := m.redactor()
	var api *wire.APIError
	if errors.As(err, &api) {
		clean := *api
		clean.Message, clean.Code = r.Replace(api.Message), r.Replace(api.Code)
		return &clean
	}
	s := err.Error()
	if clean := r.Replace(s); clean != s {
		return &TransportError{BaseURL: shown(m.BaseURL), Err: errors.New(clean)}
	}
	return err
}

// named returns an error that a response is or has with the endpoint it came
// from; others name it themselves.
func (m *HTTP) named(err error) error {
	var api *wire.APIError
	var form wire.StreamError
	var transport *TransportError
	if !errors.As(err, &transport) && (errors.As(err, &api) || errors.As(err, &form)) {
		return fmt.Errorf("endpoint %s: %w", shown(m.BaseURL), err)
	}
	return err
}

func (m *HTTP) redactor() *strings.Replacer {
	var pairs []string
	if m.Key != "" {
		pairs = append(pairs, m.Key, "[redacted]")
	}
	for _, k := range slices.Sorted(maps.Keys(m.Headers)) {
		v := m.Headers[k]
		if len(v) >= minSecret {
			pairs = append(pairs, v, "[redacted]")
			if _, token, ok := strings.Cut(v, " "); ok && len(token) >= minSecret {
				pairs = append(pairs, token, "[redacted]")
			}
		}
	}
	if u, err := url.Parse(m.BaseURL); err == nil && u.User != nil {
		if p, ok := u.User.Password(); ok && p != "" {
			pairs = append(pairs, p, "[redacted]")
		}
	}
	return strings.NewReplacer(pairs...)
}
