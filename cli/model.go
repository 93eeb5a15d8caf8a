package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
)

// A host is a provider that proem knows by name.
type host struct {
	name    string
	baseURL string // empty: must be configured
	key     string // environment variable of the credential
	base    string // environment variable of the base URL
	model   string // used if none is named; empty: must be named
	dialect string
}

// hosts are in the order in which the environment is searched.
var hosts = []host{
	{"openai", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL", "gpt-5", openaichat.Name},
	{"anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "claude-sonnet-4-5", anthropic.Name},
	{"deepseek", "https://api.deepseek.com", "DEEPSEEK_API_KEY", "", "deepseek-chat", openaichat.Name},
	{"openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "", "openai/gpt-5", openaichat.Name},
	{"ollama", "http://127.0.0.1:11434/v1", "", "OLLAMA_HOST", "", openaichat.Name},
	{"openai-compatible", "", "", "", "", openaichat.Name},
	{"scripted", "", "", "", "scripted", openaichat.Name},
}

// locals are the usual addresses of local servers, tried by run and chat.
var locals = []struct{ name, baseURL string }{
	{"ollama", "http://127.0.0.1:11434/v1"},
	{"llama.cpp", "http://127.0.0.1:8080/v1"},
	{"LM Studio", "http://127.0.0.1:1234/v1"},
	{"vLLM", "http://127.0.0.1:8000/v1"},
}

// A resolved model is a model with how it was found.
type resolved struct {
	provider.Model
	spec    string // provider:name, as --model takes it; empty: none was found
	name    string // what the request says
	dialect string
	how     string // one line for people; empty: it was configured
}

// resolve finds the model that the configuration or the environment names. With
// probe it also looks for local servers; without, and if nothing is named, it
// returns a model that can be encoded for but not reached.
func (c *command) resolve(ctx context.Context, cfg config.Config, e *env.Env, probe bool) (resolved, error) {
	if cfg.Model != "" {
		return c.named(cfg, e, cfg.Model)
	}
	for _, h := range hosts {
		if h.key != "" && (c.getenv(h.key) != "" || h.base != "" && c.getenv(h.base) != "") {
			r, err := c.named(cfg, e, h.name+":"+h.model)
			r.how = fmt.Sprintf("using %s, because %s is set; --model chooses another", r.spec, cmpFirst(c.getenv, h.key, h.base))
			return r, err
		}
	}
	if !probe {
		d, err := protocol(cmp.Or(cfg.Dialect, openaichat.Name))
		if err != nil {
			return resolved{}, err
		}
		return resolved{
			Model: &provider.HTTP{Dialect: d}, name: "unknown", dialect: d.Name,
			how: "no model is configured and no key is set: shown for a host of which nothing is known (--model chooses one)",
		}, nil
	}
	if r, ok := c.local(ctx, e); ok {
		return r, nil
	}
	return resolved{}, errors.New("no model: set OPENAI_API_KEY, DEEPSEEK_API_KEY or OPENROUTER_API_KEY, start a local server, " +
		c.own("or name one with --model PROVIDER:NAME; proem demo needs none"))
}

// cmpFirst returns the first variable that is set.
func cmpFirst(getenv func(string) string, names ...string) string {
	for _, n := range names {
		if n != "" && getenv(n) != "" {
			return n
		}
	}
	return ""
}

// named returns the model of a specification like openai:gpt-5.
func (c *command) named(cfg config.Config, e *env.Env, spec string) (resolved, error) {
	prov, name, ok := strings.Cut(spec, ":")
	if !ok {
		return resolved{}, fmt.Errorf("model %q: write PROVIDER:NAME, for instance openai:gpt-5", spec)
	}
	h, found := host{name: prov, dialect: openaichat.Name}, false
	var user config.Provider
	for _, p := range cfg.Providers {
		if p.Name == prov {
			user, found = p, true
		}
	}
	for _, k := range hosts {
		if k.name == prov {
			h, found = k, true
		}
	}
	if !found {
		return resolved{}, fmt.Errorf("model %q: unknown provider %q; there are %s, and what providers.NAME configures", spec, prov, hostNames())
	}
	if name == "" {
		name = h.model
	}
	r := resolved{spec: prov + ":" + name, name: name, dialect: h.dialect}
	for _, d := range []string{user.Dialect, cfg.Dialect} {
		if d != "" {
			r.dialect = d
		}
	}
	d, err := protocol(r.dialect)
	if err != nil {
		return resolved{}, fmt.Errorf("model %s: %w", r.spec, err)
	}
	if prov == "scripted" {
		m, err := c.script(cfg, e)
		if err == nil {
			m.Dialect = d
		}
		r.Model = m
		return r, err
	}
	m := &provider.HTTP{Dialect: d, BaseURL: h.baseURL, Env: e, Headers: headers(user)}
	if v := c.getenv(h.base); h.base != "" && v != "" {
		m.BaseURL = baseURL(prov, v)
	}
	if user.BaseURL != "" {
		m.BaseURL = user.BaseURL
	}
	m.Cap = capability(prov, m.BaseURL, name)
	keyEnv := h.key
	if user.KeyEnv != "" {
		keyEnv = user.KeyEnv
	}
	if keyEnv != "" {
		m.Key = c.getenv(keyEnv)
	}
	if m.BaseURL == "" {
		return resolved{}, fmt.Errorf("model %s: no base URL; add --set providers.%s.base_url=URL, or put it into %s", r.spec, prov, c.userFile())
	}
	if u, err := url.Parse(m.BaseURL); err == nil && u.User != nil {
		return resolved{}, fmt.Errorf("model %s: the base URL holds a user name or password, which is not sent; set providers.%s.key_env to the variable that holds the key", r.spec, prov)
	}
	r.Model = m
	return r, nil
}

// capability returns what is known of a model at a base URL: nothing if that is
// another host's than the provider's own.
func capability(prov, base, name string) wire.Capability {
	for _, h := range hosts {
		if h.name == prov && (h.baseURL == base || prov == "ollama") {
			return wire.Lookup(prov, name)
		}
	}
	return wire.Lookup("openai-compatible", name)
}

func headers(p config.Provider) map[string]string {
	if len(p.Headers) == 0 {
		return nil
	}
	out := make(map[string]string, len(p.Headers))
	for _, h := range p.Headers {
		out[h.Name] = h.Value
	}
	return out
}

// baseURL returns the base URL that a variable means. OLLAMA_HOST is a host and
// port, with or without a scheme.
func baseURL(prov, v string) string {
	if prov != "ollama" {
		return v
	}
	if !strings.Contains(v, "://") {
		v = "http://" + v
	}
	return strings.TrimSuffix(strings.TrimSuffix(v, "/"), "/v1") + "/v1"
}

func hostNames() string {
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.name
	}
	return strings.Join(names, ", ")
}

// script reads the script of the scripted model.
func (c *command) script(cfg config.Config, e *env.Env) (*scripted.Model, error) {
	if cfg.Scripted.File == "" {
		return nil, errors.New("model scripted: name the script with --set scripted.file=FILE")
	}
	data, err := readFile(e, cfg.Scripted.File, 1<<20)
	if err != nil {
		return nil, fmt.Errorf("model scripted: %w", err)
	}
	s, err := scripted.Parse(data, cfg.Scripted.File)
	if err != nil {
		return nil, err
	}
	m := scripted.New(*s)
	m.Env = e
	return m, nil
}

// local returns the first model of the first local server that answers.
func (c *command) local(ctx context.Context, e *env.Env) (resolved, bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for _, l := range locals {
		base := l.baseURL
		if v := c.getenv("OLLAMA_HOST"); l.name == "ollama" && v != "" {
			base = baseURL("ollama", v)
		}
		name, ok := firstModel(ctx, e, base)
		if !ok {
			continue
		}
		prov := "openai-compatible"
		if l.name == "ollama" {
			prov = "ollama"
		}
		r := resolved{spec: prov + ":" + name, name: name, dialect: openaichat.Name}
		r.Model = &provider.HTTP{Dialect: openaichat.Dialect, BaseURL: base, Env: e, Cap: wire.Lookup(prov, name)}
		r.how = fmt.Sprintf("using the %s server at %s; %s prompt --model %s shows the same bytes", l.name, base, c.app.Name, r.spec)
		if prov != "ollama" {
			r.how += fmt.Sprintf(" with --set providers.%s.base_url=%s", prov, base)
		}
		return r, true
	}
	return resolved{}, false
}

func firstModel(ctx context.Context, e *env.Env, base string) (string, bool) {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	names, err := modelNames(ctx, e, base+"/models", nil)
	if err != nil || len(names) == 0 {
		return "", false
	}
	return names[0], true
}

// maxModelName is the most bytes that the name of a model has; what is longer is
// none.
const maxModelName = 256

// modelNames asks a server for its models.
func modelNames(ctx context.Context, e *env.Env, url string, h http.Header) ([]string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	for k, v := range h {
		req.Header[k] = v
	}
	resp, err := e.Net.RoundTrip(req)
	if err != nil {
		return nil, errors.New("nobody listens there")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 4<<20)).Decode(&list); err != nil {
		return nil, errors.New("the answer is not a list of models")
	}
	names := make([]string, 0, len(list.Data))
	for _, m := range list.Data {
		if m.ID != "" && len(m.ID) <= maxModelName {
			names = append(names, m.ID)
		}
	}
	return names, nil
}
