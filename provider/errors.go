package provider

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/proemhq/proem/internal/redact"
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
	secrets := m.secrets()
	var api *wire.APIError
	if errors.As(err, &api) {
		clean := *api
		clean.Message, clean.Code = conceal(api.Message, secrets), conceal(api.Code, secrets)
		return &clean
	}
	s := err.Error()
	if clean := conceal(s, secrets); clean != s {
		return &TransportError{BaseURL: shown(m.BaseURL), Err: errors.New(clean)}
	}
	return err
}

const redacted = redact.Mark

// conceal replaces secrets in a message, and the beginning of one at its end: a
// long message is cut off, perhaps in the middle of a secret.
func conceal(message string, secrets []string) string {
	for _, secret := range secrets {
		message = strings.ReplaceAll(message, secret, redacted)
	}
	message = redact.New(secrets...).Values(message) // in other encodings
	text, cut := strings.CutSuffix(message, "…")
	if !cut {
		return message
	}
	for _, secret := range secrets {
		for n := len(secret) - 1; n >= minSecret/2; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				return text[:len(text)-n] + redacted + "…"
			}
		}
	}
	return message
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

// secrets returns what must not occur in a message.
func (m *HTTP) secrets() []string {
	var out []string
	if m.Key != "" {
		out = append(out, m.Key)
	}
	for _, k := range slices.Sorted(maps.Keys(m.Headers)) {
		v := m.Headers[k]
		if len(v) >= minSecret {
			out = append(out, v)
			if _, token, ok := strings.Cut(v, " "); ok && len(token) >= minSecret {
				out = append(out, token)
			}
		}
	}
	if u, err := url.Parse(m.BaseURL); err == nil && u.User != nil {
		if p, ok := u.User.Password(); ok && p != "" {
			out = append(out, p)
		}
	}
	return out
}
