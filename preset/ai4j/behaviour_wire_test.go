package ai4j_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

var (
	gpt    = wire.Lookup("openai", "gpt-4o")
	claude = wire.Lookup("anthropic", "claude-of-tomorrow") // no least size of a cached prefix is known
)

// body is the first body of an agent that says S and I and nothing of its loop.
func body(t *testing.T, d wire.Dialect, host wire.Capability, c agent.Config) string {
	t.Helper()
	m := script(t, "turns: [{text: ok}]")
	m.Dialect, m.Cap = d, host
	c.Model, c.System, c.Instructions = m, "S", "I"
	return string(preview(t, newAgent(t, ai4j.Config{NoRuntime: true}, c), "s", "hi").Body.JSON)
}

func has(t *testing.T, body string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(body, p) {
			t.Errorf("%s is not in %s", p, body)
		}
	}
}

var merged = agent.Request{Placement: wire.Merged}

var wiring = []behaviour{
	{"14 chat, merged: one system message", func(t *testing.T) {
		has(t, body(t, openaichat.Dialect, gpt, agent.Config{Request: merged}), `"messages":[{"role":"system","content":"S\n\nI"},{"role":"user"`)
	}},
	{"14a chat, split: two system messages", func(t *testing.T) {
		has(t, body(t, openaichat.Dialect, gpt, agent.Config{}), `"messages":[{"role":"system","content":"S"},{"role":"system","content":"I"},{"role":"user"`)
	}},
	{"15 responses, merged: both in instructions", func(t *testing.T) {
		has(t, body(t, openairesponses.Dialect, gpt, agent.Config{Request: merged}), `"instructions":"S\n\nI","input":[{"type":"message","role":"user"`)
	}},
	{"15a responses, split: a field and a message", func(t *testing.T) {
		has(t, body(t, openairesponses.Dialect, gpt, agent.Config{}), `"instructions":"S","input":[{"type":"message","role":"system","content":[{"type":"input_text","text":"I"}]},{"type":"message","role":"user"`)
	}},
	{"16 white space leaves no trace", func(t *testing.T) {
		for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
			m := script(t, "turns: [{text: ok}]")
			m.Dialect = d
			a := newAgent(t, ai4j.Config{NoRuntime: true}, agent.Config{Model: m, System: " \n", Instructions: "\t"})
			s := string(preview(t, a, "s", "hi").Body.JSON)
			if strings.Contains(s, "system") || strings.Contains(s, "instructions") || strings.Contains(s, `\n`) {
				t.Errorf("%s: got %s", d.Name, s)
			}
		}
	}},
	{"17 anthropic: marks stand on blocks of system", func(t *testing.T) {
		has(t, body(t, anthropic.Dialect, claude, agent.Config{}), `"system":[{"type":"text","text":"S"},{"type":"text","text":"I","cache_control":{"type":"ephemeral"}}]`)
	}},
	{"18 anthropic, with tools: on both tools and system", func(t *testing.T) {
		s := body(t, anthropic.Dialect, claude, agent.Config{Tools: []tool.Tool{&fake{name: "w"}}})
		head, tail, _ := strings.Cut(s, `"system":[`)
		has(t, head, `"cache_control":{"type":"ephemeral"}`)
		has(t, tail, `{"type":"text","text":"I","cache_control":{"type":"ephemeral"}}]`)
	}},
	{"19 anthropic: the output limit is the model's, or 4096 where it is not known", func(t *testing.T) {
		has(t, body(t, anthropic.Dialect, claude, agent.Config{}), `"max_tokens":64000`)
		has(t, body(t, anthropic.Dialect, wire.Capability{}, agent.Config{}), `"max_tokens":4096`)
	}},
	{"20 chat: the choice of a tool is sent", func(t *testing.T) {
		s := body(t, openaichat.Dialect, gpt, agent.Config{Tools: []tool.Tool{&fake{name: "w"}}, Request: agent.Request{Options: wire.Options{ToolChoice: "w"}}})
		has(t, s, `"tool_choice":{"type":"function","function":{"name":"w"}}`)
	}},
	{"21 chat: reasoning and store are sent", func(t *testing.T) {
		yes := true
		s := body(t, openaichat.Dialect, wire.Lookup("openai", "gpt-5"), agent.Config{Request: agent.Request{Options: wire.Options{Reasoning: "high", Store: &yes}}})
		has(t, s, `"reasoning_effort":"high"`, `"store":true`)
	}},
	{"22 chat: an empty result is an empty text", func(t *testing.T) {
		m := script(t, "turns: [{calls: [{tool: w, id: c1}]}, {text: done}]")
		nothing := &fake{name: "w", call: func(_ context.Context, _ json.RawMessage) (tool.Result, error) { return tool.Result{}, nil }}
		a := newAgent(t, ai4j.Config{}, agent.Config{Model: m, Tools: []tool.Tool{nothing}})
		turn(t, a, "s", "hi")
		has(t, m.bodies[1], `{"role":"tool","tool_call_id":"c1","content":""}`)
	}},
	{"23 responses: a run streams", func(t *testing.T) {
		has(t, body(t, openairesponses.Dialect, gpt, agent.Config{}), `"stream":true`)
	}},
	{"24 responses: fields of the caller are sent", func(t *testing.T) {
		extra := map[string]json.RawMessage{"foo": []byte("1"), "previous_response_id": []byte(`"resp_1"`)}
		has(t, body(t, openairesponses.Dialect, gpt, agent.Config{Request: agent.Request{Options: wire.Options{Extra: extra}}}), `"foo":1`, `"previous_response_id":"resp_1"`)
		_, err := openairesponses.Dialect.Encode(nil, wire.Request{Model: "m", Options: wire.Options{Extra: map[string]json.RawMessage{"model": []byte(`"x"`)}}})
		if err == nil {
			t.Error("a key that is there twice is no error")
		}
	}},
	{"25 no model is an error in every protocol", func(t *testing.T) {
		for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
			if _, err := d.Encode(nil, wire.Request{}); err == nil || !strings.Contains(err.Error(), "names no model") {
				t.Errorf("%s: got %v", d.Name, err)
			}
		}
	}},
	{"26 chat: input, call and result are three messages", func(t *testing.T) {
		m := script(t, "turns: [{calls: [{tool: w, id: c1}]}, {text: done}]")
		turn(t, newAgent(t, ai4j.Config{}, agent.Config{Model: m, Tools: []tool.Tool{&fake{name: "w"}}}), "s", "hi")
		diff(t, "messages", m.messages(t, 1)[1:], []string{"user: hi", "assistant: <calls>", "tool: result of w"})
	}},
	{"27 fragments of arguments are joined", func(t *testing.T) {
		got := decoded(t, openaichat.Dialect, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"w","arguments":"{\"ci"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"ty\":\"X\"}"}}]}}]}`,
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "data: [DONE]")
		diff(t, "calls", got.calls, []string{`w {"city":"X"}`})
	}},
	{"28 cached input is part of all input", func(t *testing.T) {
		got := decoded(t, openaichat.Dialect, `data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}`,
			`data: {"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":1,"total_tokens":101,"prompt_tokens_details":{"cached_tokens":60}}}`, "data: [DONE]")
		diff(t, "uncached", *got.usage.Input-*got.usage.Cached, 40)
	}},
	{"29 anthropic: all tokens are counted", func(t *testing.T) {
		got := decoded(t, anthropic.Dialect,
			`data: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":12,"cache_read_input_tokens":70,"cache_creation_input_tokens":30,"output_tokens":1}}}`,
			`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":8}}`, `data: {"type":"message_stop"}`)
		diff(t, "total", *got.usage.Input+*got.usage.Output, 120)
		diff(t, "kept apart", []int{*got.usage.Cached, *got.usage.CacheWrite}, []int{70, 30})
	}},
}

// A decoding is what was in a stream.
type decoding struct {
	calls []string
	usage wire.Usage
	stop  wire.StopReason
	err   error
}

func decoded(t *testing.T, d wire.Dialect, lines ...string) (out decoding) {
	t.Helper()
	for e, err := range d.Decode(strings.NewReader(strings.Join(lines, "\n\n") + "\n\n")) {
		switch {
		case err != nil:
			out.err = err
		case e.Kind == wire.CallEnd:
			out.calls = append(out.calls, fmt.Sprintf("%s %s", e.Call.Name, e.Call.Args))
		case e.Kind == wire.UsageReport:
			out.usage = *e.Usage
		case e.Kind == wire.Stop:
			out.stop = e.Stop
		}
	}
	return out
}
