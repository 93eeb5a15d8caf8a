package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
)

// unmarked returns a body without its breakpoints.
func unmarked(b wire.Body) string {
	var out strings.Builder
	at := 0
	for _, p := range b.Breakpoints {
		out.Write(b.JSON[at:p.Lo])
		at = p.Hi
	}
	out.Write(b.JSON[at:])
	return out.String()
}

// A conversation that grows keeps its prefix: but for the breakpoints, a body
// begins with the one before.
func TestEncodeKeepsPrefix(t *testing.T) {
	r := wire.Request{
		Model: "m", Capability: wire.Capability{MaxOutput: 1000, Breakpoints: 4},
		Tools:    []chat.ToolSpec{{Name: "f"}},
		System:   []prompt.Part{{Name: "base", Text: span.Of("BASE", nil)}, {Name: "s", Class: prompt.Session, Sep: "\n\n", Text: span.Of("S", nil)}},
		Messages: []chat.Message{chat.UserText("go", nil)},
	}
	var prev *wire.Body
	for step := range 30 {
		b := suite.Encode(t, prev, r)
		if prev != nil {
			before := strings.TrimSuffix(unmarked(*prev), "]}")
			if !strings.HasPrefix(unmarked(b), before) {
				t.Fatalf("step %d: got\n%s\nwant it to begin with\n%s", step, unmarked(b), before)
			}
		}
		if n := len(b.Breakpoints); n != 4 || b.Breakpoints[3].Name != "message" {
			t.Fatalf("step %d: %v", step, b.Breakpoints)
		}
		prev = &b
		ask := chat.Message{Role: chat.Assistant}
		var answers []chat.Message
		for i := range 1 + step%12 {
			id := fmt.Sprintf("c%d", i) // the same in every turn
			ask.Parts = append(ask.Parts, chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: id, Name: "f", Args: []byte("{}")}})
			answers = append(answers, chat.ResultMessage(chat.ToolResult{ID: id, Name: "f", Text: span.Of("ok", nil)}))
		}
		r.Messages = append(append(r.Messages[:len(r.Messages):len(r.Messages)], ask), answers...)
		checkTurns(t, b, true)
	}
}

// What the provider signed goes back byte for byte, whether it came in pieces or
// at once.
func TestReplay(t *testing.T) {
	const thinking = `{"type":"thinking","thinking":"\"so\" <b> é","signature":"EqQB+/=="}`
	stream := "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"\\\"so\\\" \"}}\n\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"<b> é\"}}\n\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"EqQB\"}}\n\n" +
		"data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"+/==\"}}\n\n" +
		"data: {\"type\":\"content_block_stop\",\"index\":0}\n\n" +
		"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n"
	object := `{"type":"message","content":[` + thinking + `],"stop_reason":"end_turn"}`
	for _, response := range []string{stream, object} {
		var parts []chat.Part
		for ev, err := range anthropic.Dialect.Decode(strings.NewReader(response)) {
			if err != nil {
				t.Fatal(err)
			}
			if ev.Kind == wire.OpaqueItem {
				parts = append(parts, chat.Part{Kind: chat.OpaquePart, Opaque: ev.Opaque})
			}
		}
		parts = append(parts, chat.Part{Kind: chat.TextPart, Text: span.Of("hi", nil)})
		b := suite.Encode(t, nil, wire.Request{Model: "m", Messages: []chat.Message{
			chat.UserText("hi", nil), {Role: chat.Assistant, Parts: parts}, chat.UserText("go on", nil),
		}})
		if !bytes.Contains(b.JSON, []byte(`"content":[`+thinking+`,{"type":"text"`)) {
			t.Errorf("%s", cmp.Diff(string(b.JSON), thinking))
		}
	}
}

// Arguments stand in the body as the model wrote them only if they are valid in
// all their depth.
func TestArguments(t *testing.T) {
	for in, want := range map[string]string{
		`{"b": 1, "a":2}`:          `{"b": 1, "a":2}`,
		"\n{\"b\":1}":              `{"b":1}`,
		`{"a":1,"a":2}`:            `{}`,
		`{"x":{"a":1,"\u0061":2}}`: `{}`,
		`{"a":"\ud83d"}`:           "{\"a\":\"\ufffd\"}",
		`{"a":"\uD83D\uDE00"}`:     `{"a":"😀"}`,
		strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000): `{}`,
	} {
		call := chat.ToolCall{ID: "c", Name: "f", Args: []byte(in)}
		b := suite.Encode(t, nil, wire.Request{Model: "m", Messages: []chat.Message{
			chat.UserText("hi", nil), {Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.CallPart, Call: &call}}},
			chat.ResultMessage(chat.ToolResult{ID: "c"}),
		}})
		if !bytes.Contains(b.JSON, []byte(`"input":`+want+`}`)) {
			t.Errorf("%.40s: want %s in %.400s", in, want, b.JSON)
		}
		if lost := strings.Contains(fmt.Sprint(b.Losses), "sent as {}"); lost != (want == "{}") {
			t.Errorf("%.40s: losses %v", in, b.Losses)
		}
	}
}

// A call that the output limit cut before its first argument is not one without
// arguments.
func TestDecodeCutCall(t *testing.T) {
	const (
		first  = `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}` + "\n\n"
		second = `data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"f","input":{}}}` + "\n\n"
		stop   = `data: {"type":"content_block_stop","index":1}` + "\n\n"
		object = `{"type":"message","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"b","name":"f","input":{}}],"stop_reason":"WHY"}`
	)
	for why, want := range map[string]string{"max_tokens": "{} ", "tool_use": "{} {}"} {
		end := `data: {"type":"message_delta","delta":{"stop_reason":"` + why + `"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n"
		for _, response := range []string{first + second + end, first + second + stop + end, strings.Replace(object, "WHY", why, 1)} {
			var got []string
			for ev, err := range anthropic.Dialect.Decode(strings.NewReader(response)) {
				if err != nil {
					t.Fatal(err)
				}
				if ev.Kind == wire.CallEnd {
					got = append(got, string(ev.Call.Args))
				}
			}
			if s := strings.Join(got, " "); s != want {
				t.Errorf("%s: got %q, want %q from %s", why, s, want, response)
			}
		}
	}
}

// Names that are not UTF-8 would become one name.
func TestExtraNames(t *testing.T) {
	_, err := anthropic.Dialect.Encode(nil, wire.Request{Model: "m", Options: wire.Options{
		Extra: map[string]json.RawMessage{"\xff": []byte("1"), "\xfe": []byte("2")},
	}})
	if err == nil || !strings.Contains(err.Error(), `extra field "\xfe" is not valid UTF-8`) {
		t.Errorf("got %v", err)
	}
}

// An error after the response began keeps its kind, also without a type.
func TestDecodeUntypedError(t *testing.T) {
	for _, stream := range []string{
		`data: {"error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n",
		`data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n",
	} {
		for _, err := range anthropic.Dialect.Decode(strings.NewReader(stream)) {
			var api *wire.APIError
			if !errors.As(err, &api) || api.Kind != wire.Overloaded {
				t.Errorf("%s: got %v", stream, err)
			}
		}
	}
}
