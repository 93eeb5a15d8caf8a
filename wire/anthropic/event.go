package anthropic

import (
	"encoding/json"

	"github.com/proemhq/proem/wire"
)

// event is the data of one event of a stream, of any type.
type event struct {
	Type         string          `json:"type"`
	Index        int             `json:"index"`
	Message      *message        `json:"message"`       // message_start
	ContentBlock json.RawMessage `json:"content_block"` // content_block_start
	Delta        delta           `json:"delta"`
	Usage        *usage          `json:"usage"` // message_delta
	Error        json.RawMessage `json:"error"` // of hosts that do not say the type
}

type delta struct {
	Type        string `json:"type"`
	Text        string `json:"text"`
	Thinking    string `json:"thinking"`
	Signature   string `json:"signature"`
	PartialJSON string `json:"partial_json"`
	StopReason  string `json:"stop_reason"`
}

// message is a response that is not a stream, or what a stream begins with.
type message struct {
	Type       string            `json:"type"`
	Content    []json.RawMessage `json:"content"`
	StopReason string            `json:"stop_reason"`
	Usage      *usage            `json:"usage"`
	Error      json.RawMessage   `json:"error"`
}

// content is a content block, as far as it is understood.
type content struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
}

type usage struct {
	Input      *int `json:"input_tokens"` // without what the cache served or took in
	CacheRead  *int `json:"cache_read_input_tokens"`
	CacheWrite *int `json:"cache_creation_input_tokens"`
	Output     *int `json:"output_tokens"`
	Details    *struct {
		Thinking *int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// merge takes over what a later report says. Counts only grow: a host that
// repeats one as zero does not know it any more.
func (u *usage) merge(v *usage) {
	if v == nil {
		return
	}
	for _, c := range [...]struct{ to, from **int }{
		{&u.Input, &v.Input}, {&u.CacheRead, &v.CacheRead}, {&u.CacheWrite, &v.CacheWrite}, {&u.Output, &v.Output},
	} {
		if *c.from != nil && (*c.to == nil || **c.from > **c.to) {
			*c.to = *c.from
		}
	}
	if v.Details != nil {
		u.Details = v.Details
	}
}

// neutral keeps what was not reported absent; it is nil if nothing was.
func (u *usage) neutral() *wire.Usage {
	out := &wire.Usage{Cached: u.CacheRead, CacheWrite: u.CacheWrite, Output: u.Output}
	if u.Input != nil {
		all := *u.Input
		for _, n := range [...]*int{u.CacheRead, u.CacheWrite} {
			if n != nil {
				all += *n
			}
		}
		out.Input = &all
	}
	if u.Details != nil {
		out.Reasoning = u.Details.Thinking
	}
	if *out == (wire.Usage{}) {
		return nil
	}
	return out
}

// reason translates the protocol's stop reason.
func reason(word string) wire.StopReason {
	switch word {
	case "end_turn", "stop_sequence":
		return wire.StopEnd
	case "tool_use":
		return wire.StopTools
	case "max_tokens", "model_context_window_exceeded":
		return wire.StopLength
	case "refusal":
		return wire.StopRefusal
	}
	return wire.StopOtherwise
}
