package request

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/providertest/internal/prefix"
)

// What the objects of messages may have, as published.
var (
	messagesBody = members(`model:s! messages:a! max_tokens:i! system:sa tools:a tool_choice:o stream:b temperature:n top_p:n
		top_k:i stop_sequences:a metadata:o thinking:o output_config:o output_format:o service_tier:s container:soz
		context_management:oz mcp_servers:a cache_control:oz`)
	messagesMessage = members("role:s! content:sa!")
	messagesTool    = members("name:s! input_schema:o! description:s type:s strict:b cache_control:oz")
	messagesChoice  = members("type:s! name:s disable_parallel_tool_use:b")
	messagesCache   = members("type:s! ttl:s")
	messagesBlocks  = map[string]fields{
		"text":              members("type:s! text:s! cache_control:oz citations:az"),
		"image":             members("type:s! source:o! cache_control:oz"),
		"document":          members("type:s! source:o! cache_control:oz title:sz context:sz citations:oz"),
		"tool_use":          members("type:s! id:s! name:s! input:o! cache_control:oz"),
		"tool_result":       members("type:s! tool_use_id:s! content:sa is_error:b cache_control:oz"),
		"thinking":          members("type:s! thinking:s! signature:s!"),
		"redacted_thinking": members("type:s! data:s!"),
	}
	userBlocks      = []string{"text", "image", "document", "tool_result"}
	assistantBlocks = []string{"text", "tool_use", "thinking", "redacted_thinking"}
)

// anthropic reads one request of messages.
type anthropic struct {
	*checker
	marks int    // breakpoints so far
	short string // the place of the first that lasts five minutes
	ids   []string
}

// messages reads a request of messages.
func (c *checker) messages(v *value) {
	a := &anthropic{checker: c}
	c.object("", v, messagesBody, c.rules.Keys...)
	c.between(v, "temperature", 0, 1)
	c.between(v, "top_p", 0, 1)
	c.between(v, "max_tokens", 1, 1e9)
	a.thinking(v)
	a.tools(v)
	a.systemText(v.get("system"))
	list := v.get("messages")
	if list.is("[") {
		if len(list.items) == 0 {
			c.fail("messages", "at least one message is required")
		}
		for i, m := range list.items {
			a.message(list.items, i, m)
		}
		a.salt(v)
	}
	if a.marks > 4 {
		c.fail("cache_control", "a maximum of 4 blocks with cache_control may be provided, found %d", a.marks)
	}
}

// salt makes what changes the cache of the conversation, but not of what stands
// before it, a part of its first block.
func (a *anthropic) salt(v *value) {
	if first := len(a.Prompt) - a.count(v); first < len(a.Prompt) && first >= 0 {
		for _, key := range []string{"tool_choice", "thinking"} {
			if m := v.get(key); m != nil {
				a.Prompt[first].Salt += string(m.raw)
			}
		}
	}
}

// count returns how many blocks the conversation has.
func (a *anthropic) count(v *value) int {
	n := 0
	for _, m := range v.get("messages").items {
		if n++; m.get("content").is("[") {
			n += len(m.get("content").items) - 1
		}
	}
	return n
}

func (a *anthropic) thinking(v *value) {
	t := v.get("thinking")
	if !t.is("{") {
		return
	}
	a.oneOf("thinking.type", t.get("type"), "enabled", "disabled", "adaptive")
	if t.get("type").text() != "enabled" {
		return
	}
	n := t.get("budget_tokens").number()
	if n < 1024 {
		a.fail("thinking.budget_tokens", "must be at least 1024")
	}
	if n >= v.get("max_tokens").number() {
		a.fail("max_tokens", "must be greater than thinking.budget_tokens")
	}
	if temp := v.get("temperature"); temp != nil && temp.number() != 1 {
		a.fail("temperature", "may only be set to 1 when thinking is enabled")
	}
}

func (a *anthropic) tools(v *value) {
	if tools := v.get("tools"); tools.is("[") {
		for i, t := range tools.items {
			path := fmt.Sprintf("tools[%d]", i)
			if kind := t.get("type").text(); kind != "" && kind != "custom" {
				a.add(path, t, string(t.raw)) // a tool that the provider knows
				continue
			}
			if a.object(path, t, messagesTool) {
				a.tool(path+".name", t.get("name"))
				a.schema(path+".input_schema", t.get("input_schema"), isTrue(t.get("strict")))
			}
			a.add(path, t, toolText(t))
		}
	}
	choice := v.get("tool_choice")
	if choice == nil {
		return
	}
	a.object("tool_choice", choice, messagesChoice)
	a.oneOf("tool_choice.type", choice.get("type"), "auto", "any", "tool", "none")
	switch kind := choice.get("type").text(); {
	case len(a.Tools) == 0 && !v.get("tools").is("["):
		a.fail("tool_choice", "may only be specified while providing tools")
	case kind == "tool":
		a.choice("tool_choice.name", choice.get("name").text())
	}
}

