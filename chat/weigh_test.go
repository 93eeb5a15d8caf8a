package chat_test

import (
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

func TestWeigh(t *testing.T) {
	text := func(s string) span.Text { return span.Of(s, nil) }
	m := chat.Message{Role: chat.Assistant, Parts: []chat.Part{
		{Kind: chat.TextPart, Text: text("12345")},
		{Kind: chat.ReasoningPart, Text: text("not counted")},
		{Kind: chat.ImagePart, Image: &chat.Image{}},
		{Kind: chat.CallPart, Call: &chat.ToolCall{Name: "ab", Args: []byte(`{}`)}},
		{Kind: chat.ResultPart, Result: &chat.ToolResult{Text: text("123"), Images: make([]chat.Image, 2)}},
		{Kind: chat.OpaquePart, Opaque: &chat.Opaque{JSON: []byte("1234567")}},
	}}
	if got, want := m.Weigh(func(s string) int { return len(s) }), 4+5+1000+2+2+3+2000+7; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}
