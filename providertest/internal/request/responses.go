package request

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// What the objects of responses may have, as published.
var (
	responsesBody = members(`model:s! input:sa instructions:sz tools:a tool_choice:so parallel_tool_calls:bz stream:bz
		stream_options:oz temperature:nz top_p:nz max_output_tokens:iz max_tool_calls:iz store:bz include:az metadata:oz
		reasoning:oz text:o previous_response_id:sz conversation:soz background:bz truncation:sz user:s safety_identifier:s
		service_tier:sz prompt:oz prompt_cache_key:s prompt_cache_retention:sz prompt_cache_options:o top_logprobs:iz
		context_management:az moderation:x`)
	responsesItems = map[string]fields{
		"message":              members("type:s role:s! content:sa! id:s status:sz phase:sz"),
		"function_call":        members("type:s! call_id:s! name:s! arguments:s! id:s status:sz namespace:s"),
		"function_call_output": members("type:s! call_id:s! output:sa! id:sz status:sz"),
		"reasoning":            members("type:s! summary:a! id:s encrypted_content:sz content:a status:sz"),
	}
	responsesParts = map[string]fields{
		"input_text":  members("type:s! text:s!"),
		"input_image": members("type:s! detail:s image_url:sz file_id:sz"),
		"output_text": members("type:s! text:s! annotations:a logprobs:a"),
		"refusal":     members("type:s! refusal:s!"),
	}
	responsesTool   = members("type:s! name:s! description:sz parameters:oz! strict:bz!")
	responsesFormat = members("format:o verbosity:sz")
)

// responses reads a request of responses.
func (c *checker) responses(v *value) {
	c.object("", v, responsesBody, c.rules.Keys...)
	c.between(v, "temperature", 0, 2)
	c.between(v, "top_p", 0, 1)
	if n := v.get("max_output_tokens"); n.is("0") && n.number() < 16 {
		c.fail("max_output_tokens", "%s is less than 16", n.str)
	}
	c.Store = !v.get("store").is("t") || isTrue(v.get("store"))
	c.CacheKey = v.get("prompt_cache_key").text()
	c.Previous = v.get("previous_response_id").text()
	c.object("text", orEmpty(v.get("text")), responsesFormat)
	if include := v.get("include"); include.is("[") {
		for _, item := range include.items {
			c.Sealed = c.Sealed || item.text() == "reasoning.encrypted_content"
		}
	}
	c.responsesTools(v)
	if s := v.get("instructions"); s.is(`"`) {
		c.system(s.str)
		c.block("instructions\n" + s.str)
	}
	c.input(v)
}

func orEmpty(v *value) *value {
	if v == nil {
		return &value{kind: '{'}
	}
	return v
}

func (c *checker) responsesTools(v *value) {
	tools := v.get("tools")
	if tools.is("[") {
		for i, t := range tools.items {
			path := fmt.Sprintf("tools[%d]", i)
			c.block(string(t.raw))
			if t.is("{") && t.get("type").text() != "function" && t.get("type") != nil && t.get("name") == nil {
				continue // a tool that the provider runs itself
			}
			if c.object(path, t, responsesTool) {
				c.tool(path+".name", t.get("name"))
				c.schema(path+".parameters", t.get("parameters"), isTrue(t.get("strict")))
			}
		}
	}
	switch choice := v.get("tool_choice"); {
	case choice.is("{") && choice.get("type").text() == "function":
		c.choice("tool_choice.name", choice.get("name").text())
	case choice.is(`"`) && choice.str == "required" && len(c.Tools) == 0:
		c.fail("tool_choice", "there is no tool that could be called")
	default:
		c.oneOf("tool_choice", choice, "none", "auto", "required")
	}
}

