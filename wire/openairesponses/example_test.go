package openairesponses_test

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openairesponses"
)

// The two text channels have two places, and nothing is stored.
func ExampleDialect_encode() {
	body, err := openairesponses.Dialect.Encode(nil, wire.Request{
		Model:        "gpt-4o",
		Capability:   wire.Lookup("openai", "gpt-4o"),
		System:       []prompt.Part{{Text: span.Of("Use tabs.", nil)}},
		Instructions: []prompt.Part{{Text: span.Of("Answer briefly.", nil)}},
		Messages:     []chat.Message{chat.UserText("hi", nil)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.ReplaceAll(string(body.JSON), `,{`, ",\n{"))
	// Output:
	// {"model":"gpt-4o","stream":true,"store":false,"instructions":"Use tabs.","input":[{"type":"message","role":"system","content":[{"type":"input_text","text":"Answer briefly."}]},
	// {"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}
}

// A conversation that the provider keeps: the second request sends what is new,
// and the text channels again.
func ExampleDialect_chain() {
	r := wire.Request{
		Model:    "m",
		System:   []prompt.Part{{Text: span.Of("Use tabs.", nil)}},
		Messages: []chat.Message{chat.UserText("hi", nil)},
		Options:  wire.Options{Chain: wire.Chain{Begin: true}},
	}
	encode := func() {
		body, err := openairesponses.Dialect.Encode(nil, r)
		fmt.Println(string(body.JSON), err)
	}
	encode()
	// The answer came with the id resp_1, in the event that told why it ended.
	answer := chat.TextMessage(chat.Assistant, span.Of("hello", nil))
	r.Messages = append(r.Messages, answer, chat.UserText("and?", nil))
	r.Options.Chain = wire.Chain{ID: "resp_1", Messages: 2}
	encode()
	// Output:
	// {"model":"m","stream":true,"store":true,"instructions":"Use tabs.","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]} <nil>
	// {"model":"m","stream":true,"store":true,"instructions":"Use tabs.","previous_response_id":"resp_1","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"and?"}]}]} <nil>
}

// A stream of typed events; the last event names the response.
func ExampleDialect_decode() {
	stream := `data: {"type":"response.output_text.delta","output_index":0,"delta":"Hello"}

data: {"type":"response.completed","response":{"id":"resp_1","status":"completed"}}

`
	for event, err := range openairesponses.Dialect.Decode(strings.NewReader(stream)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch event.Kind {
		case wire.TextDelta:
			fmt.Println(event.Text)
		case wire.Stop:
			fmt.Println(event.Stop, event.ID)
		}
	}
	// Output:
	// Hello
	// end resp_1
}
