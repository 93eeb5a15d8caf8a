package openaichat_test

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// The bytes of a request, and where one of its texts came from.
func ExampleDialect_encode() {
	rules := &span.Origin{Section: "project:AGENTS.md", Path: "/w/AGENTS.md"}
	body, err := openaichat.Dialect.Encode(nil, wire.Request{
		Model:        "gpt-4o",
		Capability:   wire.Lookup("openai", "gpt-4o"),
		System:       []prompt.Part{{Text: span.Of("Use tabs.", rules)}},
		Instructions: []prompt.Part{{Text: span.Of("Answer briefly.", nil)}},
		Messages:     []chat.Message{chat.UserText("hi", nil)},
		Options:      wire.Options{NoStream: true},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", body.JSON)
	m := body.Marks[0]
	fmt.Printf("%s comes from %s\n", body.JSON[m.Lo:m.Hi], m.From.Path)
	// Output:
	// {"model":"gpt-4o","messages":[{"role":"system","content":"Use tabs."},{"role":"system","content":"Answer briefly."},{"role":"user","content":"hi"}]}
	// Use tabs. comes from /w/AGENTS.md
}

// A stream of chunks becomes events; the last one says why the model stopped.
func ExampleDialect_decode() {
	stream := `data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}

data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`
	for event, err := range openaichat.Dialect.Decode(strings.NewReader(stream)) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch event.Kind {
		case wire.TextDelta:
			fmt.Println(event.Text)
		case wire.Stop:
			fmt.Println(event.Stop)
		}
	}
	// Output:
	// Hello
	// end
}