// toolText is a tool without its breakpoint.
func toolText(t *value) string {
	var out strings.Builder
	for i := range t.members {
		if m := &t.members[i]; m.name != "cache_control" {
			out.WriteString(m.name + ":" + string(m.raw) + "\n")
		}
	}
	return out.String()
}

// add takes a block, and the breakpoint behind it.
func (a *anthropic) add(path string, v *value, text string) {
	b := prefix.Block{Text: text}
	if m := v.get("cache_control"); m.is("{") {
		a.object(path+".cache_control", m, messagesCache)
		a.oneOf(path+".cache_control.type", m.get("type"), "ephemeral")
		a.oneOf(path+".cache_control.ttl", m.get("ttl"), "5m", "1h")
		b.Mark = m.get("ttl").text()
		if b.Mark == "" {
			b.Mark = "5m"
		}
		a.marks++
		switch {
		case b.Mark == "5m" && a.short == "":
			a.short = path
		case b.Mark == "1h" && a.short != "":
			a.fail(path+".cache_control.ttl", "a block with ttl \"1h\" must not come after one with \"5m\", which is at %s", a.short)
		}
		if v.get("text").is(`"`) && strings.TrimSpace(v.get("text").str) == "" {
			a.fail(path+".cache_control", "cannot be set for empty text blocks")
		}
	}
	a.Prompt = append(a.Prompt, b)
}

func (a *anthropic) systemText(v *value) {
	if v.is(`"`) {
		a.system(v.str)
		a.block("system\n" + v.str)
	}
	if !v.is("[") {
		return
	}
	for i, b := range v.items {
		path := fmt.Sprintf("system[%d]", i)
		if a.object(path, b, messagesBlocks["text"]) {
			a.oneOf(path+".type", b.get("type"), "text")
			a.visible(path, b)
		}
		a.system(b.get("text").text())
		a.add(path, b, "system\n"+b.get("text").text())
	}
}

// visible checks that a text block has text.
func (a *anthropic) visible(path string, b *value) {
	switch s := b.get("text").text(); {
	case s == "":
		a.fail(path, "text content blocks must be non-empty")
	case strings.TrimSpace(s) == "":
		a.fail(path, "text content blocks must contain non-whitespace text")
	}
}

func (a *anthropic) message(all []*value, i int, m *value) {
	path := fmt.Sprintf("messages[%d]", i)
	if !a.object(path, m, messagesMessage) {
		return
	}
	role := m.get("role").text()
	a.oneOf(path+".role", m.get("role"), "user", "assistant", "system")
	if before := roleOf(all, i-1); i == 0 && role != "user" {
		a.fail(path+".role", "the first message must use the user role")
	} else if role == "system" && before != "user" {
		a.fail(path+".role", "a system message must follow a user message")
	}
	if role != "system" {
		a.role(role)
	}
	content := m.get("content")
	if content.is(`"`) {
		a.say(turn, path)
		a.heard(role, content.str)
		a.block(role + "\n" + content.str)
		if content.str == "" && !(role == "assistant" && i == len(all)-1) {
			a.fail(path+".content", "messages must have non-empty content")
		}
		return
	}
	if len(content.items) == 0 {
		a.fail(path+".content", "messages must have non-empty content")
	}
	a.blocks(path, role, content.items)
	if last := len(content.items) - 1; role == "assistant" && last >= 0 {
		switch kind := content.items[last].get("type").text(); {
		case kind == "thinking" || kind == "redacted_thinking":
			a.fail(path+".content", "the last block of an assistant message cannot be thinking")
		case kind == "text" && i == len(all)-1 && strings.TrimRight(content.items[last].get("text").text(), " \n\t") != content.items[last].get("text").text():
			a.fail(path+".content", "final assistant content cannot end with trailing whitespace")
		}
	}
}

func roleOf(all []*value, i int) string {
	if i < 0 {
		return ""
	}
	return all[i].get("role").text()
}

func (a *anthropic) heard(role, text string) {
	switch role {
	case "user":
		a.User = text
	case "system":
		a.system(text)
	}
}
