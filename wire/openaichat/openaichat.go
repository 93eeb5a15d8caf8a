// Package openaichat is the dialect of OpenAI's chat completions, which many
// other hosts speak as well.
//
// A request has, in this order, the model, the options, the caller's extra
// fields, the tools and, always last, the messages. The two text channels stand
// at the head of the messages:
//
//	placement   messages
//	split       system text, then instructions: two messages
//	merged      system text, a blank line, instructions: one message
//
// Auto is split where the capability record allows several system messages. A
// channel without text yields no message, and text is never trimmed. What
// differs between hosts is decided by the record alone:
//
//	body, err := openaichat.Dialect.Encode(nil, wire.Request{
//		Model:      "gpt-5",
//		Capability: wire.Lookup("openai", "gpt-5"),
//		Messages:   []chat.Message{chat.UserText("hi", nil)},
//	})
//	fmt.Printf("%s\n", body.JSON)
//	// {"model":"gpt-5","stream":true,…,"messages":[{"role":"user","content":"hi"}]}
//
// Pass the body of the request before to Encode: what both have in common is not
// encoded again.
package openaichat

import "github.com/proemhq/proem/wire"

// Name is the name of the dialect.
const Name = "openai-chat"

// Dialect is the protocol. It keeps no state and may be used concurrently.
var Dialect = wire.Dialect{
	Name:   Name,
	Path:   "/chat/completions",
	Encode: layout.Encode,
	Decode: decode,
}
