package spectest_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// schema compiles one definition of a published schema file.
func schema(t *testing.T, file, name string) *jsonschema.Schema {
	t.Helper()
	dir := os.Getenv("SHARED_DIR")
	if dir == "" {
		t.Skip("SHARED_DIR is not set: the published schemas are not at hand")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join("../..", dir) // it is told from the root of the project
	}
	f, err := os.Open(filepath.Join(dir, "spec", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(file, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(file + "#/$defs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// keys returns the names of the top-level properties of a schema.
func keys(s *jsonschema.Schema) []string {
	var out []string
	for name := range s.Properties {
		out = append(out, name)
	}
	for _, part := range s.AllOf {
		out = append(out, keys(part)...)
	}
	if s.Ref != nil {
		out = append(out, keys(s.Ref)...)
	}
	return out
}

func check(t *testing.T, s *jsonschema.Schema, body []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%v\n%s", err, body)
	}
	known := keys(s)
	for name := range v.(map[string]any) {
		if !slices.Contains(known, name) {
			t.Errorf("the schema has no %q", name)
		}
	}
}

// Every golden body for OpenAI itself is valid.
func TestChatBodies(t *testing.T) {
	s := schema(t, "openai-chat.schema.json", "CreateChatCompletionRequest")
	files, err := filepath.Glob("../../wire/openaichat/testdata/encode/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range ar.Files {
				if f.Name == "body" && !bytes.Contains(f.Data, []byte("reasoning_content")) {
					check(t, s, f.Data)
				}
			}
		})
	}
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

// A body with everything at once is valid.
func TestChatFull(t *testing.T) {
	s := schema(t, "openai-chat.schema.json", "CreateChatCompletionRequest")
	yes, warm := true, 0.5
	b, err := openaichat.Dialect.Encode(nil, wire.Request{
		Model: "gpt-5", Capability: wire.Lookup("openai", "gpt-5"),
		Tools: []chat.ToolSpec{{Name: "f", Description: "d", Strict: true, Parameters: json.RawMessage(`{"type":"object"}`)}},
		Options: wire.Options{Temperature: &warm, TopP: &warm, MaxOutputTokens: 9, Reasoning: "low", ToolChoice: "f",
			Parallel: &yes, Store: &yes, User: "u", CacheKey: "k"},
		Messages: []chat.Message{
			{Role: chat.User, Parts: []chat.Part{{Text: span.Of("look", nil)}, {Kind: chat.ImagePart, Image: &chat.Image{MediaType: "image/png", Data: []byte("x")}}}},
			{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.CallPart, Call: &chat.ToolCall{ID: "c", Name: "f", Args: []byte("{}")}}}},
			chat.ResultMessage(chat.ToolResult{ID: "c", Text: span.Of("done", nil)}),
			chat.TextMessage(chat.System, span.Of("late", nil)),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	check(t, s, b.JSON)
}
