package request

import (
	"fmt"
	"strings"
)

// What the objects of chat completions may have, as published, and what hosts
// that speak the protocol add to it.
var (
	chatBody = members(`model:s! messages:a! tools:a tool_choice:so parallel_tool_calls:b stream:bz stream_options:oz
		temperature:nz top_p:nz max_tokens:iz max_completion_tokens:iz stop:saz n:iz seed:iz user:s store:bz metadata:oz
		reasoning_effort:sz response_format:o logprobs:bz top_logprobs:iz logit_bias:oz frequency_penalty:nz presence_penalty:nz
		service_tier:sz safety_identifier:s prompt_cache_key:s prompt_cache_retention:sz prompt_cache_options:o modalities:az
		audio:oz prediction:oz verbosity:sz web_search_options:o moderation:x functions:a function_call:so`)
	chatMessages = map[string]fields{
		"system":    members("role:s! content:sa! name:s"),
		"developer": members("role:s! content:sa! name:s"),
		"user":      members("role:s! content:sa! name:s"),
		"assistant": members("role:s! content:saz tool_calls:a refusal:sz name:s audio:oz reasoning_content:s reasoning:s"),
		"tool":      members("role:s! content:sa! tool_call_id:s!"),
	}
	chatCall     = members("id:s! type:s! function:o!")
	chatCalled   = members("name:s! arguments:s!")
	chatTool     = members("type:s! function:o!")
	chatFunction = members("name:s! description:s parameters:o strict:bz")
	chatText     = members("type:s! text:s! cache_control:o")
	chatImage    = members("type:s! image_url:o!")
)

// chat reads a request of chat completions.
func (c *checker) chat(v *value) {
	c.object("", v, chatBody, c.rules.Keys...)
	c.between(v, "temperature", 0, 2)
	c.between(v, "top_p", 0, 1)
	if v.get("max_tokens").is("0") && v.get("max_completion_tokens").is("0") {
		c.fail("max_tokens", "stands beside max_completion_tokens")
	}
	opts := v.get("stream_options")
	if opts.is("{") && !c.Stream {
		c.fail("stream_options", "is only allowed when stream is true")
	}
	c.StreamUsage = opts.get("include_usage").is("t") && opts.get("include_usage").str == "true"
	c.CacheKey = v.get("prompt_cache_key").text()
	c.chatTools(v)
	list := v.get("messages")
	if list.is("[") && len(list.items) == 0 {
		c.fail("messages", "is empty")
	}
	if list.is("[") {
		for i, m := range list.items {
			c.chatMessage(fmt.Sprintf("messages[%d]", i), m)
		}
	}
}

func (c *checker) chatTools(v *value) {
	tools := v.get("tools")
	if tools.is("[") {
		if len(tools.items) == 0 {
			c.fail("tools", "is empty; leave it out")
		}
		for i, t := range tools.items {
			path := fmt.Sprintf("tools[%d]", i)
			if !c.object(path, t, chatTool) || !c.object(path+".function", t.get("function"), chatFunction) {
				continue
			}
			c.oneOf(path+".type", t.get("type"), "function")
			f := t.get("function")
			c.tool(path+".function.name", f.get("name"))
			c.schema(path+".function.parameters", f.get("parameters"), isTrue(f.get("strict")))
			c.block(string(t.raw))
		}
	} else {
		for _, key := range []string{"tool_choice", "parallel_tool_calls"} {
			if v.get(key) != nil {
				c.fail(key, "is only allowed when tools are specified")
			}
		}
		return
	}
	if choice := v.get("tool_choice"); choice.is("{") {
		c.choice("tool_choice.function.name", choice.get("function").get("name").text())
	} else {
		c.oneOf("tool_choice", choice, "none", "auto", "required")
	}
}

func isTrue(v *value) bool { return v.is("t") && v.str == "true" }

func (c *checker) chatMessage(path string, m *value) {
	role := m.get("role").text()
	f, ok := chatMessages[role]
	if !ok {
		c.fail(path+".role", "%q is no role", role)
		return
	}
	c.object(path, m, f)
	text := c.chatContent(path, role, m.get("content"))
	block := role + "\n" + m.get("reasoning_content").text() + text
	switch role {
	case "assistant":
		c.say(turn, path)
		block += c.chatCalls(path, m)
	case "tool":
		c.answered(path, m.get("tool_call_id").text())
	default:
		c.say(turn, path)
	}
	switch role {
	case "system", "developer":
		c.system(text)
	case "user":
		c.User = text
	}
	c.role(role)
	c.block(block)
}

// chatContent returns the text of a content.
func (c *checker) chatContent(path, role string, v *value) string {
	if !v.is("[") {
		return v.text()
	}
	if len(v.items) == 0 {
		c.fail(path+".content", "is empty")
	}
	var out []string
	for i, part := range v.items {
		at := fmt.Sprintf("%s.content[%d]", path, i)
		switch kind := part.get("type").text(); {
		case kind == "text":
			c.object(at, part, chatText)
			out = append(out, part.get("text").text())
		case kind == "image_url" && role == "user":
			c.object(at, part, chatImage)
			if part.get("image_url").get("url").text() == "" {
				c.fail(at+".image_url.url", "is missing")
			}
			out = append(out, string(part.raw))
		case role == "user" && (kind == "input_audio" || kind == "file"), role == "assistant" && kind == "refusal":
		default:
			c.fail(at+".type", "%q is not allowed in a message of %s", kind, role)
		}
	}
	return strings.Join(out, "\n")
}

// chatCalls reads the calls of an assistant message and returns them as text.
func (c *checker) chatCalls(path string, m *value) string {
	calls := m.get("tool_calls")
	if !calls.is("[") {
		if !m.get("content").is(`"[`) && m.get("refusal") == nil {
			c.fail(path+".content", "is missing; only a message with tool_calls goes without")
		}
		return ""
	}
	if len(calls.items) == 0 {
		c.fail(path+".tool_calls", "is empty; leave it out")
	}
	var out strings.Builder
	for i, v := range calls.items {
		at := fmt.Sprintf("%s.tool_calls[%d]", path, i)
		if !c.object(at, v, chatCall) || !c.object(at+".function", v.get("function"), chatCalled) {
			continue
		}
		c.oneOf(at+".type", v.get("type"), "function")
		f := v.get("function")
		id, name := v.get("id").text(), f.get("name").text()
		if id == "" {
			c.fail(at+".id", "is empty")
		}
		c.called(at, id, name)
		out.WriteString(CallText(id, name, f.get("arguments").text()))
	}
	return out.String()
}

// CallText is how a call counts in a prompt.
func CallText(id, name, args string) string { return "\ncall " + id + " " + name + " " + args }
