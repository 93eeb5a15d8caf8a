package openaichat

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// encoder writes one request.
type encoder struct{ *dialect.Encoder }

var layout = dialect.Layout{
	Name:     Name,
	Head:     func(e *dialect.Encoder) error { return encoder{e}.head() },
	BlockEnd: func(e *dialect.Encoder, i int) int { return encoder{e}.blockEnd(i) },
	Block:    func(e *dialect.Encoder, lo, hi int) { encoder{e}.block(lo, hi) },
	Tail:     "]}",
}

// blockEnd returns the end of the block that begins at message i. The images of
// results follow them as a user message, which others join.
func (e encoder) blockEnd(i int) int {
	switch m := &e.Msgs[i]; m.Role {
	case chat.Assistant:
		return e.AssistantEnd(i)
	case chat.Tool:
		end, images := e.ResultsEnd(i)
		if images && e.Cap.Images && !e.Cap.ConsecutiveUser {
			return e.UserEnd(end, isEmpty)
		}
		return end
	default:
		if e.IsLate(m) {
			return i + 1
		}
		return e.UserEnd(i, isEmpty)
	}
}

// isEmpty reports whether an assistant message holds nothing that can be sent.
func isEmpty(m *chat.Message) bool { return dialect.TextLen(m) == 0 && !dialect.HasCalls(m) }

// block writes messages lo to hi.
func (e encoder) block(lo, hi int) {
	switch m := &e.Msgs[lo]; m.Role {
	case chat.Assistant:
		e.assistant(e.Msgs[lo:hi])
	case chat.Tool:
		e.results(e.Msgs[lo:hi])
	default:
		if e.IsLate(m) {
			e.openMessage(e.LateRole())
			e.LateText(m)
			e.Raw(`"}`)
			return
		}
		e.user(e.Msgs[lo:hi], nil)
	}
}

// openMessage begins a message whose content is one string.
func (e encoder) openMessage(role string) {
	e.Next()
	e.Raw(`{"role":"`)
	e.Raw(role)
	e.Raw(`","content":"`)
}

// call writes one call of an assistant message.
func (e encoder) call(c *chat.ToolCall) {
	e.Raw(`{"id":`)
	e.Quoted(c.ID)
	e.Raw(`,"type":"function","function":{"name":"`)
	e.Inside(c.Name, c.From, span.NoOffset)
	e.Raw(`","arguments":"`)
	e.Inside(e.Args(c), c.From, span.NoOffset)
	e.Raw(`"}}`)
}
