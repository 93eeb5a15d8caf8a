package providertest

import (
	"bytes"
	"maps"
	"net/http"
	"slices"

	"github.com/proemhq/proem/providertest/internal/request"
)

// A Request is a request that the server received.
type Request struct {
	Number int // from 1
	Method string
	Path   string
	Header http.Header // without credentials
	// Credential is the name of the header that carried one; empty: none did.
	Credential string
	Body       []byte
	Dialect    string // the name of the dialect; empty: it was not for a model
	Summary    Summary
	Status     int // of the response; 0: there was none
	// Violations are the rules that the request breaks, each with its place.
	Violations []string
}

// A Summary is what a request says, whatever its dialect.
type Summary struct {
	Model    string
	Stream   bool
	System   string   // all system text and instructions, with a blank line between
	User     string   // the last text of the user
	Tools    []string // their names, in order
	Roles    []string // of the messages, in order
	Calls    int      // tool calls in the conversation
	Results  int      // and results
	Input    int      // tokens
	Cached   int      // of these, those that the cache held
	Written  int      // and those that were written to it, for CacheBreakpoints
	CacheKey string
}

// Requests returns all requests so far, in the order of their arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := slices.Clone(s.requests)
	for i := range out {
		out[i].Header = out[i].Header.Clone()
		out[i].Body = bytes.Clone(out[i].Body)
	}
	return out
}

// credentials are the headers that carry one.
var credentials = []string{"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie", "Proxy-Authorization"}

// record notes a request and returns its number among those for a model.
func (s *Server) record(r *http.Request, body []byte) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := r.Header.Clone()
	credential := ""
	for _, name := range credentials {
		if credential == "" && h.Get(name) != "" {
			credential = name
		}
		h.Del(name)
	}
	n := len(s.requests) + 1
	s.requests = append(s.requests, Request{Number: n, Method: r.Method, Path: r.URL.Path, Header: h, Credential: credential, Body: body})
	return n
}

// note changes what is known of a request.
func (s *Server) note(number int, change func(*Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.requests[number-1])
}

func summary(r *request.Request) Summary {
	return Summary{Model: r.Model, Stream: r.Stream, System: r.System, User: r.User, Tools: r.Tools, Roles: r.Roles,
		Calls: r.Calls, Results: r.Results, CacheKey: r.CacheKey}
}

// Totals are the tokens of all requests to a model that were answered.
type Totals struct {
	Requests int
	Input    int
	Cached   int // of Input, found in the cache
	Written  int // of Input, written to it, for CacheBreakpoints
	Output   int
}

// Uncached returns the tokens of input that were read anew, written ones included.
func (t Totals) Uncached() int { return t.Input - t.Cached }

// Cache returns the totals by the names of models.
func (s *Server) Cache() map[string]Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.totals)
}
