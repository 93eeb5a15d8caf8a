// Package openairesponses is the dialect of OpenAI's responses.
//
// A request has, in this order, the model, the options, the tools, the form of
// the answer, the instructions, the caller's extra fields and, always last, the
// input: a list of items. The two text channels stand here:
//
//	placement   field instructions              input
//	split       system text                     instructions as its first message
//	merged      system text, a blank line,      the conversation only
//	            instructions
//
// Auto is split where the capability record allows several system messages. A
// channel without text yields no field and no message. Nothing is stored unless
// Options.Store says so; reasoning is therefore asked for in encrypted form and
// sent back as it came, without the id that only a stored item has.
//
//	body, err := openairesponses.Dialect.Encode(nil, wire.Request{
//		Model:      "gpt-5",
//		Capability: wire.Lookup("openai", "gpt-5"),
//		Messages:   []chat.Message{chat.UserText("hi", nil)},
//	})
//	fmt.Printf("%s\n", body.JSON)
//	// {"model":"gpt-5","stream":true,"store":false,…,"input":[{"type":"message","role":"user",…}]}
//
// With Options.Chain a request continues a stored response: only the messages
// that came since are sent, the text channels once more in full and merged,
// because the provider does not carry instructions over.
package openairesponses

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// Name is the name of the dialect.
const Name = "openai-responses"

// Dialect is the protocol. It keeps no state and may be used concurrently.
var Dialect = wire.Dialect{
	Name:   Name,
	Path:   "/responses",
	Encode: layout.Encode,
	Decode: decode,
}

var layout = dialect.Layout{
	Name:     Name,
	Head:     func(e *dialect.Encoder) error { return encoder{e}.head() },
	First:    func(e *dialect.Encoder) int { return encoder{e}.first() },
	BlockEnd: func(e *dialect.Encoder, i int) int { return encoder{e}.blockEnd(i) },
	Block:    func(e *dialect.Encoder, lo, hi int) { encoder{e}.block(lo, hi) },
	Tail:     "]}",
}

// encoder writes one request.
type encoder struct{ *dialect.Encoder }

// blockEnd returns the end of the block that begins at message i.
func (e encoder) blockEnd(i int) int {
	switch m := &e.Msgs[i]; {
	case m.Role == chat.Assistant:
		return e.AssistantEnd(i)
	case m.Role == chat.Tool:
		end, _ := e.ResultsEnd(i)
		return end
	case e.IsLate(m):
		return i + 1
	}
	return e.UserEnd(i, isEmpty)
}

// isEmpty reports whether an assistant message is left out. Reasoning that led
// to nothing is no answer: the provider refuses it.
func isEmpty(m *chat.Message) bool { return dialect.TextLen(m) == 0 && !dialect.HasCalls(m) }

// block writes messages lo to hi.
func (e encoder) block(lo, hi int) {
	switch m := &e.Msgs[lo]; {
	case m.Role == chat.Assistant:
		e.assistant(lo, hi)
	case m.Role == chat.Tool:
		e.results(e.Msgs[lo:hi])
	case e.IsLate(m):
		e.openText(e.LateRole())
		e.LateText(m)
		e.Raw(closeText)
	default:
		e.user(e.Msgs[lo:hi])
	}
}

// first returns how many messages the provider has of the response that is
// continued. The repair may have added, removed and moved results, but no other
// messages: those are counted.
func (e encoder) first() int {
	p := e.Req.Options.Chain
	held := min(p.Messages, len(e.Req.Messages))
	if p.ID == "" || held <= 0 {
		return 0
	}
	others := 0
	for i := range e.Req.Messages[:held] {
		if e.Req.Messages[i].Role != chat.Tool {
			others++
		}
	}
	n := 0
	for ; n < len(e.Msgs) && others > 0; n++ {
		if e.Msgs[n].Role != chat.Tool {
			others--
		}
	}
	if e.Req.Messages[held-1].Role == chat.Tool {
		n, _ = e.ResultsEnd(n)
	}
	return n
}
