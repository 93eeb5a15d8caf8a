package anthropic_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
)

const line = "Check the exit code of every command, and \"investigate\" failures before moving on.\n"

// large is a request of about 200 KB: a prompt, tools, and a loop of 40 steps.
func large() wire.Request {
	origin := &span.Origin{Section: "base"}
	r := wire.Request{Model: "claude-sonnet-4-5", Capability: wire.Lookup("anthropic", "claude-sonnet-4-5")}
	for i := range 12 {
		r.System = append(r.System, prompt.Part{Name: fmt.Sprint(i), Sep: "\n\n", Text: span.Of(strings.Repeat(line, 20), origin)})
	}
	for i := range 20 {
		r.Tools = append(r.Tools, chat.ToolSpec{Name: fmt.Sprintf("tool_%d", i), Description: line, From: origin,
			Parameters: []byte(`{"type":"object","properties":{"path":{"type":"string","description":"a path"},"limit":{"type":"integer"}},"required":["path"]}`)})
	}
	r.Messages = []chat.Message{chat.UserText("go on", nil)}
	for i := range 40 {
		r.Messages = append(r.Messages, step(i, 50)...)
	}
	return r
}

// step is a call and its result of n lines.
func step(i, n int) []chat.Message {
	id := fmt.Sprintf("call_%d", i)
	return []chat.Message{
		{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.CallPart, Call: &chat.ToolCall{ID: id, Name: "tool_1", Args: []byte(`{"path":"a.txt"}`)}}}},
		chat.ResultMessage(chat.ToolResult{ID: id, Text: span.Of(strings.Repeat(line, n), nil)}),
	}
}

func BenchmarkEncode(b *testing.B) {
	r := large()
	b.SetBytes(int64(len(suite.Encode(b, nil, r).JSON)))
	b.ReportAllocs()
	for b.Loop() {
		suite.Encode(b, nil, r)
	}
}

// BenchmarkEncodeMarshal is the same request by encoding/json, as a measure.
func BenchmarkEncodeMarshal(b *testing.B) {
	var v any
	body := suite.Encode(b, nil, large()).JSON
	if err := json.Unmarshal(body, &v); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := json.Marshal(v); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEncodeAppend adds a call and a short result to the request.
func BenchmarkEncodeAppend(b *testing.B) {
	for _, scratch := range []bool{false, true} {
		b.Run(fmt.Sprintf("scratch=%v", scratch), func(b *testing.B) {
			r := large()
			prev := suite.Encode(b, nil, r)
			r.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)], step(100, 2)...)
			if scratch {
				old := suite.Encode(b, &prev, r)
				r.Scratch = &old
			}
			b.ReportAllocs()
			for b.Loop() {
				suite.Encode(b, &prev, r)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	var s bytes.Buffer
	s.WriteString(`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n")
	for i := range 4000 {
		fmt.Fprintf(&s, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"word %d \"}}\n\n", i)
	}
	s.WriteString(`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n")
	b.SetBytes(int64(s.Len()))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range anthropic.Dialect.Decode(bytes.NewReader(s.Bytes())) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
