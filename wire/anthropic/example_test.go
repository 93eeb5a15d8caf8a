package anthropic_test

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
)

// The bytes of a request: a block per section, and a breakpoint where a hint
// asks for one.
func ExampleDialect_encode() {
	body, err := anthropic.Dialect.Encode(nil, wire.Request{
		Model:      "m",
		Capability: wire.Capability{MaxOutput: 1000, Breakpoints: 4},
		System: []prompt.Part{
			{Name: "base", Text: span.Of("Use tabs.", nil)},
			{Name: "skills", Sep: "\n\n", Text: span.Of("You can sew.", nil)},
		},
		Messages: []chat.Message{chat.UserText("hi", nil)},
		Options:  wire.Options{NoStream: true},
		Cache:    wire.Cache{Hints: []wire.CacheHint{{Place: wire.AfterSection, Section: "skills"}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.ReplaceAll(string(body.JSON), `,"system"`, ",\n"+`"system"`))
	fmt.Println(body.Breakpoints[0].Name)
	// Output:
	// {"model":"m","max_tokens":1000,
	// "system":[{"type":"text","text":"Use tabs.\n\n"},{"type":"text","text":"You can sew.","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}
	// skills
}

// Signed reasoning comes as a payload, to be sent back in its place.
func ExampleDialect_decode() {
	response := `{"type":"message","content":[
		{"type":"thinking","thinking":"A greeting.","signature":"EqQB"},
		{"type":"text","text":"Hello"}
	],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":5}}`
	for event, err := range anthropic.Dialect.Decode(strings.NewReader(response)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch event.Kind {
		case wire.OpaqueItem:
			fmt.Printf("%s\n", event.Opaque.JSON)
		case wire.TextDelta:
			fmt.Println(event.Text)
		case wire.Stop:
			fmt.Println(event.Stop)
		}
	}
	// Output:
	// {"type":"thinking","thinking":"A greeting.","signature":"EqQB"}
	// Hello
	// end
}
