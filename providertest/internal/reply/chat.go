package reply

import "fmt"

func (a *Answer) chatID() string { return fmt.Sprintf("chatcmpl-%d", a.Number) }

func (a *Answer) chatFinish() string {
	switch {
	case a.Stop != "":
		return a.Stop
	case len(a.Calls) > 0:
		return "tool_calls"
	}
	return "stop"
}

func (a *Answer) chatEvents() []Event {
	var out []Event
	chunk := func(choices []any, more object) {
		o := object{"id": a.chatID(), "object": "chat.completion.chunk", "created": a.Created, "model": a.Model, "choices": choices}
		for k, v := range more {
			o[k] = v
		}
		out = append(out, Event{Data: encode(a.pad(o))})
	}
	delta := func(d object, finish any) {
		chunk([]any{object{"index": 0, "delta": d, "logprobs": nil, "finish_reason": finish}}, nil)
	}
	delta(object{"role": "assistant", "content": ""}, nil)
	for _, s := range a.Reasoning {
		delta(object{"reasoning_content": s}, nil)
	}
	for _, s := range a.Text {
		delta(object{"content": s}, nil)
	}
	for i, c := range a.Calls {
		delta(object{"tool_calls": []any{object{"index": i, "id": c.ID, "type": "function",
			"function": object{"name": c.Name, "arguments": ""}}}}, nil)
		for _, s := range halves(c.Args) {
			delta(object{"tool_calls": []any{object{"index": i, "function": object{"arguments": s}}}}, nil)
		}
	}
	delta(object{}, a.chatFinish())
	if a.Usage != nil {
		chunk([]any{}, object{"usage": a.Usage.chat()})
	}
	return append(out, Event{Data: []byte("[DONE]")})
}

// completion is the answer as one object.
func (a *Answer) completion() object {
	m := object{"role": "assistant", "content": nil, "refusal": nil}
	if len(a.Text) > 0 || len(a.Calls) == 0 {
		m["content"] = a.text()
	}
	if len(a.Reasoning) > 0 {
		m["reasoning_content"] = a.reasoning()
	}
	var calls []any
	for _, c := range a.Calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args}})
	}
	if calls != nil {
		m["tool_calls"] = calls
	}
	o := object{"id": a.chatID(), "object": "chat.completion", "created": a.Created, "model": a.Model,
		"choices": []any{object{"index": 0, "message": m, "logprobs": nil, "finish_reason": a.chatFinish()}}}
	if a.Usage != nil {
		o["usage"] = a.Usage.chat()
	}
	return a.pad(o)
}

func (u *Usage) chat() object {
	out, in, done := object{}, object{}, object{}
	set(out, "prompt_tokens", u.Input)
	set(out, "completion_tokens", u.Output)
	if u.Input != nil && u.Output != nil {
		out["total_tokens"] = *u.Input + *u.Output
	}
	set(in, "cached_tokens", u.Cached)
	set(done, "reasoning_tokens", u.Reasoning)
	if len(in) > 0 {
		out["prompt_tokens_details"] = in
	}
	if len(done) > 0 {
		out["completion_tokens_details"] = done
	}
	if u.Units && u.Input != nil && u.Cached != nil {
		out["prompt_cache_hit_tokens"], out["prompt_cache_miss_tokens"] = *u.Cached, *u.Input-*u.Cached
	}
	return out
}
