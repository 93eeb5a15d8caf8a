package reply

import "fmt"

// ResponseID returns the id of the answer to a request.
func ResponseID(number int) string { return fmt.Sprintf("resp_%d", number) }

func (a *Answer) itemID(kind string, i int) string {
	return fmt.Sprintf("%s_%d_%d", kind, a.Number, i+1)
}

// items returns the output, complete or as it begins.
func (a *Answer) items(complete bool) []object {
	status := "in_progress"
	if complete {
		status = "completed"
	}
	var out []object
	if len(a.Reasoning) > 0 {
		o := object{"type": "reasoning", "id": a.itemID("rs", 0), "summary": []any{}}
		if complete {
			o["summary"] = []any{object{"type": "summary_text", "text": a.reasoning()}}
		}
		if a.Sealed && complete {
			o["encrypted_content"] = Seal(a.reasoning())
		}
		out = append(out, o)
	}
	if len(a.Text) > 0 {
		content := []any{}
		if complete {
			content = []any{a.textPart(a.text())}
		}
		out = append(out, object{"type": "message", "id": a.itemID("msg", 0), "role": "assistant", "status": status, "content": content})
	}
	for i, c := range a.Calls {
		args := ""
		if complete {
			args = c.Args
		}
		out = append(out, object{"type": "function_call", "id": a.itemID("fc", i), "call_id": c.ID, "name": c.Name, "arguments": args, "status": status})
	}
	return out
}

func (a *Answer) textPart(text string) object {
	return object{"type": "output_text", "text": text, "annotations": []any{}, "logprobs": []any{}}
}

// Items returns the output as JSON items of a later input.
func (a *Answer) Items() [][]byte {
	var out [][]byte
	for _, o := range a.items(true) {
		out = append(out, encode(o))
	}
	return out
}

// response is the whole response, in some state.
func (a *Answer) response(status string) object {
	o := object{
		"id": ResponseID(a.Number), "object": "response", "created_at": a.Created, "model": a.Model, "status": status,
		"error": nil, "incomplete_details": nil, "instructions": nil, "metadata": object{}, "output": []any{},
		"parallel_tool_calls": true, "previous_response_id": nil, "store": a.Store, "temperature": 1, "top_p": 1,
		"tool_choice": "auto", "tools": []any{},
	}
	if a.Previous != "" {
		o["previous_response_id"] = a.Previous
	}
	if status == "in_progress" {
		return o
	}
	o["output"] = a.items(true)
	if a.Usage != nil {
		o["usage"] = a.Usage.responses()
	}
	if reason := map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"}[a.Stop]; reason != "" {
		o["status"], o["incomplete_details"] = "incomplete", object{"reason": reason}
	}
	return o
}

// stream writes events that are numbered.
type stream struct {
	a   *Answer
	out []Event
}

func (s *stream) add(kind string, o object) {
	o["type"], o["sequence_number"] = kind, len(s.out)
	s.out = append(s.out, Event{Name: kind, Data: encode(s.a.pad(o))})
}

func (a *Answer) responsesEvents() []Event {
	s := &stream{a: a}
	s.add("response.created", object{"response": a.response("in_progress")})
	s.add("response.in_progress", object{"response": a.response("in_progress")})
	whole := a.items(true)
	calls := len(whole) - len(a.Calls)
	for i, begun := range a.items(false) {
		s.add("response.output_item.added", object{"output_index": i, "item": begun})
		at := object{"output_index": i, "item_id": begun["id"]}
		switch begun["type"] {
		case "reasoning":
			s.part("response.reasoning_summary_part", "response.reasoning_summary_text", "summary_index", at, a.Reasoning,
				object{"type": "summary_text", "text": ""}, object{"type": "summary_text", "text": a.reasoning()})
		case "message":
			s.part("response.content_part", "response.output_text", "content_index", at, a.Text, a.textPart(""), a.textPart(a.text()))
		case "function_call":
			for _, piece := range halves(a.Calls[i-calls].Args) {
				s.add("response.function_call_arguments.delta", with(at, object{"delta": piece}))
			}
			s.add("response.function_call_arguments.done", with(at, object{"name": a.Calls[i-calls].Name, "arguments": a.Calls[i-calls].Args}))
		}
		s.add("response.output_item.done", object{"output_index": i, "item": whole[i]})
	}
	end := a.response("completed")
	s.add("response."+end["status"].(string), object{"response": end})
	return s.out
}

// part writes one part of an item: its begin, its pieces and its end.
func (s *stream) part(part, text, index string, at object, pieces []string, empty, whole object) {
	at = with(at, object{index: 0})
	s.add(part+".added", with(at, object{"part": empty}))
	for _, piece := range pieces {
		o := with(at, object{"delta": piece})
		if index == "content_index" {
			o["logprobs"] = []any{}
		}
		s.add(text+".delta", o)
	}
	o := with(at, object{"text": whole["text"]})
	if index == "content_index" {
		o["logprobs"] = []any{}
	}
	s.add(text+".done", o)
	s.add(part+".done", with(at, object{"part": whole}))
}

// with returns a new object with the members of both.
func with(a, b object) object {
	out := object{}
	for _, o := range []object{a, b} {
		for k, v := range o {
			out[k] = v
		}
	}
	return out
}

func (u *Usage) responses() object {
	out, in, done := object{}, object{}, object{}
	set(out, "input_tokens", u.Input)
	set(out, "output_tokens", u.Output)
	if u.Input != nil && u.Output != nil {
		out["total_tokens"] = *u.Input + *u.Output
	}
	set(in, "cached_tokens", u.Cached)
	set(in, "cache_write_tokens", u.Written)
	set(done, "reasoning_tokens", u.Reasoning)
	if len(in) > 0 {
		out["input_tokens_details"] = in
	}
	if len(done) > 0 {
		out["output_tokens_details"] = done
	}
	return out
}
