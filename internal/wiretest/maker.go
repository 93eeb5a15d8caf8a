package wiretest

import (
	"fmt"
	"math/rand"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// maker makes requests of every shape from a seed.
type maker struct{ *rand.Rand }

var snippets = []string{
	"plain words", "line\nline\n", `a "quote" and a \ slash`, "\x00\x1f", "日本語", "\u2028", "bad \xff bytes", "  ", "", "é", "<&>", "{{x}}",
}

func (m maker) string() string { return snippets[m.Intn(len(snippets))] }

func (m maker) coin() bool { return m.Intn(2) == 0 }

func (m maker) text() span.Text {
	var out span.Text
	for i := range m.Intn(4) {
		s := span.Span{Text: m.string(), Off: int32(m.Intn(100)) - 1}
		if m.Intn(4) > 0 {
			s.From = &span.Origin{Section: fmt.Sprintf("s%d", i), Path: "/a"}
		}
		out = append(out, s)
	}
	return out
}

func (m maker) parts() []prompt.Part {
	var out []prompt.Part
	for i := range m.Intn(4) {
		p := prompt.Part{Name: fmt.Sprintf("p%d", i), Class: prompt.Class(m.Intn(3)), Text: m.text()}
		if i > 0 {
			p.Sep = prompt.DefaultSep
		}
		out = append(out, p)
	}
	return out
}

func (m maker) image() chat.Image {
	switch m.Intn(5) {
	case 4:
		return chat.Image{MediaType: "image/png"} // nothing to see
	case 0:
		return chat.Image{URL: "data:image/gif;base64,AAAA"}
	case 1:
		return chat.Image{URL: "https://example.test/a.png?x=\"1\""}
	}
	return chat.Image{MediaType: "image/png", Data: []byte("\x89PNG data"), From: span.Generated("img")}
}

func (m maker) opaque() *chat.Opaque {
	return []*chat.Opaque{
		{Provider: "anthropic", Type: "thinking", JSON: []byte(`{"type":"thinking","thinking":"hm","signature":"s="}`)},
		{Provider: "anthropic", Type: "redacted_thinking", JSON: []byte(`{"type":"redacted_thinking", "data":"x"}`)},
		{Provider: "anthropic", Type: "server_tool_use", JSON: []byte(`{"type":"server_tool_use","id":"i","name":"n","input":{}}`)},
		{Provider: "anthropic", Type: "thinking"},
		{Provider: "openai-responses", Type: "reasoning", JSON: []byte(`{"type":"reasoning","id":"rs_1","summary":[]}`)},
		{Provider: "openai-responses", Type: "reasoning", JSON: []byte(`{"id":"rs_2","type":"reasoning","summary":[] , "encrypted_content":"x="}`)},
		{Provider: "openai-responses", Type: "message.phase", JSON: []byte(`"commentary"`)},
		{Provider: "openai-responses", Type: "odd", JSON: []byte(`{`)},
	}[m.Intn(8)]
}

func (m maker) message() chat.Message {
	msg := chat.Message{Role: chat.Role(m.Intn(4))}
	if m.Intn(8) == 0 {
		msg.Name = wire.Transient
	}
	for range m.Intn(4) {
		msg.Parts = append(msg.Parts, m.part(msg.Role)...)
	}
	return msg
}

func (m maker) part(role chat.Role) []chat.Part {
	switch k := m.Intn(12); {
	case k < 5:
		return []chat.Part{{Kind: chat.TextPart, Text: m.text()}}
	case k == 5:
		img := m.image()
		return []chat.Part{{Kind: chat.ImagePart, Image: &img}}
	case k == 6:
		return []chat.Part{{Kind: chat.ReasoningPart, Text: m.text()}}
	case k == 7:
		return []chat.Part{{Kind: chat.OpaquePart, Opaque: m.opaque()}}
	case k < 10 && role == chat.Assistant:
		args := []string{`{}`, `{"a": "x\n"}`, `{"a":`, ``, "{\"a\":\"\xff\"}"}[m.Intn(5)]
		return []chat.Part{{Kind: chat.CallPart, Call: &chat.ToolCall{ID: m.id(), Name: "f", Args: []byte(args)}}}
	case role == chat.Tool:
		r := chat.ToolResult{ID: m.id(), Name: "f", Text: m.text(), IsError: m.coin()}
		if m.Intn(4) == 0 {
			r.Images = []chat.Image{m.image()}
		}
		return []chat.Part{{Kind: chat.ResultPart, Result: &r}}
	}
	return nil
}

func (m maker) id() string { return []string{"c0", "c1", "c.2", "c:2"}[m.Intn(4)] }

// messages makes a conversation of well-formed turns and arbitrary messages.
func (m maker) messages(n int) []chat.Message {
	var out []chat.Message
	for len(out) < n {
		if m.Intn(3) > 0 {
			out = append(out, m.message())
			continue
		}
		id := fmt.Sprintf("call-%d", len(out))
		call := chat.ToolCall{ID: id, Name: "f", Args: []byte(`{"a":1}`)}
		out = append(out,
			chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.CallPart, Call: &call}}},
			chat.ResultMessage(chat.ToolResult{ID: id, Text: m.text()}))
	}
	return out
}

