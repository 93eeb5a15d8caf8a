package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/wire"
)

func TestParseError(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   wire.APIError
	}{
		{401, `{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}`,
			wire.APIError{Kind: wire.Authentication, Status: 401, Code: "invalid_api_key", Message: "Incorrect API key"}},
		{429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`,
			wire.APIError{Kind: wire.Quota, Status: 429, Code: "insufficient_quota", Message: "You exceeded your current quota"}},
		{402, `{"error":{"message":"Insufficient Balance"}}`, wire.APIError{Kind: wire.Quota, Status: 402, Message: "Insufficient Balance"}},
		{429, `{"error":{"message":"slow","type":"requests"}}`, wire.APIError{Kind: wire.RateLimit, Status: 429, Code: "requests", Message: "slow"}},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			wire.APIError{Kind: wire.Overloaded, Status: 529, Code: "overloaded_error", Message: "Overloaded"}},
		{503, `busy`, wire.APIError{Kind: wire.Overloaded, Status: 503, Message: "busy"}},
		{400, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130,512 tokens.","code":"context_length_exceeded"}}`,
			wire.APIError{Kind: wire.ContextTooLong, Status: 400, Code: "context_length_exceeded", Limit: 128000, Used: 130512,
				Message: "This model's maximum context length is 128000 tokens. However, your messages resulted in 130,512 tokens."}},
		{400, `{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum","type":"invalid_request_error"}}`,
			wire.APIError{Kind: wire.ContextTooLong, Status: 400, Code: "invalid_request_error", Limit: 200000, Used: 210000,
				Message: "prompt is too long: 210000 tokens > 200000 maximum"}},
		{422, `{"detail":[{"msg":"bad field"}]}`, wire.APIError{Kind: wire.InvalidRequest, Status: 422, Message: `[{"msg":"bad field"}]`}},
		{400, `{"error":"model not loaded"}`, wire.APIError{Kind: wire.InvalidRequest, Status: 400, Message: "model not loaded"}},
		{404, `{"message":"no such route"}`, wire.APIError{Kind: wire.InvalidRequest, Status: 404, Message: "no such route"}},
		{0, `{"error":{"message":"no","code":"invalid_prompt"}}`, wire.APIError{Kind: wire.InvalidRequest, Code: "invalid_prompt", Message: "no"}},
		{400, `{"error":{"message":"filtered","code":"content_filter"}}`,
			wire.APIError{Kind: wire.ContentFilter, Status: 400, Code: "content_filter", Message: "filtered"}},
		{500, ``, wire.APIError{Kind: wire.ServerError, Status: 500}},
		{408, ``, wire.APIError{Kind: wire.ServerError, Status: 408}},
		{0, `{"error":{"code":429,"message":"rate limited upstream"}}`,
			wire.APIError{Kind: wire.RateLimit, Status: 429, Code: "429", Message: "rate limited upstream"}},
		{0, `{"error":{"message":"The server had an error","type":"server_error"}}`,
			wire.APIError{Kind: wire.ServerError, Code: "server_error", Message: "The server had an error"}},
		{0, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
			wire.APIError{Kind: wire.Overloaded, Code: "overloaded_error", Message: "Overloaded"}},
	} {
		got := wire.ParseError(c.status, []byte(c.body))
		if diff := cmp.Diff(*got, c.want); diff != "" {
			t.Errorf("%d %s: (-got +want)\n%s", c.status, c.body, diff)
		}
	}
}

func TestLookup(t *testing.T) {
	if diff := cmp.Diff(wire.Lookup("openai-compatible", "any"), wire.Capability{}); diff != "" {
		t.Errorf("an unknown host: (-got +want)\n%s", diff)
	}
	// A row is for models whose names begin like it, not for those that hold it.
	if got := wire.Lookup("anthropic", "acme-claude-sonnet-4-5"); got.Thinking != wire.AdaptiveThinking {
		t.Errorf("a model named after another: got %+v", got)
	}
	for _, c := range []struct {
		provider, model   string
		many, dev, reason bool
		late              wire.Late
	}{
		{"openai", "gpt-5", true, true, true, wire.LateDeveloper},
		{"openai", "o3", true, true, true, wire.LateDeveloper},
		{"openai", "gpt-4o-mini", true, false, false, wire.LateInline},
		{"deepseek", "deepseek-chat", true, false, false, wire.LateInline},
		{"ollama", "qwen3", false, false, true, wire.LateReminder},
		{"openrouter", "x/y", false, false, true, wire.LateReminder},
	} {
		r := wire.Lookup(c.provider, c.model)
		if r.Source == "" || r.ManySystem != c.many || r.DeveloperRole != c.dev || r.Reasoning != c.reason || r.LateSystem != c.late {
			t.Errorf("%s %s: got %+v", c.provider, c.model, r)
		}
	}
}
