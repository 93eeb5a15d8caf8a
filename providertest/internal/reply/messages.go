package reply

import "fmt"

func (a *Answer) messagesStop() string {
	switch {
	case a.Stop == "length":
		return "max_tokens"
	case a.Stop == "content_filter":
		return "refusal"
	case a.Stop == "tool_calls", a.Stop == "" && len(a.Calls) > 0:
		return "tool_use"
	case a.Stop == "" || a.Stop == "stop":
		return "end_turn"
	}
	return a.Stop
}

// content returns the blocks of the answer, complete or as they begin.
func (a *Answer) content(complete bool) []object {
	out := []object{}
	pick := func(s string) string {
		if complete {
			return s
		}
		return ""
	}
	if len(a.Reasoning) > 0 {
		out = append(out, object{"type": "thinking", "thinking": pick(a.reasoning()), "signature": pick(Seal(a.reasoning()))})
	}
	if len(a.Text) > 0 {
		out = append(out, object{"type": "text", "text": pick(a.text()), "citations": nil})
	}
	for _, c := range a.Calls {
		o := object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}
		if complete {
			o["input"] = c.args()
		}
		out = append(out, o)
	}
	return out
}

// message is the answer as one object.
func (a *Answer) message() object {
	o := object{"id": fmt.Sprintf("msg_%d", a.Number), "type": "message", "role": "assistant", "model": a.Model,
		"content": a.content(true), "stop_reason": a.messagesStop(), "stop_sequence": nil}
	if a.Usage != nil {
		o["usage"] = a.Usage.messages(value(a.Usage.Output))
	}
	return a.pad(o)
}

func (a *Answer) messagesEvents() []Event {
	var out []Event
	add := func(kind string, o object) {
		o["type"] = kind
		out = append(out, Event{Name: kind, Data: encode(a.pad(o))})
	}
	start := a.message()
	start["content"], start["stop_reason"] = []any{}, nil
	delete(start, "obfuscation")
	if a.Usage != nil {
		start["usage"] = a.Usage.messages(1)
	}
	add("message_start", object{"message": start})
	for i, block := range a.content(false) {
		add("content_block_start", object{"index": i, "content_block": block})
		if i == 0 {
			add("ping", object{})
		}
		delta := func(o object) { add("content_block_delta", object{"index": i, "delta": o}) }
		switch block["type"] {
		case "thinking":
			for _, s := range a.Reasoning {
				delta(object{"type": "thinking_delta", "thinking": s})
			}
			delta(object{"type": "signature_delta", "signature": Seal(a.reasoning())})
		case "text":
			for _, s := range a.Text {
				delta(object{"type": "text_delta", "text": s})
			}
		case "tool_use":
			for _, s := range halves(a.Calls[i-len(a.content(false))+len(a.Calls)].Args) {
				delta(object{"type": "input_json_delta", "partial_json": s})
			}
		}
		add("content_block_stop", object{"index": i})
	}
	end := object{"delta": object{"stop_reason": a.messagesStop(), "stop_sequence": nil}}
	if a.Usage != nil {
		usage := object{}
		set(usage, "output_tokens", a.Usage.Output)
		end["usage"] = usage
	}
	add("message_delta", end)
	add("message_stop", object{})
	return out
}

// messages reports what is neither found nor written as input.
func (u *Usage) messages(output int) object {
	out := object{"output_tokens": output}
	if u.Input != nil {
		out["input_tokens"] = *u.Input - value(u.Cached) - value(u.Written)
	}
	set(out, "cache_read_input_tokens", u.Cached)
	set(out, "cache_creation_input_tokens", u.Written)
	if u.Written != nil {
		out["cache_creation"] = object{"ephemeral_5m_input_tokens": *u.Written - value(u.WrittenLong), "ephemeral_1h_input_tokens": value(u.WrittenLong)}
	}
	return out
}
