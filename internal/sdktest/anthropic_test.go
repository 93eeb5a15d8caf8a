package sdktest_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/proemhq/proem/wire/anthropic"
)

func TestAnthropicBodies(t *testing.T) {
	golden(t, "anthropic/testdata/encode", "body", func(t *testing.T, raw []byte) {
		body := parse(t, raw)
		for _, m := range body["messages"].([]any) {
			blocks, _ := m.(map[string]any)["content"].([]any)
			for _, b := range blocks {
				// The SDK writes the text of a result as a list of one block.
				if b := b.(map[string]any); b["type"] == "tool_result" {
					if text, ok := b["content"].(string); ok {
						b["content"] = []any{map[string]any{"type": "text", "text": text}}
					}
				}
			}
		}
		// The types no longer have the sampling options of older models; container is
		// an invented extra field.
		same(t, write(t, body), new(sdk.MessageNewParams), "stream", "temperature", "top_p", "top_k", "container")
	})
}

func readAnthropic(response []byte) (outcome, error) {
	c := sdk.NewClient(option.WithHTTPClient(&http.Client{Transport: served(response)}),
		option.WithAPIKey("k"), option.WithMaxRetries(0), option.WithBaseURL("http://example.test"))
	params := sdk.MessageNewParams{Model: "m", MaxTokens: 9}
	if isObject(response) {
		m, err := c.Messages.New(context.Background(), params)
		if err != nil {
			return outcome{}, err
		}
		return ofAnthropic(m)
	}
	stream := c.Messages.NewStreaming(context.Background(), params)
	var m sdk.Message
	for stream.Next() {
		if err := m.Accumulate(stream.Current()); err != nil {
			return outcome{}, err
		}
	}
	if err := stream.Err(); err != nil {
		return outcome{}, err
	}
	return ofAnthropic(&m)
}

func ofAnthropic(m *sdk.Message) (outcome, error) {
	if m.StopReason == "" {
		return outcome{}, fmt.Errorf("no end")
	}
	out := outcome{Input: m.Usage.InputTokens + m.Usage.CacheReadInputTokens + m.Usage.CacheCreationInputTokens}
	for _, b := range m.Content {
		switch b := b.AsAny().(type) {
		case sdk.TextBlock:
			out.Text += b.Text
		case sdk.ToolUseBlock:
			out.Calls = append(out.Calls, fmt.Sprintf("%s %s %s", b.ID, b.Name, b.Input))
		}
	}
	return out, nil
}

func TestAnthropicStreams(t *testing.T) {
	streams(t, anthropic.Dialect, "anthropic", readAnthropic,
		"calls-cut",   // the SDK replaces arguments that are cut
		"error-block", // it takes a block without a type
		"usage-late")  // and wants all of the usage at the beginning
}
