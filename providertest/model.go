package providertest

import (
	"strings"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/wire"
)

// Model returns a model at the server that speaks the dialect. It has the
// capability record of a current model of the dialect's provider, a transport of
// its own that ends with the test, and the other doors of Config.Env. It may be
// changed before its first use.
func (s *Server) Model(d wire.Dialect) *provider.HTTP {
	e := env.Env{Net: s.net}
	if c := s.cfg.Env; c != nil {
		e = *c
		e.Net = s.net
	}
	m := &provider.HTTP{Dialect: d, BaseURL: s.url, Key: s.key(), Env: &e}
	if !strings.HasPrefix(d.Path, "/v1/") {
		m.BaseURL += "/v1"
	}
	switch d.Name {
	case "anthropic":
		m.Cap = wire.Lookup("anthropic", "claude-sonnet-4-5")
	case "openai-responses":
		m.Cap = wire.Lookup("openai", "gpt-5")
	default:
		m.Cap = wire.Lookup("openai", "gpt-4o")
	}
	return m
}

func (s *Server) key() string {
	if s.cfg.Key == "" {
		return DefaultKey
	}
	return s.cfg.Key
}

// Environment returns the variables that lead the command line to the server, by
// their names. Which provider it takes is decided by --model, for instance
// openai:test-model.
func (s *Server) Environment() map[string]string {
	return map[string]string{
		"OPENAI_BASE_URL":    s.url + "/v1",
		"OPENAI_API_KEY":     s.key(),
		"ANTHROPIC_BASE_URL": s.url,
		"ANTHROPIC_API_KEY":  s.key(),
	}
}
