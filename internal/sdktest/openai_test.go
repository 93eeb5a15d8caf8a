package sdktest_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
)

// parse returns a body as a value that may be taken apart.
func parse(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func write(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// takeChoice takes the choice of one tool out of a body and compares it with its
// own type: reading the union of all choices, the SDK takes the first whose
// member type fits, and loses the name.
func takeChoice(t *testing.T, body map[string]any, params any) {
	t.Helper()
	if choice, ok := body["tool_choice"].(map[string]any); ok {
		delete(body, "tool_choice")
		same(t, write(t, choice), params)
	}
}

func TestChatBodies(t *testing.T) {
	golden(t, "openaichat/testdata/encode", "body", func(t *testing.T, raw []byte) {
		body := parse(t, raw)
		takeChoice(t, body, new(openai.ChatCompletionNamedToolChoiceParam))
		for _, m := range body["messages"].([]any) {
			delete(m.(map[string]any), "reasoning_content") // another host's, which the SDK does not know
		}
		same(t, write(t, body), new(openai.ChatCompletionNewParams), "stream")
	})
}

func TestResponsesBodies(t *testing.T) {
	golden(t, "openairesponses/testdata/encode", "body", func(t *testing.T, raw []byte) {
		body := parse(t, raw)
		takeChoice(t, body, new(responses.ToolChoiceFunctionParam))
		// The same holds for messages: the SDK takes those of the model for its form
		// of easy input, which has no id.
		body["input"] = slices.DeleteFunc(body["input"].([]any), func(item any) bool {
			m := item.(map[string]any)
			if m["role"] == "assistant" {
				same(t, write(t, m), new(responses.ResponseOutputMessageParam))
			}
			if m["type"] == "reasoning" && m["id"] == nil {
				m["id"] = "" // the SDK writes it always
			}
			return m["role"] == "assistant"
		})
		same(t, write(t, body), new(responses.ResponseNewParams), "stream")
	})
}
