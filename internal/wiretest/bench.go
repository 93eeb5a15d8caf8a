package wiretest

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
)

const line = "Check the exit code of every command, and \"investigate\" failures before moving on.\n"

// Large is a request of about 200 KB for a model of a provider: a prompt, tools,
// and a loop of 40 steps.
func Large(provider, model string) wire.Request {
	origin := &span.Origin{Section: "base"}
	r := wire.Request{Model: model, Capability: wire.Lookup(provider, model)}
	for i := range 12 {
		r.System = append(r.System, prompt.Part{
			Name: fmt.Sprint(i), Sep: prompt.DefaultSep, Text: span.Of(strings.Repeat(line, 20), origin),
		})
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

// BenchmarkEncode measures a large request: whole, with a call and a short result
// more than the one before, the same in the memory of an older body, and written
// by encoding/json as a measure.
func (s Suite) BenchmarkEncode(b *testing.B, r wire.Request) {
	prev := s.Encode(b, nil, r)
	longer := r
	longer.Messages = append(r.Messages[:len(r.Messages):len(r.Messages)], step(100, 2)...)
	old := s.Encode(b, &prev, longer)
	reused := longer
	reused.Scratch = &old
	run := func(name string, prev *wire.Body, r wire.Request) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s.Encode(b, prev, r).JSON)))
			b.ReportAllocs()
			for b.Loop() {
				s.Encode(b, prev, r)
			}
		})
	}
	run("whole", nil, r)
	run("append", &prev, longer)
	run("append-scratch", &prev, reused)
	b.Run("encoding-json", func(b *testing.B) {
		var v any
		if err := json.Unmarshal(prev.JSON, &v); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(prev.JSON)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDecode measures a response: a stream of events made by their number,
// and its end.
func (s Suite) BenchmarkDecode(b *testing.B, event func(i int) string, end string) {
	var stream bytes.Buffer
	for i := range 4000 {
		stream.WriteString(event(i))
	}
	stream.WriteString(end)
	b.SetBytes(int64(stream.Len()))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range s.Dialect.Decode(bytes.NewReader(stream.Bytes())) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
