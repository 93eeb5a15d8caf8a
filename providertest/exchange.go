package providertest

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/providertest/internal/reply"
	"github.com/proemhq/proem/providertest/internal/request"
)

// exchange is one request and its response.
type exchange struct {
	s        *Server
	w        http.ResponseWriter
	r        *http.Request
	number   int
	protocol request.Protocol
	faults   faults
}

// answer answers a request to a model.
func (x *exchange) answer(body []byte) {
	s := x.s
	x.faults = s.faults(x.number)
	in := request.Read(x.protocol, body, s.rules())
	s.note(x.number, func(q *Request) { q.Summary = summary(in) })
	if x.protocol == request.Messages && x.r.Header.Get("Anthropic-Version") == "" {
		in.Problems = append(in.Problems, request.Problem{Message: "anthropic-version: header is required"})
	}
	if ct := x.r.Header.Get("Content-Type"); !strings.HasPrefix(ct, "application/json") {
		in.Problems = append(in.Problems, request.Problem{Message: fmt.Sprintf("Content-Type is %q, not application/json", ct)})
	}
	switch {
	case !s.authorized(x.r.Header):
		x.refuse(unauthorized)
		return
	case len(in.Problems) > 0:
		x.violated(in.Problems)
		return
	case !s.has(in.Model):
		x.refuse(reply.Error{Status: http.StatusNotFound, Code: x.words("model_not_found", "not_found_error"), Message: fmt.Sprintf("the model %q does not exist", in.Model)})
		return
	}
	if x.early() {
		return
	}
	entry, n := s.take(in.Answers, x.faults.breaks())
	if entry.Expect != nil {
		if err := entry.Expect.Check(body); err != nil {
			x.violated([]request.Problem{{Param: fmt.Sprintf("turns[%d].expect", n), Message: err.Error()}})
			return
		}
	}
	if entry.Delay > 0 && s.env.Clock.Sleep(x.r.Context(), entry.Delay) != nil {
		return
	}
	if e := entry.Error; e != nil && e.Status != 0 {
		x.scriptedError(e)
		return
	}
	x.play(in, entry)
}

// words chooses between the codes of OpenAI and of Anthropic.
func (x *exchange) words(openai, anthropic string) string {
	if x.protocol == request.Messages {
		return anthropic
	}
	return openai
}

// early answers a request that a fault refuses. It reports whether one did.
func (x *exchange) early() bool {
	if f := x.faults.find(Status); f != nil {
		retryAfter(x.w.Header(), f.RetryAfter, f.Date, x.s.env.Clock.Now())
		x.refuse(*f.error())
		return true
	}
	f, limit := x.faults.find(ContextLength), x.s.cfg.Window
	if f == nil && limit == 0 {
		return false
	}
	used := 0
	x.s.note(x.number, func(q *Request) { used = x.s.count.Count(string(q.Body)) })
	switch {
	case f != nil:
		limit = cmp.Or(f.N, 1000)
		used = max(used, limit+1)
	case used <= limit:
		return false
	}
	e := reply.Error{Status: http.StatusBadRequest, Code: x.words("context_length_exceeded", "invalid_request_error"), Message: x.words(
		fmt.Sprintf("This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.", limit, used),
		fmt.Sprintf("prompt is too long: %d tokens > %d maximum", used, limit))}
	if f != nil && f.Message != "" {
		e.Message = f.Message
	}
	x.refuse(e)
	return true
}

func (x *exchange) scriptedError(e *scripted.Error) {
	retryAfter(x.w.Header(), seconds(e.RetryAfter), false, x.s.env.Clock.Now())
	x.refuse(reply.Error{Status: e.Status, Code: e.Code, Message: e.Message})
}

// take returns the entry to play and its number. With keep it is not used up.
func (s *Server) take(answers int, keep bool) (*scripted.Turn, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	turns := s.cfg.Script.Turns
	if len(turns) == 0 {
		return &scripted.Turn{}, 0
	}
	if s.cfg.Script.By == "conversation" {
		s.next = max(s.next, answers)
	}
	n := min(s.next, len(turns)-1)
	if !keep {
		s.next++
	}
	return &turns[n], n
}

// refuse answers with an error.
func (x *exchange) refuse(e reply.Error) { x.object(e.Status, e.Object(x.protocol)) }

// object answers with one JSON object.
func (x *exchange) object(status int, body []byte) {
	x.header(status, "application/json")
	x.write(body)
}

func (x *exchange) header(status int, kind string) {
	x.s.note(x.number, func(q *Request) { q.Status = status })
	h := x.w.Header()
	h.Set("Content-Type", kind)
	h.Set("X-Request-Id", fmt.Sprintf("req_%d", x.number))
	x.w.WriteHeader(status)
}

// write writes what a client that is gone does not read.
func (x *exchange) write(b []byte) bool {
	_, err := x.w.Write(b)
	return err == nil
}
