package dialect

import (
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// A block is a run of messages that is encoded as a whole: a user turn with all
// that joins it, an assistant turn, or the results of one assistant turn.

// AssistantEnd returns the end of an assistant turn: messages are joined where
// turns must alternate. Tool calls end a turn, since their results follow.
func (e *Encoder) AssistantEnd(i int) int {
	end := i + 1
	for !e.Cap.ConsecutiveUser && end < len(e.Msgs) &&
		e.Msgs[end].Role == chat.Assistant && !HasCalls(&e.Msgs[end-1]) {
		end++
	}
	return end
}

// ResultsEnd returns the end of a run of tool messages, and whether any of their
// results has images.
func (e *Encoder) ResultsEnd(i int) (end int, images bool) {
	for end = i; end < len(e.Msgs) && e.Msgs[end].Role == chat.Tool; end++ {
		images = images || e.showsResults(&e.Msgs[end])
	}
	return end, images
}

// UserEnd returns the end of a user turn: late system text joins the user
// message behind it, and where turns must alternate all neighbours join, also
// across an assistant message that is left out. Empty tells which are.
func (e *Encoder) UserEnd(i int, empty func(*chat.Message) bool) int {
	for i < len(e.Msgs) {
		m := &e.Msgs[i]
		user := m.Role == chat.User
		switch {
		case user, m.Role == chat.System && !e.IsLate(m):
		case m.Role == chat.Assistant && !e.Cap.ConsecutiveUser && empty(m):
		default:
			return i
		}
		i++
		if user && e.Cap.ConsecutiveUser {
			break
		}
	}
	return i
}

// IsLate reports whether a message is system text that stands where it is.
func (e *Encoder) IsLate(m *chat.Message) bool {
	return m.Role == chat.System && e.Cap.LateSystem != wire.LateReminder
}

// LateRole returns the role of system text that stands where it is.
func (e *Encoder) LateRole() string {
	if e.Cap.LateSystem == wire.LateDeveloper {
		return "developer"
	}
	return "system"
}

// LateText writes the text of a late system message inside a string.
func (e *Encoder) LateText(m *chat.Message) {
	for i := range m.Parts {
		if m.Parts[i].Kind == chat.TextPart {
			e.Text(m.Parts[i].Text)
		} else {
			e.Unfit(m, &m.Parts[i])
		}
	}
}

// TextLen returns the length of a message's text.
func TextLen(m *chat.Message) int {
	n := 0
	for i := range m.Parts {
		if m.Parts[i].Kind == chat.TextPart {
			n += m.Parts[i].Text.Len()
		}
	}
	return n
}

// HasCalls reports whether a message makes tool calls.
func HasCalls(m *chat.Message) bool {
	for i := range m.Parts {
		if m.Parts[i].Kind == chat.CallPart && m.Parts[i].Call != nil {
			return true
		}
	}
	return false
}

func (e *Encoder) showsResults(m *chat.Message) bool {
	for i := range m.Parts {
		if r := m.Parts[i].Result; r != nil {
			for j := range r.Images {
				if e.Shows(&r.Images[j]) {
					return true
				}
			}
		}
	}
	return false
}

// FirstOrigin returns the origin of the first text of a message, or nil.
func FirstOrigin(m *chat.Message) *span.Origin {
	for i := range m.Parts {
		if len(m.Parts[i].Text) > 0 {
			return m.Parts[i].Text[0].From
		}
	}
	return nil
}

// ReportJoins says which messages share a user message.
func (e *Encoder) ReportJoins(msgs []chat.Message) {
	users := 0
	for i := range msgs {
		switch msgs[i].Role {
		case chat.User:
			users++
		case chat.System:
			e.Lose(prompt.Info, wire.CodeMerged, "late system text is sent inside a user message", FirstOrigin(&msgs[i]))
		}
	}
	if users > 1 {
		e.Lose(prompt.Info, wire.CodeMerged,
			fmt.Sprintf("%d user messages are sent as one: turns must alternate", users), FirstOrigin(&msgs[0]))
	}
}

// ReportAnswers says that several assistant messages are one.
func (e *Encoder) ReportAnswers(msgs []chat.Message) {
	if len(msgs) > 1 {
		e.Lose(prompt.Info, wire.CodeMerged,
			fmt.Sprintf("%d assistant messages are sent as one: turns must alternate", len(msgs)), FirstOrigin(&msgs[0]))
	}
}
