package cache

import (
	"encoding/json"
	"errors"

	"github.com/proemhq/proem/wire"
)

// A Recorded is the body of a request that was sent.
type Recorded struct {
	Body  []byte // not to be changed afterwards
	Marks []wire.Mark
	Name  string // where it comes from, for errors; empty: its number
}

// kind says where a piece stands in a prompt.
type kind uint8

const (
	toolPiece kind = iota
	systemPiece
	messagePiece
)

// A content is what a piece says. Pieces that say the same share one, so they are
// compared by their pointers.
type content struct {
	kind   kind
	name   string // of a tool
	answer bool   // it is of the model
	salt   string
	text   string
	tokens int
}

// A piece is a tool, a system text or a message, at its place in a body.
type piece struct {
	*content
	lo, hi       int    // bytes of the body
	cutLo, cutHi int    // bytes that mark a breakpoint and are not part of the prompt
	number       int    // of the message, from 0
	mark         string // the lifetime of a breakpoint behind it, "5m" or "1h"
}

// A prompt is a body that was read.
type prompt struct {
	Recorded
	dialect  string
	model    string
	modelAt  int    // the offset of its value
	key      string // prompt_cache_key
	thinking string // what the request says of reasoning, as JSON
	chained  bool   // it continues a response that the provider keeps
	pieces   []piece
	tokens   int
}

// A part of a body that holds pieces.
type part struct{ lo, hi int }

// head holds the parts of a body in the order of the text.
type head struct {
	prompt
	tools, system, messages part
	auto                    string // a breakpoint behind whatever is last
}

// readHead finds the parts of a body.
func readHead(r Recorded) (*head, error) {
	b := r.Body
	if !json.Valid(b) {
		return nil, errors.New("is not JSON")
	}
	at := space(b, 0)
	if b[at] != '{' {
		return nil, ErrNoRequest
	}
	h := &head{prompt: prompt{Recorded: r, modelAt: -1}}
	known := false
	members(b, at, func(m member) {
		switch p := (part{m.lo, m.hi}); m.name {
		case "model":
			h.model, h.modelAt = unquote(b[m.lo:m.hi]), m.lo
		case "prompt_cache_key":
			h.key = unquote(b[m.lo:m.hi])
		case "thinking", "reasoning", "reasoning_effort":
			h.thinking += m.name + "=" + string(b[m.lo:m.hi]) + " "
		case "previous_response_id":
			h.chained = b[m.lo] == '"'
		case "tools":
			h.tools = p
		case "system":
			h.system, h.dialect = p, "anthropic"
		case "instructions":
			h.system = p
		case "messages":
			h.messages, known = p, true
		case "input":
			h.messages, known, h.dialect = p, true, "openai-responses"
		case "cache_control":
			var rd reading
			rd.breakpoint(b, m.lo)
			h.auto, h.dialect = rd.mark, "anthropic"
		}
	})
	if !known {
		return nil, ErrNoRequest
	}
	if h.dialect == "" {
		h.dialect = h.guess()
	}
	return h, nil
}

// Model returns the model that a body names, or "".
func Model(body []byte) string {
	name := ""
	if json.Valid(body) {
		members(body, space(body, 0), func(m member) {
			if m.name == "model" {
				name = unquote(body[m.lo:m.hi])
			}
		})
	}
	return name
}

// ErrNoRequest says that a document is JSON, but no request to a model.
var ErrNoRequest = errors.New(`is no request to a model: it has neither "messages" nor "input"`)

// guess tells the two protocols with messages apart.
func (h *head) guess() string {
	dialect := "openai-chat"
	look := func(m member) {
		switch {
		case m.name == "input_schema":
			dialect = "anthropic"
		case m.name == "type":
			switch unquote(h.Body[m.lo:m.hi]) {
			case "tool_use", "tool_result", "thinking", "redacted_thinking":
				dialect = "anthropic"
			}
		}
	}
	elements(h.Body, h.tools.lo, func(lo, _ int) { members(h.Body, lo, look) })
	elements(h.Body, h.messages.lo, func(lo, _ int) {
		members(h.Body, lo, func(m member) {
			if m.name == "content" {
				elements(h.Body, m.lo, func(lo, _ int) { members(h.Body, lo, look) })
			}
		})
	})
	return dialect
}

// role returns the member role of an object, and whether the object is something
// that a model said.
func role(b []byte, lo int) (role string, answer bool) {
	members(b, lo, func(m member) {
		switch m.name {
		case "role":
			role = unquote(b[m.lo:m.hi])
			answer = answer || role == "assistant"
		case "type":
			switch unquote(b[m.lo:m.hi]) {
			case "function_call", "reasoning", "custom_tool_call", "web_search_call":
				answer = true
			}
		}
	})
	return role, answer
}