// input reads the items, those of a stored response first.
func (c *checker) input(v *value) {
	var raw [][]byte
	if c.Previous != "" {
		items, ok := []byte(nil), false
		if c.rules.Previous != nil {
			items, ok = c.rules.Previous(c.Previous)
		}
		if !ok {
			c.fail("previous_response_id", "previous response with id %q not found", c.Previous)
		} else if list, err := parse(items); err == nil {
			for i, item := range list.items {
				c.item(fmt.Sprintf("previous[%d]", i), item)
				raw = append(raw, item.raw)
			}
		}
	}
	in := v.get("input")
	switch {
	case in.is(`"`):
		c.say(turn, "input")
		c.role("user")
		c.User = in.str
		c.block("user\n" + in.str)
		raw = append(raw, fmt.Appendf(nil, `{"role":"user","content":%s}`, in.raw))
	case in.is("["):
		for i, item := range in.items {
			c.item(fmt.Sprintf("input[%d]", i), item)
			raw = append(raw, item.raw)
		}
	case c.Previous == "":
		c.fail("input", "is missing")
	}
	c.Items = slices.Concat([]byte("["), bytes.Join(raw, []byte(",")), []byte("]"))
}

func (c *checker) item(path string, v *value) {
	kind := v.get("type").text()
	if kind == "" && v.get("role") != nil {
		kind = "message"
	}
	f, ok := responsesItems[kind]
	if !ok {
		c.fail(path+".type", "%q is no type of an item", kind)
		return
	}
	c.object(path, v, f)
	switch kind {
	case "message":
		c.responsesMessage(path, v)
	case "function_call":
		id, name := v.get("call_id").text(), v.get("name").text()
		c.role("assistant")
		c.called(path, id, name)
		c.block("assistant" + CallText(id, name, v.get("arguments").text()))
	case "function_call_output":
		c.role("tool")
		c.answered(path, v.get("call_id").text())
		c.block("tool\n" + c.parts(path+".output", v.get("output"), "input_text", "input_image"))
	case "reasoning":
		c.reasoning(path, v)
	}
}

func (c *checker) responsesMessage(path string, v *value) {
	role := v.get("role").text()
	kinds := []string{"input_text", "input_image"}
	kind := turn
	switch role {
	case "assistant":
		kinds, kind = []string{"output_text", "refusal"}, say
	case "system", "developer":
		kinds = kinds[:1]
	case "user":
	default:
		c.fail(path+".role", "%q is no role", role)
	}
	c.say(kind, path)
	text := c.parts(path+".content", v.get("content"), kinds...)
	switch role {
	case "system", "developer":
		c.system(text)
	case "user":
		c.User = text
	}
	c.role(role)
	c.block(role + "\n" + text)
}

// parts returns the text of a string or of a list of parts.
func (c *checker) parts(path string, v *value, kinds ...string) string {
	if !v.is("[") {
		return v.text()
	}
	var out []string
	for i, part := range v.items {
		at := fmt.Sprintf("%s[%d]", path, i)
		kind := part.get("type").text()
		f, ok := responsesParts[kind]
		if !ok || !slices.Contains(kinds, kind) {
			c.fail(at+".type", "%q is none of %s", kind, strings.Join(kinds, ", "))
			continue
		}
		c.object(at, part, f)
		switch kind {
		case "input_image":
			out = append(out, string(part.raw))
		case "refusal":
			out = append(out, part.get("refusal").text())
		default:
			out = append(out, part.get("text").text())
		}
	}
	return strings.Join(out, "\n")
}

// reasoning checks that an item that is not stored brings its content along.
func (c *checker) reasoning(path string, v *value) {
	seal := v.get("encrypted_content").text()
	switch {
	case seal == "" && !c.Store:
		c.fail(path, "item with id %q not found: items are not kept when store is false", v.get("id").text())
	case seal != "" && c.rules.Issued != nil && !c.rules.Issued(seal, ""):
		c.fail(path+".encrypted_content", "the encrypted content could not be verified")
	}
	c.block("reasoning\n" + seal)
}
