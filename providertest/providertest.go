// Package providertest is a provider for tests: a real HTTP server on loopback
// that speaks openai-chat, openai-responses and anthropic, plays a script, checks
// what it is sent and counts what a provider would find in its cache.
//
// The script has the form of package scripted; the entries are the answers, in
// the order of the requests, and the last one repeats:
//
//	func TestAgent(t *testing.T) {
//		s := providertest.New(t, providertest.Config{
//			Script: providertest.Script(t, `
//	turns:
//	  - calls: [{tool: read_file, args: {path: a.txt}}]
//	  - text: "It says: use tabs."`),
//			Faults: []providertest.Fault{{At: 1, Kind: providertest.Status, Status: 429, RetryAfter: time.Second}},
//		})
//		a, err := agent.New(agent.Config{Model: s.Model(openaichat.Dialect), ModelName: "test-model", Tools: tools})
//		…
//		s.Requests()[2].Summary.Results // 1: the first request was sent twice
//		s.Cache()["test-model"].Cached  // tokens that did not have to be read again
//	}
//
// A request that a provider would refuse fails the test, with what is wrong and
// where, and is answered 400: JSON with a name twice, a member that the protocol
// does not know, a tool call without its result, a fifth cache breakpoint. The
// rules are written for this package from what providers publish; they know
// nothing of how proem encodes. What an entry expects under "expect" is checked
// as well.
//
// Waits of a script and of a model that [Server.Model] returns go by Config.Env:
// with an env.FakeClock they take no time.
package providertest

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/providertest/internal/prefix"
	"github.com/proemhq/proem/token"
)

// DefaultModel is the model that a server lists if no other is configured.
const DefaultModel = "test-model"

// DefaultKey is the credential that [Server.Model] and [Server.Environment] use
// if no other is configured. It is none of any provider.
const DefaultKey = "providertest-key"

// Config says how a server behaves. The zero value answers every request with an
// empty text.
type Config struct {
	Script scripted.Script
	Faults []Fault
	// Models are those that the server has; a request of another is answered 404.
	// Nil: it has every model, and lists DefaultModel.
	Models []string
	// Key is the credential that is demanded; empty: none, and any is accepted.
	Key string
	// Lenient: a request that breaks a rule is answered 400 and recorded, and does
	// not fail the test.
	Lenient bool
	// Alternate adds the rule of many local models: users and assistants take
	// turns, and system text stands in one message, the first.
	Alternate bool
	// Members are members of a request that are allowed beside those of the
	// protocol, for hosts with extensions.
	Members []string
	Cache   Cache
	// Window is how many tokens a request may have; a longer one is refused in the
	// provider's words, like one hit by ContextLength. 0: any number.
	Window int
	// Counter counts the tokens of a request; nil: token.Estimate.
	Counter token.Counter
	// Env is the machine, of which the clock is used; nil: the operating system.
	Env *env.Env
}

// Cache says how the cache of the provider works.
type Cache struct {
	Kind CacheKind
	// Least is how many tokens a cached prefix has at least; 0: 1,024, or 1 for
	// CacheUnits.
	Least int
}

// CacheKind is a way to compare a request with earlier ones.
type CacheKind uint8

// The kinds of caches. A cache never holds for another model or another
// prompt_cache_key.
const (
	// CacheAuto is CacheBreakpoints for anthropic, else CacheSteps.
	CacheAuto CacheKind = iota
	CacheOff
	// CacheSteps finds the longest common prefix, in steps of 128 tokens.
	CacheSteps
	// CacheBreakpoints finds prefixes that ended at a breakpoint of an earlier
	// request, at most 20 blocks before one of this. They live for 5 minutes or an
	// hour after their last use.
	CacheBreakpoints
	// CacheUnits finds whole units only: everything up to the end of an earlier
	// request, or of its answer, or what two requests had in common.
	CacheUnits
)

// A Server is a provider in a test. Its methods may be called concurrently.
type Server struct {
	t     testing.TB
	cfg   Config
	env   *env.Env
	count token.Counter
	url   string
	net   *http.Transport
	done  context.Context // when the test ends
	busy  sync.WaitGroup

	mu       sync.Mutex
	next     int // the next entry of the script
	requests []Request
	caches   map[string]*prefix.Store
	totals   map[string]Totals
	stored   map[string][]byte // items of stored responses
}

// New starts a server. It ends with the test.
func New(t testing.TB, cfg Config) *Server {
	t.Helper()
	s := &Server{t: t, cfg: cfg, env: env.OrSystem(cfg.Env), net: &http.Transport{},
		caches: map[string]*prefix.Store{}, totals: map[string]Totals{}, stored: map[string][]byte{}}
	if cfg.Counter == nil {
		cfg.Counter = token.Estimate
	}
	s.count = token.NewMemo(cfg.Counter, 0)
	for _, f := range cfg.Faults {
		if err := f.check(); err != nil {
			t.Fatalf("providertest: %v", err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("providertest: %v", err)
	}
	s.url = "http://" + l.Addr().String()
	done, cancel := context.WithCancel(context.Background())
	s.done = done
	srv := &http.Server{Handler: s, ErrorLog: log.New(io.Discard, "", 0)}
	s.busy.Go(func() { _ = srv.Serve(l) }) // it ends with an error that says so
	t.Cleanup(func() {
		s.mu.Lock()
		cancel() // no request enters from here on
		s.mu.Unlock()
		s.net.CloseIdleConnections()
		srv.Close()
		s.busy.Wait()
	})
	return s
}

// Script reads a script. A mistake in it ends the test.
func Script(t testing.TB, yaml string) scripted.Script {
	t.Helper()
	s, err := scripted.Parse([]byte(strings.TrimSpace(yaml)+"\n"), "script")
	if err != nil {
		t.Fatalf("providertest: %v", err)
	}
	return *s
}

// URL returns the address of the server, without a path and a slash at the end.
func (s *Server) URL() string { return s.url }
