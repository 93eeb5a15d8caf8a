package openaichat

import (
	"bytes"
	"encoding/json"

	"github.com/proemhq/proem/wire"
)

// chunk is one event of a stream, or a whole response.
type chunk struct {
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

type choice struct {
	Index        int     `json:"index"`
	Delta        message `json:"delta"`
	Message      message `json:"message"`
	FinishReason string  `json:"finish_reason"`
}

type message struct {
	Content          content     `json:"content"`
	ReasoningContent string      `json:"reasoning_content"`
	Reasoning        content     `json:"reasoning"`
	Refusal          string      `json:"refusal"`
	ToolCalls        []callDelta `json:"tool_calls"`
}

// reasoning returns the reasoning under either of its two names; a host that
// sends both sends the same text twice.
func (m *message) reasoning() string {
	if m.ReasoningContent != "" {
		return m.ReasoningContent
	}
	return string(m.Reasoning)
}

// content is text: a string, null, or the texts of a list of parts. Any other
// form is taken as no text.
type content string

// UnmarshalJSON implements [json.Unmarshaler].
func (c *content) UnmarshalJSON(b []byte) error {
	switch b[0] {
	case '"':
		return json.Unmarshal(b, (*string)(c))
	case '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(b, &parts); err != nil {
			return err
		}
		for i := range parts {
			*c += content(parts[i].Text)
		}
	}
	return nil
}

type callDelta struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments args   `json:"arguments"`
	} `json:"function"`
}

// args is the text of arguments. Some hosts send the object itself instead of a
// string that holds it.
type args string

// UnmarshalJSON implements [json.Unmarshaler].
func (a *args) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		return json.Unmarshal(b, (*string)(a))
	}
	if !bytes.Equal(b, []byte("null")) {
		*a = args(b)
	}
	return nil
}

type usage struct {
	PromptTokens        *int `json:"prompt_tokens"`
	CompletionTokens    *int `json:"completion_tokens"`
	PromptCacheHit      *int `json:"prompt_cache_hit_tokens"` // DeepSeek's name
	PromptTokensDetails *struct {
		Cached     *int `json:"cached_tokens"`
		CacheWrite *int `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails *struct {
		Reasoning *int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// neutral keeps what was not reported absent.
func (u *usage) neutral() *wire.Usage {
	out := &wire.Usage{Input: u.PromptTokens, Output: u.CompletionTokens, Cached: u.PromptCacheHit}
	if d := u.PromptTokensDetails; d != nil {
		if d.Cached != nil {
			out.Cached = d.Cached
		}
		out.CacheWrite = d.CacheWrite
	}
	if d := u.CompletionTokensDetails; d != nil {
		out.Reasoning = d.Reasoning
	}
	return out
}
