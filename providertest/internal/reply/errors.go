package reply

import (
	"fmt"

	"github.com/proemhq/proem/providertest/internal/request"
)

// An Error is an error as a provider reports it.
type Error struct {
	Status  int
	Code    string // empty: by the status
	Message string
	Param   string
}

// kinds are the types of errors by status.
var kinds = map[int][2]string{ // openai, anthropic
	400: {"invalid_request_error", "invalid_request_error"},
	401: {"invalid_request_error", "authentication_error"},
	403: {"permission_error", "permission_error"},
	404: {"invalid_request_error", "not_found_error"},
	413: {"invalid_request_error", "request_too_large"},
	429: {"rate_limit_error", "rate_limit_error"},
	529: {"overloaded_error", "overloaded_error"},
	503: {"overloaded_error", "overloaded_error"},
}

func (e *Error) kind(p request.Protocol) string {
	k, ok := kinds[e.Status]
	switch {
	case !ok && p == request.Messages:
		return "api_error"
	case !ok:
		return "server_error"
	case p == request.Messages:
		return k[1]
	}
	return k[0]
}

// Object returns the body of a response with the error.
func (e *Error) Object(p request.Protocol) []byte {
	if p == request.Messages {
		kind := e.kind(p)
		if e.Code != "" {
			kind = e.Code
		}
		return encode(object{"type": "error", "error": object{"type": kind, "message": e.message()}, "request_id": "req_providertest"})
	}
	o := object{"message": e.message(), "type": e.kind(p), "param": nil, "code": nil}
	if e.Code != "" {
		o["code"] = e.Code
	}
	if e.Param != "" {
		o["param"] = e.Param
	}
	return encode(object{"error": o})
}

func (e *Error) message() string {
	if e.Message == "" {
		return fmt.Sprintf("the server answers %d, as the test asked for", e.Status)
	}
	if e.Param != "" {
		return e.Param + ": " + e.Message
	}
	return e.Message
}

// Event returns the error as an event inside a stream.
func (e *Error) Event(p request.Protocol) Event {
	switch p {
	case request.Messages:
		return Event{Name: "error", Data: e.Object(p)}
	case request.Responses:
		code := e.Code
		if code == "" {
			code = e.kind(p)
		}
		return Event{Name: "error", Data: encode(object{"type": "error", "code": code, "message": e.message(), "param": nil, "sequence_number": 0})}
	}
	return Event{Data: e.Object(p)}
}

// Ping returns what keeps a connection open and says nothing.
func Ping(p request.Protocol) []byte {
	if p == request.Messages {
		return Event{Name: "ping", Data: []byte(`{"type":"ping"}`)}.Bytes()
	}
	return []byte(": ping\n\n")
}
