package chat_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

func sample() []chat.Message {
	user := &span.Origin{Section: "input", Trust: span.User}
	file := &span.Origin{Source: "file", Path: "/w/a", Trust: span.Project}
	return []chat.Message{
		chat.UserText("hi <b>", user),
		{Role: chat.System, Name: "notice", Parts: []chat.Part{{Kind: chat.TextPart}}},
		{Role: chat.Assistant, Parts: []chat.Part{
			{Kind: chat.ReasoningPart, Text: span.Of("hm", nil)},
			{Kind: chat.OpaquePart, Opaque: &chat.Opaque{Provider: "anthropic", Type: "thinking", JSON: json.RawMessage("{ \"a\" :1.0e0}\n"), From: user}},
			{Kind: chat.CallPart, Call: &chat.ToolCall{ID: "c1", Name: "read", Args: json.RawMessage(`{"path": "a`), From: user}},
		}},
		chat.ResultMessage(chat.ToolResult{ID: "c1", Name: "read", Text: span.Of("tabs\u2028\n", file), IsError: true,
			Images: []chat.Image{{MediaType: "image/png", Data: []byte{0, 255}, From: file}}}),
		{Parts: []chat.Part{{Kind: chat.ImagePart, Image: &chat.Image{URL: "https://example.invalid/a.png"}}}},
		{},
	}
}

func TestMessageJSON(t *testing.T) {
	for _, m := range sample() {
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var got chat.Message
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if d := cmp.Diff(got, m); d != "" {
			t.Errorf("%s read back (-got +want):\n%s", b, d)
		}
	}
}

// The form is part of every journal ever written.
func TestMessageJSONForm(t *testing.T) {
	b, err := sample()[2].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	origin := `{"section":"input","trust":"user"}`
	want := `{"role":"assistant","parts":[{"kind":"reasoning","text":"hm"},` +
		`{"kind":"opaque","opaque":{"provider":"anthropic","type":"thinking","json":"{ \"a\" :1.0e0}\n","from":` + origin + `}},` +
		`{"kind":"call","call":{"id":"c1","name":"read","args":"{\"path\": \"a","from":` + origin + `}}]}`
	if d := cmp.Diff(string(b), want); d != "" {
		t.Errorf("form (-got +want):\n%s", d)
	}
}

func TestMessageJSONInvalidUTF8(t *testing.T) {
	b, err := json.Marshal(chat.ToolCall{ID: "c", Name: "n", Args: json.RawMessage("\"\xff\"")})
	if err != nil {
		t.Fatal(err)
	}
	var got chat.ToolCall
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(got.Args), "\"\ufffd\""); d != "" {
		t.Errorf("arguments (-got +want):\n%s", d)
	}
}

func TestMessageJSONStrict(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                         "no role",
		`{"role":"robot"}`:           `unknown role "robot"`,
		`{"role":"user","x":1}`:      "unknown field",
		`{"role":"user","parts":{}}`: "cannot unmarshal",
		`{"role":"user","parts":[{"kind":"video"}]}`:                                       `unknown part kind "video"`,
		`{"role":"user","parts":[{}]}`:                                                     "no kind",
		`{"role":"user","parts":[{"kind":"call"}]}`:                                        "kind call without field call",
		`{"role":"user","parts":[{"kind":"image","text":"x"}]}`:                            "kind image with field text",
		`{"role":"user","parts":[{"kind":"text","image":{}}]}`:                             "kind text with field image",
		`{"role":"user","parts":[{"kind":"call","call":{"id":"a","name":"b","args":{}}}]}`: "cannot unmarshal",
		`{"role":"user","parts":[{"kind":"call","call":{"id":"a","arguments":""}}]}`:       "unknown field",
		`{"role":"user","parts":[{"kind":"result","result":{"error":true}}]}`:              "unknown field",
		`{"role":"user","parts":[{"kind":"opaque","opaque":{"body":1}}]}`:                  "unknown field",
		`{"role":"user","parts":[{"kind":"image","image":{"data":"!"}}]}`:                  "illegal base64",
	} {
		var got chat.Message
		if err := json.Unmarshal([]byte(in), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", in, err, want)
		}
	}
	for _, m := range []chat.Message{
		{Role: 9},
		{Parts: []chat.Part{{Kind: 9}}},
		{Parts: []chat.Part{{Kind: chat.CallPart}}},
		{Parts: []chat.Part{{Kind: chat.TextPart, Image: &chat.Image{}}}},
	} {
		if b, err := json.Marshal(m); err == nil {
			t.Errorf("%+v: written as %s, want an error", m, b)
		}
	}
}

// FuzzMessageJSON checks that what was read once is written and read back
// exactly.
func FuzzMessageJSON(f *testing.F) {
	for _, m := range sample() {
		b, err := json.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"role":"user","parts":[{"kind":"text","text":"\ud800"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var first, second chat.Message
		if json.Unmarshal(b, &first) != nil {
			return
		}
		again, err := json.Marshal(first)
		if err != nil {
			t.Fatalf("read but not written: %v", err)
		}
		if err := json.Unmarshal(again, &second); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		if d := cmp.Diff(second, first); d != "" {
			t.Errorf("second reading (-got +want):\n%s", d)
		}
	})
}

// FuzzToolArguments checks that whatever a model writes comes back.
func FuzzToolArguments(f *testing.F) {
	f.Add("{}", "text")
	f.Add("{\"a\": \"\u2028\"", "\x00")
	f.Fuzz(func(t *testing.T, args, text string) {
		valid := func(s string) string { return string([]rune(s)) }
		m := chat.Message{Role: chat.Assistant, Parts: []chat.Part{
			{Kind: chat.TextPart, Text: span.Of(text, nil)},
			{Kind: chat.CallPart, Call: &chat.ToolCall{Args: json.RawMessage(args)}},
		}}
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var got chat.Message
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		if g := string(got.Calls()[0].Args); g != valid(args) {
			t.Errorf("arguments: got %q, want %q", g, valid(args))
		}
		if g := got.Text().String(); g != valid(text) {
			t.Errorf("text: got %q, want %q", g, valid(text))
		}
	})
}

func BenchmarkMessageJSON(b *testing.B) {
	big := chat.ResultMessage(chat.ToolResult{ID: "c", Name: "n", Text: span.Of(strings.Repeat("some line of output\n", 1<<16/20), &span.Origin{Trust: span.Tool})})
	for _, bench := range []struct {
		name string
		m    chat.Message
	}{{"small", sample()[2]}, {"64KB", big}} {
		doc, err := json.Marshal(bench.m)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("encode/"+bench.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				if _, err := bench.m.MarshalJSON(); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("decode/"+bench.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(doc)))
			for b.Loop() {
				var m chat.Message
				if err := json.Unmarshal(doc, &m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The schema of a tool comes back byte for byte, and no schema is not an empty one.
func TestToolSpecJSON(t *testing.T) {
	for _, spec := range []chat.ToolSpec{
		{}, {Name: "a", Parameters: json.RawMessage("{ \"type\" :\n\"object\" }")}, {Name: "a", Parameters: json.RawMessage("{broken")},
		{Name: "a", Parameters: json.RawMessage{}}, {Name: "a", Description: "<b>", Strict: true, From: &span.Origin{Source: "tool"}},
	} {
		b, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		var got chat.ToolSpec
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if d := cmp.Diff(got, spec); d != "" {
			t.Errorf("%s read back (-got +want):\n%s", b, d)
		}
	}
	if err := new(chat.ToolSpec).UnmarshalJSON([]byte(`{"name":"a","more":1}`)); err == nil {
		t.Error("an unknown field was read")
	}
}
