// Package anthropic is the dialect of Anthropic's messages, which some other
// hosts speak as well.
//
// A request has, in this order, the model, the output limit, the options, the
// tools, the system text, the caller's extra fields and, always last, the
// messages. The two text channels are one list, system first: a text block per
// section, which ends in the blank line before the next section of its channel.
// The protocol has no second place, so split and merged are the same:
//
//	placement        system
//	split, merged    [system sections…, instructions sections…]
//
// User and assistant turns alternate: neighbours share a message, and the results
// of one assistant turn stand in one user message, before any text. Texts that
// are empty or hold nothing but white space are left out, because the host
// refuses them; a section like that shares the block of its neighbour. Signed
// reasoning goes back byte for byte; its readable form never does.
//
// What differs between models is decided by the capability record alone:
//
//	body, err := anthropic.Dialect.Encode(nil, wire.Request{
//		Model:      "claude-sonnet-4-5",
//		Capability: wire.Lookup("anthropic", "claude-sonnet-4-5"),
//		Messages:   []chat.Message{chat.UserText("hi", nil)},
//	})
//	fmt.Printf("%s\n", body.JSON)
//	// {"model":"claude-sonnet-4-5","max_tokens":64000,…,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}
//
// Cache breakpoints are placed as [wire.PlanCache] says. The one behind the last
// message moves with every request, which is no change of the prompt: with the
// bytes of Body.Breakpoints left out, a body begins with the one before.
package anthropic

import (
	"io"
	"iter"

	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// Name is the name of the dialect.
const Name = "anthropic"

// Version is the version of the protocol, which every request names.
const Version = "2023-06-01"

// Dialect is the protocol, for a base URL without /v1. It keeps no state and may
// be used concurrently.
var Dialect = wire.Dialect{
	Name:      Name,
	Path:      "/v1/messages",
	Encode:    layout.Encode,
	Decode:    decode,
	KeyHeader: "x-api-key",
	Headers:   map[string]string{"anthropic-version": Version},
}

var layout = dialect.Layout{
	Name:     Name,
	Plan:     prepare,
	Head:     head,
	BlockEnd: blockEnd,
	Block:    block,
	Tail:     "]}",
}

func decode(r io.Reader) iter.Seq2[wire.Event, error] {
	return dialect.Decode(r, func(s *dialect.Sink) dialect.Reading { return &reading{sink: s} })
}
