package spectest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/proemhq/proem/providertest"
)

const spoken = `
turns:
  - reasoning: I look.
    text: One moment.
    calls: [{tool: grep, args: {x: 1}}]`

// post sends a request to the provider for tests and returns its response.
func post(t *testing.T, path, body string) []byte {
	t.Helper()
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, spoken)})
	res, err := http.Post(s.URL()+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", res.Status, out, err)
	}
	return out
}

// valid checks what a response says against a schema.
func valid(t *testing.T, s *jsonschema.Schema, data []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%v\n%s", err, data)
	}
}

// events returns the data of the events of a stream.
func events(stream []byte) (out [][]byte) {
	for _, line := range bytes.Split(stream, []byte("\n")) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && string(data) != "[DONE]" {
			out = append(out, data)
		}
	}
	return out
}

// The provider for tests speaks as it is published.
func TestProviderChat(t *testing.T) {
	const ask = `{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"grep"}}]`
	valid(t, schema(t, "openai-chat.schema.json", "CreateChatCompletionResponse"), post(t, "/v1/chat/completions", ask+"}"))
	s := schema(t, "openai-chat.schema.json", "CreateChatCompletionStreamResponse")
	for _, data := range events(post(t, "/v1/chat/completions", ask+`,"stream":true,"stream_options":{"include_usage":true}}`)) {
		// The published text allows null, the schema made of it does not.
		valid(t, s, bytes.Replace(data, []byte(`"finish_reason":null`), []byte(`"finish_reason":"stop"`), 1))
	}
}

func TestProviderResponses(t *testing.T) {
	const ask = `{"model":"m","input":"hi","tools":[{"type":"function","name":"grep","parameters":{},"strict":false}],"include":["reasoning.encrypted_content"]`
	valid(t, schema(t, responses, "Response"), post(t, "/v1/responses", ask+"}"))
	names := map[string]string{
		"response.created": "ResponseCreatedEvent", "response.in_progress": "ResponseInProgressEvent", "response.completed": "ResponseCompletedEvent",
		"response.output_item.added": "ResponseOutputItemAddedEvent", "response.output_item.done": "ResponseOutputItemDoneEvent",
		"response.content_part.added": "ResponseContentPartAddedEvent", "response.content_part.done": "ResponseContentPartDoneEvent",
		"response.output_text.delta": "ResponseTextDeltaEvent", "response.output_text.done": "ResponseTextDoneEvent",
		"response.reasoning_summary_part.added": "ResponseReasoningSummaryPartAddedEvent", "response.reasoning_summary_part.done": "ResponseReasoningSummaryPartDoneEvent",
		"response.reasoning_summary_text.delta": "ResponseReasoningSummaryTextDeltaEvent", "response.reasoning_summary_text.done": "ResponseReasoningSummaryTextDoneEvent",
		"response.function_call_arguments.delta": "ResponseFunctionCallArgumentsDeltaEvent", "response.function_call_arguments.done": "ResponseFunctionCallArgumentsDoneEvent",
	}
	compiled := map[string]*jsonschema.Schema{}
	for _, data := range events(post(t, "/v1/responses", ask+`,"stream":true}`)) {
		var ev struct{ Type string }
		if err := json.Unmarshal(data, &ev); err != nil {
			t.Fatal(err)
		}
		if names[ev.Type] == "" {
			t.Errorf("no schema of %q", ev.Type)
			continue
		}
		if compiled[ev.Type] == nil {
			compiled[ev.Type] = schema(t, responses, names[ev.Type])
		}
		valid(t, compiled[ev.Type], data)
	}
}
