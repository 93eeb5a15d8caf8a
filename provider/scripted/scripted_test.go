package scripted_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

var _ interface {
	provider.Model
	provider.Informer
} = (*scripted.Model)(nil)

func parse(t *testing.T, script string) *scripted.Model {
	t.Helper()
	s, err := scripted.Parse([]byte(script), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return scripted.New(*s)
}

func request(messages ...chat.Message) wire.Request {
	return wire.Request{
		Model: "m", System: []prompt.Part{{Text: span.Of("use tabs", nil)}},
		Tools:    []chat.ToolSpec{{Name: "read_file"}, {Name: "grep"}},
		Messages: append([]chat.Message{chat.UserText("hi", nil)}, messages...),
	}
}

// send writes a response on one line, texts in brackets.
func send(t *testing.T, m *scripted.Model, r wire.Request) (string, error) {
	t.Helper()
	b, err := m.Encode(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for ev, err := range m.Send(context.Background(), b) {
		if err != nil {
			return out.String(), err
		}
		switch ev.Kind {
		case wire.TextDelta:
			fmt.Fprintf(&out, "[%s]", ev.Text)
		case wire.ReasoningDelta:
			fmt.Fprintf(&out, "(%s)", ev.Text)
		case wire.CallEnd:
			fmt.Fprintf(&out, "%s %s %s ", ev.Call.ID, ev.Call.Name, ev.Call.Args)
		case wire.UsageReport:
			fmt.Fprintf(&out, "%d/%d ", *ev.Usage.Input, *ev.Usage.Cached)
		case wire.Stop:
			fmt.Fprintf(&out, "%s", ev.Stop)
		}
	}
	return out.String(), nil
}

func TestPlay(t *testing.T) {
	m := parse(t, `
turns:
  - calls: [{tool: read_file, args: {path: a.txt, n: 3, deep: {b: [1, 2.5, null, true], a: "x\n"}}}, {tool: grep}]
    expect:
      system_contains: tabs
      system_excludes: [spaces, none]
      user_contains: hi
      tools: [read_file, grep]
      messages: 2
  - reasoning: well then
    text: |
      Done and
      dusted.
    usage: {input: 900, cached: 800, output: 5}
    stop: length
  - calls: [{tool: grep, id: mine, raw: '{"cut":'}]
  - error: {status: 429, retry_after: 1}
  - text: a b c
    cut: 3
  - text: ""
  - error: {message: the server is overloaded, code: overloaded_error}
  - text: last
`)
	for i, want := range []string{
		`call_1_1 read_file {"path":"a.txt","n":3,"deep":{"b":[1,2.5,null,true],"a":"x\n"}} call_1_2 grep {} tools`,
		"(well )(then)[Done ][and\ndusted.\n]900/800 length",
		`mine grep {"cut": tools`,
		"error: rate_limit (HTTP 429): scripted error, retry after 1 seconds",
		"[a ][b ]error: stream.truncated: the response ended before its terminal event",
		"end",
		"error: overloaded: the server is overloaded",
		"[last]end",
		"[last]end",
	} {
		got, err := send(t, m, request())
		if err != nil {
			got += "error: " + err.Error()
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Errorf("request %d: (-got +want)\n%s", i, diff)
		}
	}
}

func TestExpect(t *testing.T) {
	call := chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.CallPart, Call: &chat.ToolCall{ID: "c", Name: "grep", Args: []byte("{}")}}}}
	res := chat.ResultMessage(chat.ToolResult{ID: "c", Text: span.Of("RESULT", nil)})
	for _, c := range []struct{ expect, want string }{
		{`{system_contains: tabs, result_contains: RESULT, body_contains: '"tool_call_id":"c"', messages: 4}`, ""},
		{`{system_contains: spaces}`, `scripted: turns[0].expect: system_contains: "spaces" is not in "\n\nuse tabs"`},
		{`{user_excludes: hi, result_excludes: RES, tools: [grep]}`, "scripted: turns[0].expect: user_excludes: \"hi\" is in the text\n" +
			"result_excludes: \"RES\" is in the text\n" + `tools: got ["read_file" "grep"], want ["grep"]`},
		{`{messages: 3}`, "scripted: turns[0].expect: messages: got 4, want 3"},
	} {
		_, err := send(t, parse(t, "turns:\n  - text: x\n    expect: "+c.expect), request(call, res))
		got := ""
		if err != nil {
			got = err.Error()
			var e *scripted.ExpectError
			if !errors.As(err, &e) {
				t.Errorf("got %T", err)
			}
		}
		if diff := cmp.Diff(got, c.want); diff != "" {
			t.Errorf("%s: (-got +want)\n%s", c.expect, diff)
		}
	}
}

