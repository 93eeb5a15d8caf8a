package request

import (
	"fmt"
	"slices"
	"strings"
)

// blocks reads the content blocks of a message.
func (a *anthropic) blocks(path, role string, items []*value) {
	allowed := map[string][]string{"user": userBlocks, "assistant": assistantBlocks, "system": {"text"}}[role]
	if role == "assistant" {
		a.say(turn, path)
	}
	spoke := role == "assistant"
	var texts []string
	for i, b := range items {
		at := fmt.Sprintf("%s.content[%d]", path, i)
		kind := b.get("type").text()
		if !slices.Contains(allowed, kind) {
			a.fail(at+".type", "%q is not allowed in a message of %s", kind, role)
			continue
		}
		a.object(at, b, messagesBlocks[kind])
		if kind == "tool_result" && spoke {
			a.fail(at, "tool_result blocks must come first in a message")
		}
		if kind != "tool_result" && !spoke {
			a.say(turn, at)
			spoke = true
		}
		if kind == "text" {
			texts = append(texts, b.get("text").text())
			a.visible(at, b)
		}
		a.add(at, b, role+"\n"+a.content(at, kind, b))
	}
	if len(texts) > 0 {
		a.heard(role, strings.Join(texts, "\n"))
	}
}

// content reads a block by its type and returns its text.
func (a *anthropic) content(path, kind string, b *value) string {
	switch kind {
	case "text":
		return b.get("text").text()
	case "tool_use":
		return a.use(path, b)
	case "tool_result":
		a.answered(path, b.get("tool_use_id").text())
		return a.resultText(path, b)
	case "thinking":
		sig, text := b.get("signature").text(), b.get("thinking").text()
		if sig == "" || a.rules.Issued != nil && !a.rules.Issued(sig, text) {
			a.fail(path+".signature", "invalid signature in thinking block")
		}
		return text
	}
	return string(b.raw)
}

func (a *anthropic) use(path string, b *value) string {
	id, name := b.get("id").text(), b.get("name").text()
	if !validName(id, 1000) {
		a.fail(path+".id", "%q does not match ^[a-zA-Z0-9_-]+$", id)
	}
	if slices.Contains(a.ids, id) {
		a.fail(path+".id", "tool_use ids must be unique, %q occurs twice", id)
	}
	a.ids = append(a.ids, id)
	if len(a.Tools) == 0 {
		a.fail("tools", "requests which include tool_use or tool_result blocks must define tools")
	}
	a.called(path, id, name)
	return CallText(id, name, string(b.get("input").rawOr()))
}

func (v *value) rawOr() []byte {
	if v == nil {
		return nil
	}
	return v.raw
}

func (a *anthropic) resultText(path string, b *value) string {
	content := b.get("content")
	failed := isTrue(b.get("is_error"))
	if !content.is("[") {
		if failed && content.text() == "" {
			a.fail(path+".content", "cannot be empty if is_error is true")
		}
		return content.text()
	}
	var out []string
	for i, part := range content.items {
		at := fmt.Sprintf("%s.content[%d]", path, i)
		switch kind := part.get("type").text(); kind {
		case "text":
			a.visible(at, part)
			out = append(out, part.get("text").text())
		case "image", "document":
			out = append(out, string(part.raw))
		default:
			a.fail(at+".type", "%q is not allowed in a tool result", kind)
		}
	}
	return strings.Join(out, "\n")
}
