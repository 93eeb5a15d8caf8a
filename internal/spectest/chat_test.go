package spectest_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// Every golden body for OpenAI itself is valid.
func TestChatBodies(t *testing.T) {
	s := schema(t, "openai-chat.schema.json", "CreateChatCompletionRequest")
	golden(t, "../../wire/openaichat/testdata/encode", "body", func(t *testing.T, body []byte) {
		if !bytes.Contains(body, []byte("reasoning_content")) {
			check(t, s, body)
		}
	})
}

// The decoder reads what a schema-valid response says.
func TestChatResponse(t *testing.T) {
	s := schema(t, "openai-chat.schema.json", "CreateChatCompletionResponse")
	body := []byte(`{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"logprobs":null,
		"message":{"role":"assistant","content":"hi","refusal":null},"finish_reason":"stop"}],
		"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`)
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range openaichat.Dialect.Decode(bytes.NewReader(body)) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 3 {
		t.Errorf("got %d events, want text, usage and stop", n)
	}
}

// full is a request with everything at once.
func full(o wire.Options) wire.Request {
	return wire.Request{
		Model: "gpt-5", Capability: wire.Lookup("openai", "gpt-5"), Options: o,
		System: []prompt.Part{{Text: span.Of("base", nil)}}, Instructions: []prompt.Part{{Text: span.Of("task", nil)}},
		Tools: []chat.ToolSpec{{Name: "f", Description: "d", Strict: true, Parameters: json.RawMessage(`{"type":"object"}`)}, {Name: "g"}},
		Messages: []chat.Message{
			{Role: chat.User, Parts: []chat.Part{{Text: span.Of("look", nil)}, {Kind: chat.ImagePart, Image: &chat.Image{MediaType: "image/png", Data: []byte("x")}}}},
			{Role: chat.Assistant, Parts: []chat.Part{{Text: span.Of("I will", nil)}, {Kind: chat.CallPart, Call: &chat.ToolCall{ID: "c", Name: "f", Args: []byte("{}")}}}},
			chat.ResultMessage(chat.ToolResult{ID: "c", Text: span.Of("done", nil), Images: []chat.Image{{URL: "https://example.test/a.png"}}}),
			chat.TextMessage(chat.System, span.Of("late", nil)),
		},
	}
}

func options() wire.Options {
	yes, warm := true, 0.5
	return wire.Options{Temperature: &warm, TopP: &warm, MaxOutputTokens: 99, Reasoning: "low", ToolChoice: "f", Parallel: &yes, Store: &yes,
		User: "u", CacheKey: "k", Output: &wire.Output{Name: "o", Schema: json.RawMessage(`{"type":"object"}`), Strict: true}}
}

// A body with everything at once is valid.
func TestChatFull(t *testing.T) {
	b, err := openaichat.Dialect.Encode(nil, full(options()))
	if err != nil {
		t.Fatal(err)
	}
	check(t, schema(t, "openai-chat.schema.json", "CreateChatCompletionRequest"), b.JSON)
}