// A model that is new to a conversation goes on where it stands.
func TestByConversation(t *testing.T) {
	said := chat.TextMessage(chat.Assistant, span.Of("one", nil))
	for by, want := range map[string]string{"request": "[one]end", "conversation": "[two]end"} {
		m := parse(t, "by: "+by+"\nturns: [{text: one}, {text: two}, {text: three}]")
		got, err := send(t, m, request(said))
		if err != nil || got != want {
			t.Errorf("by %s: got %q, %v, want %q", by, got, err, want)
		}
	}
}

func TestDelay(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	clock := env.NewFakeClock(start)
	m := parse(t, "turns: [{text: x, delay: 1m30s}]")
	m.Env = &env.Env{Clock: clock}
	if _, err := send(t, m, request()); err != nil {
		t.Fatal(err)
	}
	if got := clock.Now().Sub(start); got != 90*time.Second {
		t.Errorf("waited %v", got)
	}
}

func TestCancelled(t *testing.T) {
	m := parse(t, "turns: [{text: x}]")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b, err := m.Encode(nil, request())
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range m.Send(ctx, b) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for in, want := range map[string]string{
		"turns:\n  - txt: a\n":            `s.yaml:2:5: unknown field "txt"`,
		"turn: x":                         `s.yaml:1:1: unknown field "turn"`,
		"turns: []":                       "s.yaml: a script has at least one entry under turns",
		"":                                "s.yaml: a script has at least one entry under turns",
		"turns:\n  - text: [a]\n":         "s.yaml:2:11: ",
		"turns:\n  - usage: {input: x}\n": "s.yaml:2:20: ",
		"turns:\n  - usage: {in: 1}\n":    `s.yaml:2:13: unknown field "in"`,
		"turns:\n  - calls: [{tool: a, args: 3}]\n":    "s.yaml:2:29: ",
		"turns:\n  - calls: [{args: {}}]\n":            "s.yaml: turns[0].calls[0]: tool is missing",
		"turns:\n  - &a {text: x}\n  - *a\n":           "s.yaml:3:5: aliases are not supported",
		"turns: [":                                     "s.yaml:1:8: ",
		"by: luck\nturns: [{text: x}]":                 `s.yaml: by: "luck" is neither request nor conversation`,
		"turns: [{text: x, error: {status: 500}}]":     "s.yaml: turns[0]: an error and an answer exclude each other",
		"turns: [{text: x, delay: soon}]":              `s.yaml: time: invalid duration "soon"`,
		"turns: [{text: " + strings.Repeat("x", 5<<20): "s.yaml: a script is at most",
	} {
		_, err := scripted.Parse([]byte(in), "s.yaml")
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.60q: got %v, want %s", in, err, want)
		}
	}
}

func ExampleNew() {
	script, err := scripted.Parse([]byte("turns: [{text: Hello there.}]"), "script.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	model := scripted.New(*script)
	body, _ := model.Encode(nil, wire.Request{Model: "m", Messages: []chat.Message{chat.UserText("hi", nil)}})
	fmt.Printf("%s\n", body.JSON)
	for event, err := range model.Send(context.Background(), body) {
		fmt.Printf("%q %s %v\n", event.Text, event.Stop, err)
	}
	// Output:
	// {"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"hi"}]}
	// "Hello "  <nil>
	// "there."  <nil>
	// "stop" end <nil>
}
