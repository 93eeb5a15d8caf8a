package sdktest_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

// outcome is what two readings of a response must agree on.
type outcome struct {
	Text  string
	Calls []string
	Input int64 // tokens
}

// ours reads a response with a dialect.
func ours(d wire.Dialect, response []byte) (outcome, error) {
	var out outcome
	for ev, err := range d.Decode(bytes.NewReader(response)) {
		if err != nil {
			return out, err
		}
		switch ev.Kind {
		case wire.TextDelta:
			out.Text += ev.Text
		case wire.CallEnd:
			out.Calls = append(out.Calls, fmt.Sprintf("%s %s %s", ev.Call.ID, ev.Call.Name, ev.Call.Args))
		case wire.UsageReport:
			if ev.Usage.Input != nil {
				out.Input = int64(*ev.Usage.Input)
			}
		}
	}
	return out, nil
}

// served is a transport that answers every request with one response.
type served []byte

// RoundTrip implements [http.RoundTripper].
func (s served) RoundTrip(*http.Request) (*http.Response, error) {
	rec := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}}
	if isObject(s) {
		rec.Header.Set("Content-Type", "application/json")
	}
	rec.Body = body{bytes.NewReader(s)}
	return rec, nil
}

type body struct{ *bytes.Reader }

// Close implements [io.Closer].
func (body) Close() error { return nil }

func client(response []byte) openai.Client {
	return openai.NewClient(option.WithHTTPClient(&http.Client{Transport: served(response)}),
		option.WithAPIKey("k"), option.WithMaxRetries(0), option.WithBaseURL("http://example.test/v1"))
}

// compare fails unless an SDK reads what a dialect reads, or both fail.
func compare(t *testing.T, d wire.Dialect, response []byte, read func([]byte) (outcome, error)) {
	t.Helper()
	want, err := read(response)
	got, ourErr := ours(d, response)
	if (err == nil) != (ourErr == nil) {
		t.Fatalf("the SDK says %v, the dialect %v", err, ourErr)
	}
	if d := cmp.Diff(got, want); err == nil && d != "" {
		t.Errorf("(-got, +the SDK)\n%s", d)
	}
}

func readResponses(response []byte) (outcome, error) {
	c := client(response)
	params := responses.ResponseNewParams{Model: "m"}
	if isObject(response) {
		r, err := c.Responses.New(context.Background(), params)
		if err != nil {
			return outcome{}, err
		}
		return ofResponse(r)
	}
	stream := c.Responses.NewStreaming(context.Background(), params)
	for stream.Next() {
		switch e := stream.Current(); e.Type {
		case "response.completed", "response.incomplete", "response.failed":
			return ofResponse(&e.Response)
		case "error":
			return outcome{}, fmt.Errorf("%s", e.Message)
		}
	}
	if err := stream.Err(); err != nil {
		return outcome{}, err
	}
	return outcome{}, fmt.Errorf("no end")
}

func ofResponse(r *responses.Response) (outcome, error) {
	out := outcome{Input: r.Usage.InputTokens}
	if r.Status == "failed" || r.Status == "queued" || r.Error.Message != "" {
		return out, fmt.Errorf("%s: %s", r.Status, r.Error.Message)
	}
	var texts []string
	for _, item := range r.Output {
		switch item := item.AsAny().(type) {
		case responses.ResponseOutputMessage:
			text := ""
			for _, part := range item.Content {
				text += part.Text + part.Refusal
			}
			texts = append(texts, text)
		case responses.ResponseFunctionToolCall:
			out.Calls = append(out.Calls, fmt.Sprintf("%s %s %s", item.CallID, item.Name, item.Arguments))
		}
	}
	out.Text = strings.Join(texts, "\n\n") // as the dialect parts messages
	return out, nil
}

func readChat(response []byte) (outcome, error) {
	c := client(response)
	params := openai.ChatCompletionNewParams{Model: "m"}
	if isObject(response) {
		r, err := c.Chat.Completions.New(context.Background(), params)
		if err != nil {
			return outcome{}, err
		}
		return ofChat(r)
	}
	stream := c.Chat.Completions.NewStreaming(context.Background(), params)
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			return outcome{}, fmt.Errorf("not a chunk")
		}
	}
	if err := stream.Err(); err != nil {
		return outcome{}, err
	}
	return ofChat(&acc.ChatCompletion)
}

func ofChat(r *openai.ChatCompletion) (outcome, error) {
	if len(r.Choices) == 0 || r.Choices[0].FinishReason == "" {
		return outcome{}, fmt.Errorf("no end")
	}
	m := r.Choices[0].Message
	out := outcome{Text: m.Content + m.Refusal, Input: r.Usage.PromptTokens}
	for _, call := range m.ToolCalls {
		out.Calls = append(out.Calls, fmt.Sprintf("%s %s %s", call.ID, call.Function.Name, call.Function.Arguments))
	}
	return out, nil
}

// streams compares the golden streams of a dialect, except those of hosts that
// differ from the provider whose SDK it is.
func streams(t *testing.T, d wire.Dialect, dir string, read func([]byte) (outcome, error), others ...string) {
	golden(t, dir+"/testdata/decode", "stream", func(t *testing.T, stream []byte) {
		name := strings.TrimSuffix(t.Name()[strings.LastIndexByte(t.Name(), '/')+1:], ".txtar")
		if !slices.Contains(others, name) {
			compare(t, d, stream, read)
		}
	})
}

func TestResponsesStreams(t *testing.T) {
	streams(t, openairesponses.Dialect, "openairesponses", readResponses, "other-events", "unnamed")
}

func TestChatStreams(t *testing.T) {
	streams(t, openaichat.Dialect, "openaichat", readChat, "calls-unnumbered", "filter", "object")
}

func isObject(response []byte) bool { return bytes.HasPrefix(response, []byte("{")) }

func TestChatObject(t *testing.T) {
	compare(t, openaichat.Dialect, []byte(`{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"logprobs":null,
		"message":{"role":"assistant","content":"hi","refusal":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},
		"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`), readChat)
}
