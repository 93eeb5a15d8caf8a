package openairesponses

import (
	"encoding/json"

	"github.com/proemhq/proem/wire"
)

// event is one event of a stream. The fields that it has depend on its type.
type event struct {
	Type         string          `json:"type"`
	Index        int             `json:"output_index"`
	SummaryIndex int             `json:"summary_index"`
	ContentIndex int             `json:"content_index"`
	Delta        string          `json:"delta"`
	Text         string          `json:"text"`
	Refusal      string          `json:"refusal"`
	Arguments    string          `json:"arguments"`
	Item         json.RawMessage `json:"item"`
	Response     *response       `json:"response"`
	Error        json.RawMessage `json:"error"`
}

// response is a whole response, or what is known of it so far.
type response struct {
	ID         string            `json:"id"`
	Object     string            `json:"object"`
	Type       string            `json:"type"`
	Status     string            `json:"status"`
	Error      json.RawMessage   `json:"error"`
	Output     []json.RawMessage `json:"output"`
	Usage      *usage            `json:"usage"`
	Incomplete *struct {
		Reason string `json:"reason"`
	} `json:"incomplete_details"`
}

// outputItem is an item of the output, as far as it is understood.
type outputItem struct {
	Type      string          `json:"type"`
	CallID    string          `json:"call_id"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Phase     json.RawMessage `json:"phase"`
	Content   []contentPart   `json:"content"`
	Summary   []contentPart   `json:"summary"`
}

type contentPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

type usage struct {
	Input        *int `json:"input_tokens"`
	Output       *int `json:"output_tokens"`
	InputDetails *struct {
		Cached     *int `json:"cached_tokens"`
		CacheWrite *int `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	OutputDetails *struct {
		Reasoning *int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

// neutral keeps what was not reported absent.
func (u *usage) neutral() *wire.Usage {
	out := &wire.Usage{Input: u.Input, Output: u.Output}
	if d := u.InputDetails; d != nil {
		out.Cached, out.CacheWrite = d.Cached, d.CacheWrite
	}
	if d := u.OutputDetails; d != nil {
		out.Reasoning = d.Reasoning
	}
	return out
}