func (m maker) capability() wire.Capability {
	return wire.Capability{
		ManySystem: m.coin(), DeveloperRole: m.coin(), LateSystem: wire.Late(m.Intn(3)), ConsecutiveUser: m.coin(),
		StreamUsage: m.coin(), Images: m.coin(), Parallel: m.coin(), StrictTools: m.coin(), AnyArgs: m.coin(), ReplayReasoning: m.coin(),
		OutputSchema: m.coin(), Schema: wire.SchemaLevel(m.Intn(3)), SafetyID: m.coin(), SealedReasoning: m.coin(),
		Breakpoints: m.Intn(5), CacheMin: 4 * m.Intn(3), Thinking: wire.Thinking(m.Intn(3)), Sampling: wire.Sampling(m.Intn(3)),
	}
}

func (m maker) cache() wire.Cache {
	c := wire.Cache{Off: m.Intn(8) == 0, TTL: wire.TTL(m.Intn(2))}
	for range m.Intn(3) * m.Intn(3) {
		c.Hints = append(c.Hints, wire.CacheHint{
			Place: wire.CachePlace(m.Intn(3)), Section: fmt.Sprintf("p%d", m.Intn(4)), Back: m.Intn(3), TTL: wire.TTL(m.Intn(2)),
		})
	}
	return c
}

// options makes those that decide about more than a key of their own.
func (m maker) options(msgs []chat.Message) wire.Options {
	var o wire.Options
	if m.Intn(4) == 0 {
		o.Output = &wire.Output{Schema: []byte(`{"type":"object","properties":{"a":{"type":"string"}}}`), Strict: m.coin()}
	}
	if m.Intn(4) == 0 {
		yes := true
		o.Store = &yes
	}
	if m.Intn(4) == 0 {
		o.Chain.ID = "resp_1"
		for i := range msgs {
			if msgs[i].Role == chat.Assistant && m.coin() {
				o.Chain.Messages = i + 1
			}
		}
	}
	return o
}

func (m maker) request(messages int) wire.Request {
	r := wire.Request{
		Model: "m", System: m.parts(), Instructions: m.parts(), Messages: m.messages(messages),
		Placement: wire.Placement(m.Intn(3)), Capability: m.capability(), Cache: m.cache(),
	}
	r.Options = m.options(r.Messages)
	for i := range m.Intn(3) {
		r.Tools = append(r.Tools, chat.ToolSpec{
			Name: fmt.Sprintf("t%d", i), Description: m.string(), Strict: m.coin(),
			Parameters: []byte(`{"type":"object","properties":{"b":{"description":"q\n"},"a":{}}}`),
		})
	}
	return r
}

// change returns the request of a next step. Messages that stay keep their
// parts, as a session's do, or are equal copies.
func (m maker) change(r wire.Request) wire.Request {
	msgs := r.Messages
	switch m.Intn(12) {
	case 0:
		msgs = msgs[:m.Intn(len(msgs)+1)]
	case 1:
		if len(msgs) > 0 {
			msgs = append([]chat.Message(nil), msgs...)
			msgs[m.Intn(len(msgs))] = m.message()
		}
	case 2:
		r.Tools = nil
	case 3:
		r.System = m.parts()
	case 4:
		if len(msgs) > 0 { // the owner reuses its slice
			msgs[m.Intn(len(msgs))] = m.message()
		}
	case 5:
		copied := make([]chat.Message, len(msgs))
		for i := range msgs {
			copied[i] = msgs[i]
			copied[i].Parts = append([]chat.Part(nil), msgs[i].Parts...)
		}
		msgs = copied
	case 6:
		r.Cache = m.cache()
	}
	if m.Intn(3) > 0 {
		msgs = append(msgs[:len(msgs):len(msgs)], m.messages(1+m.Intn(3))...)
	}
	r.Messages = msgs
	return r
}
