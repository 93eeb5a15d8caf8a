package wire_test

import (
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// Equal schemas become equal bytes.
func ExampleCanonicalJSON() {
	out, err := wire.CanonicalJSON([]byte(`{ "type": "object", "maxProperties": 2.0, "additionalProperties": false }`))
	fmt.Println(string(out), err)
	_, err = wire.CanonicalJSON([]byte(`{"a": 1, "a": 2}`))
	fmt.Println(err)
	// Output:
	// {"additionalProperties":false,"maxProperties":2,"type":"object"} <nil>
	// json at offset 16: the name "a" occurs twice
}

// A call whose result was never recorded gets one that says so.
func ExampleRepair() {
	call := chat.ToolCall{ID: "c1", Name: "shell", Args: []byte("{}")}
	history := []chat.Message{
		chat.UserText("build it", nil),
		{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.CallPart, Call: &call}}},
		chat.TextMessage(chat.User, span.Of("go on", nil)),
	}
	sent, losses := wire.Repair(history, 0)
	fmt.Println(sent[2].Role, sent[2].Results()[0].Text.String())
	fmt.Println(losses[0].Message)
	// Output:
	// tool interrupted, outcome unknown
	// the call "c1" of tool "shell" has no result: it is sent as "interrupted, outcome unknown"
}

func ExampleCheckArgs() {
	fmt.Println(wire.CheckArgs([]byte(`{"path":"a.txt"}`)))
	fmt.Println(wire.CheckArgs([]byte(`{"path":"a.t`)))
	// Output:
	// <nil>
	// arguments: json at offset 12: unexpected end of a string
}

func ExampleLookup() {
	fmt.Println(wire.Lookup("openai", "gpt-5").DeveloperRole)
	fmt.Println(wire.Lookup("openai-compatible", "anything") == (wire.Capability{}))
	// Output:
	// true
	// true
}
