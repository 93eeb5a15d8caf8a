package providertest

import (
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/proemhq/proem/providertest/internal/reply"
	"github.com/proemhq/proem/providertest/internal/request"
)

// maxBody bounds a request.
const maxBody = 256 << 20

var paths = map[string]request.Protocol{
	"/chat/completions": request.Chat,
	"/responses":        request.Responses,
	"/messages":         request.Messages,
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		return
	}
	defer s.busy.Done()
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil {
		return // the client is gone
	}
	x := &exchange{s: s, w: w, r: r, number: s.record(r, body)}
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	protocol, ok := paths[path]
	switch {
	case ok && r.Method == http.MethodPost:
		x.protocol = protocol
		s.note(x.number, func(q *Request) { q.Dialect = protocol.String() })
		x.answer(body)
	case path == "/models" && r.Method == http.MethodGet:
		s.models(x)
	default:
		x.refuse(reply.Error{Status: http.StatusNotFound, Message: "there is no " + r.Method + " " + r.URL.Path})
	}
}

// enter notes that a request is being answered, unless the test is over.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done.Err() != nil {
		return false
	}
	s.busy.Add(1)
	return true
}

// authorized reports whether a request carries the credential that is demanded.
func (s *Server) authorized(h http.Header) bool {
	if s.cfg.Key == "" {
		return true
	}
	return h.Get("X-Api-Key") == s.cfg.Key || h.Get("Authorization") == "Bearer "+s.cfg.Key
}

func (s *Server) modelNames() []string {
	if s.cfg.Models == nil {
		return []string{DefaultModel}
	}
	return s.cfg.Models
}

// models lists the models, in the form of the protocol that asks.
func (s *Server) models(x *exchange) {
	if !s.authorized(x.r.Header) {
		x.refuse(unauthorized)
		return
	}
	form := request.Chat
	if x.r.Header.Get("Anthropic-Version") != "" {
		form = request.Messages
	}
	x.object(http.StatusOK, reply.Models(form, s.modelNames()))
}

var unauthorized = reply.Error{Status: http.StatusUnauthorized, Message: "the credential is not the one that the test configured"}

// has reports whether the server has a model.
func (s *Server) has(model string) bool {
	return s.cfg.Models == nil || slices.Contains(s.cfg.Models, model)
}

// rules are those of all requests.
func (s *Server) rules() request.Rules {
	rules := request.Rules{Alternate: s.cfg.Alternate, Keys: s.cfg.Members, Issued: reply.Issued}
	for _, t := range s.cfg.Script.Turns {
		for _, c := range t.Calls {
			rules.Tools = append(rules.Tools, c.Tool)
		}
	}
	rules.Previous = func(id string) ([]byte, bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		items, ok := s.stored[id]
		return items, ok
	}
	return rules
}

// violated notes what a request breaks and refuses it.
func (x *exchange) violated(problems []request.Problem) {
	var texts []string
	for _, p := range problems {
		texts = append(texts, p.String())
	}
	x.s.note(x.number, func(q *Request) { q.Violations = texts })
	if !x.s.cfg.Lenient {
		x.s.t.Errorf("providertest: request %d, %s: %s", x.number, x.protocol, strings.Join(texts, "\n\t"))
	}
	x.refuse(reply.Error{Status: http.StatusBadRequest, Message: problems[0].Message, Param: problems[0].Param})
}
