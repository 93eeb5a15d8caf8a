package provider

import (
	"net/http"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/wire"
)

// A Transported is a Model that reaches its host over HTTP and can be given
// something that sees every request and response on the way.
type Transported interface {
	Model
	Speaker
	// Via returns the same model with the transport that wrap makes of its own. The
	// receiver is not changed.
	Via(wrap func(http.RoundTripper) http.RoundTripper) Model
}

// Via implements [Transported].
func (m *HTTP) Via(wrap func(http.RoundTripper) http.RoundTripper) Model {
	e := env.Env{}
	if m.Env != nil {
		e = *m.Env
	}
	if e.Net == nil {
		e.Net = env.System().Net
	}
	e.Net = wrap(e.Net)
	via := *m
	via.Env = &e
	return &via
}

// Protocol implements [Speaker].
func (m *HTTP) Protocol() wire.Dialect { return m.Dialect }
