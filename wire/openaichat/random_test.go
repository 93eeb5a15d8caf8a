package openaichat_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// maker makes requests of every shape from a seed.
type maker struct{ *rand.Rand }

var snippets = []string{
	"plain words", "line\nline\n", `a "quote" and a \ slash`, "\x00\x1f", "日本語", "\u2028", "bad \xff bytes", "  ", "", "é", "<&>", "{{x}}",
}

func (m maker) string() string { return snippets[m.Intn(len(snippets))] }

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
	for range m.Intn(4) {
		out = append(out, prompt.Part{Sep: "\n\n", Text: m.text()})
	}
	return out
}

func (m maker) image() chat.Image {
	img := chat.Image{MediaType: "image/png", Data: []byte("\x89PNG data"), From: span.Generated("img")}
	if m.Intn(2) == 0 {
		img = chat.Image{URL: "https://example.test/a.png?x=\"1\""}
	}
	return img
}

func (m maker) message() chat.Message {
	msg := chat.Message{Role: chat.Role(m.Intn(4))}
	for range m.Intn(4) {
		switch k := m.Intn(12); {
		case k < 5:
			msg.Parts = append(msg.Parts, chat.Part{Kind: chat.TextPart, Text: m.text()})
		case k == 5:
			img := m.image()
			msg.Parts = append(msg.Parts, chat.Part{Kind: chat.ImagePart, Image: &img})
		case k == 6:
			msg.Parts = append(msg.Parts, chat.Part{Kind: chat.ReasoningPart, Text: m.text()})
		case k == 7:
			msg.Parts = append(msg.Parts, chat.Part{Kind: chat.OpaquePart, Opaque: &chat.Opaque{Provider: "anthropic", Type: "thinking"}})
		case k < 10 && msg.Role == chat.Assistant:
			args := []string{`{}`, `{"a":"x\n"}`, `{"a":`, ``}[m.Intn(4)]
			msg.Parts = append(msg.Parts, chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: m.id(), Name: "f", Args: []byte(args)}})
		case msg.Role == chat.Tool:
			r := chat.ToolResult{ID: m.id(), Name: "f", Text: m.text()}
			if m.Intn(4) == 0 {
				r.Images = []chat.Image{m.image()}
			}
			msg.Parts = append(msg.Parts, chat.Part{Kind: chat.ResultPart, Result: &r})
		}
	}
	return msg
}

func (m maker) id() string { return fmt.Sprintf("c%d", m.Intn(4)) }

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
	flag := func() bool { return m.Intn(2) == 0 }
	return wire.Capability{
		ManySystem: flag(), DeveloperRole: flag(), LateSystem: wire.Late(m.Intn(3)), ConsecutiveUser: flag(),
		StreamUsage: flag(), Images: flag(), Parallel: flag(), StrictTools: flag(), AnyArgs: flag(), ReplayReasoning: flag(),
	}
}

func (m maker) request(messages int) wire.Request {
	r := wire.Request{
		Model: "m", System: m.parts(), Instructions: m.parts(), Messages: m.messages(messages),
		Placement: wire.Placement(m.Intn(3)), Capability: m.capability(),
	}
	for i := range m.Intn(3) {
		r.Tools = append(r.Tools, chat.ToolSpec{
			Name: fmt.Sprintf("t%d", i), Description: m.string(), Strict: m.Intn(2) == 0,
			Parameters: []byte(`{"type":"object","properties":{"b":{"description":"q\n"},"a":{}}}`),
		})
	}
	return r
}

func mustEncode(t testing.TB, prev *wire.Body, r wire.Request) wire.Body {
	t.Helper()
	b, err := openaichat.Dialect.Encode(prev, r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Whatever the request, marks tile the texts of its body, calls and results are
// paired, and turns alternate where they must.
func TestEncodeRandom(t *testing.T) {
	for seed := range int64(5000) {
		m := maker{rand.New(rand.NewSource(seed))}
		r := m.request(m.Intn(12))
		b := mustEncode(t, nil, r)
		checkMarks(t, b)
		checkTurns(t, b, !r.Capability.ConsecutiveUser)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A body that was encoded from the one before equals one from scratch, while the
// conversation grows, shrinks and changes, and the one before stays as it was.
func TestEncodeFromPrevious(t *testing.T) {
	for seed := range int64(3000) {
		m := maker{rand.New(rand.NewSource(seed))}
		r := m.request(m.Intn(6))
		prev := mustEncode(t, nil, r)
		var older *wire.Body
		for step := range 8 {
			kept := bytes.Clone(prev.JSON)
			r = m.change(r)
			r.Scratch = older
			got, want := mustEncode(t, &prev, r), scratchless(t, r)
			if !bytes.Equal(got.JSON, want.JSON) {
				t.Fatalf("seed %d step %d: (-got +want)\n%s", seed, step, cmp.Diff(string(got.JSON), string(want.JSON)))
			}
			if !slices.Equal(got.Marks, want.Marks) || !slices.Equal(got.Losses, want.Losses) {
				t.Fatalf("seed %d step %d: (-got +want)\n%s", seed, step,
					cmp.Diff([]any{got.Marks, got.Losses}, []any{want.Marks, want.Losses}))
			}
			if !bytes.Equal(prev.JSON, kept) {
				t.Fatalf("seed %d step %d: the previous body was changed", seed, step)
			}
			p := prev
			older, prev = &p, got
		}
	}
}

func scratchless(t *testing.T, r wire.Request) wire.Body {
	r.Scratch = nil
	return mustEncode(t, nil, r)
}

// change returns the request of a next step. Messages that stay keep their
// parts, as a session's do, or are equal copies.
func (m maker) change(r wire.Request) wire.Request {
	msgs := r.Messages
	switch m.Intn(10) {
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
	}
	if m.Intn(3) > 0 {
		msgs = append(msgs[:len(msgs):len(msgs)], m.messages(1+m.Intn(3))...)
	}
	r.Messages = msgs
	return r
}
