package scripted

import (
	"encoding/json"
	"fmt"
	"strings"
)

// stream returns the bytes that a host would send for the entry. Request is the
// number of the request, of which ids are made.
func (t *Turn) stream(request int) []byte {
	s := stream{cut: t.Cut}
	s.delta(map[string]any{"role": "assistant"})
	for _, w := range words(t.Reasoning) {
		s.delta(map[string]any{"reasoning_content": w})
	}
	for _, w := range words(t.Text) {
		s.delta(map[string]any{"content": w})
	}
	for i := range t.Calls {
		s.call(i, &t.Calls[i], fmt.Sprintf("call_%d_%d", request+1, i+1))
	}
	if t.Error != nil {
		s.raw(t.Error.body())
		return s.out
	}
	s.event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": t.finish()}}})
	if t.Usage != nil {
		s.event(map[string]any{"choices": []any{}, "usage": t.Usage.wire()})
	}
	s.raw([]byte("[DONE]"))
	return s.out
}

func (t *Turn) finish() string {
	switch {
	case t.Stop != "":
		return t.Stop
	case len(t.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// words cuts a text behind its spaces, so that the pieces concatenate to it.
func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.SplitAfter(s, " ")
}

// stream is a stream in the making.
type stream struct {
	out []byte
	cut int // events after which nothing more is written; 0: no end
	n   int
}

func (s *stream) raw(data []byte) {
	if s.n++; s.cut > 0 && s.n > s.cut {
		return
	}
	s.out = append(append(append(s.out, "data: "...), data...), "\n\n"...)
}

func (s *stream) event(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		b = []byte(`{"error":{"message":"scripted: the entry has no JSON form"}}`)
	}
	s.raw(b)
}

func (s *stream) delta(d map[string]any) {
	s.event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": d}}})
}

// call writes a tool call: its head, then the arguments in two pieces.
func (s *stream) call(i int, c *Call, id string) {
	if c.ID != "" {
		id = c.ID
	}
	args := c.Raw
	if args == "" {
		args = string(c.Args)
	}
	if args == "" {
		args = "{}"
	}
	piece := func(m map[string]any) {
		m["index"] = i
		s.delta(map[string]any{"tool_calls": []any{m}})
	}
	piece(map[string]any{"id": id, "type": "function", "function": map[string]any{"name": c.Tool, "arguments": ""}})
	half := cutRune(args, len(args)/2)
	for _, part := range []string{args[:half], args[half:]} {
		if part != "" {
			piece(map[string]any{"function": map[string]any{"arguments": part}})
		}
	}
}

// cutRune moves i down to the start of a rune.
func cutRune(s string, i int) int {
	for i > 0 && i < len(s) && s[i]&0xC0 == 0x80 {
		i--
	}
	return i
}

func (u *Usage) wire() map[string]any {
	out := map[string]any{}
	set := func(m map[string]any, name string, n *int) {
		if n != nil {
			m[name] = *n
		}
	}
	set(out, "prompt_tokens", u.Input)
	set(out, "completion_tokens", u.Output)
	in, done := map[string]any{}, map[string]any{}
	set(in, "cached_tokens", u.Cached)
	set(in, "cache_write_tokens", u.CacheWrite)
	set(done, "reasoning_tokens", u.Reasoning)
	if len(in) > 0 {
		out["prompt_tokens_details"] = in
	}
	if len(done) > 0 {
		out["completion_tokens_details"] = done
	}
	return out
}

// body is the error as a host reports it.
func (e *Error) body() []byte {
	msg := e.Message
	if msg == "" {
		msg = "scripted error"
		if e.RetryAfter > 0 {
			msg = fmt.Sprintf("scripted error, retry after %g seconds", e.RetryAfter)
		}
	}
	b, err := json.Marshal(map[string]any{"error": map[string]any{"message": msg, "code": e.Code}})
	if err != nil {
		return []byte(`{"error":{"message":"scripted error"}}`)
	}
	return b
}
