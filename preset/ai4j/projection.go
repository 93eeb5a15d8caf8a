package ai4j

import (
	"fmt"
	"slices"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
)

// A Projection says what of a history is sent; what is not stays in the session.
// First old results and reasoning are cleared, then a window is cut. The zero value
// sends everything.
//
// The window is of units: a message, or an answer with its calls and their
// results. It ends with the newest unit and reaches back without a gap as far as
// the limits allow. The newest unit and the input of the present turn are always
// sent, and so are the first of the pinned messages and what stands before all
// inputs and answers, such as the summary of a compaction.
//
// Each clearing and each move of the window changes what was sent before, so a
// provider's cache finds less of it. Where that matters more than the size of a
// single request, leave this to the compaction of the agent.
type Projection struct {
	MaxMessages int // 0: any number
	MaxTokens   int // of the messages; 0: any number
	Pinned      int // so many leading messages come before newer ones under a limit
	// RecentResults is how many results keep their text, the newest ones. 0: all;
	// negative: none.
	RecentResults int
	// ClearReasoning leaves out the reasoning of turns before the present one.
	ClearReasoning bool
	// WholeTurns moves a window that begins within a turn back to where the turn
	// begins, whatever the limits say.
	WholeTurns bool
}

const projectStage = "project"

// A projector is a Projection under a budget for the request.
type projector struct {
	Projection
	budget int
	count  func(string) int
}

func (p projector) project(a prompt.Assembly, history []chat.Message) (prompt.Assembly, []chat.Message) {
	if p.count == nil {
		p.count = quarter
	}
	a, lead := takeSelected(a)
	msgs, notes := p.clear(history)
	if p.MaxMessages > 0 || p.MaxTokens > 0 || p.budget > 0 {
		var gone int
		if msgs, gone = p.window(msgs, p.room(a, lead)); gone > 0 {
			notes = append(notes, fmt.Sprintf("%d of the %d messages of the history are not sent", gone, len(history)))
		}
	}
	if len(notes) > 0 {
		a.Notes = slices.Clip(a.Notes)
		for _, why := range notes {
			a.Notes = append(a.Notes, prompt.Note{Name: "history", Stage: projectStage, Reason: why})
		}
	}
	if lead != nil {
		msgs = append([]chat.Message{*lead}, msgs...)
	}
	return a, msgs
}

func quarter(s string) int { return (len(s) + 3) / 4 }

// room returns how many tokens the messages may have; negative: any number.
func (p projector) room(a prompt.Assembly, lead *chat.Message) int {
	room := -1
	if p.MaxTokens > 0 {
		room = p.MaxTokens
	}
	if p.budget <= 0 {
		return room
	}
	left := p.budget
	for ch := range prompt.Channels {
		left -= p.count(a.Render(ch))
	}
	for i := range a.Tools {
		t := &a.Tools[i]
		left -= p.count(t.Name) + p.count(t.Description) + p.count(string(t.Parameters))
	}
	if lead != nil {
		left -= p.tokens(lead)
	}
	if left = max(left, 0); room < 0 || left < room {
		room = left
	}
	return room
}

// tokens returns about how many tokens a message has.
func (p projector) tokens(m *chat.Message) int {
	if p.MaxTokens <= 0 && p.budget <= 0 {
		return 0
	}
	return m.Weigh(p.count)
}

// A unit is a run of messages that are sent together or not at all.
type unit struct {
	lo, hi int // of the messages
	tokens int
	input  bool // a person wrote it
	keep   bool
}

// units divides a history.
func (p projector) units(msgs []chat.Message) []unit {
	var out []unit
	for i := range msgs {
		m := &msgs[i]
		if n := len(out) - 1; n >= 0 && m.Role == chat.Tool && msgs[out[n].lo].Role != chat.User {
			out[n].hi, out[n].tokens = i+1, out[n].tokens+p.tokens(m)
			continue
		}
		out = append(out, unit{lo: i, hi: i + 1, tokens: p.tokens(m), input: isInput(m)})
	}
	return out
}

// isInput reports whether a person wrote the message: what the agent itself says
// has a name.
func isInput(m *chat.Message) bool { return m.Role == chat.User && m.Name == "" }

// isHead reports whether a message at the head of a history stands for what came
// before it.
func isHead(m *chat.Message) bool {
	return m.Role == chat.System || m.Role == chat.User && m.Name != "" && m.Name != preset.ContextName
}

// window returns the messages within the limits, and how many others there are.
func (p projector) window(msgs []chat.Message, room int) ([]chat.Message, int) {
	units := p.units(msgs)
	count, tokens := 0, 0
	fits := func(u *unit) bool {
		return (p.MaxMessages <= 0 || count+u.hi-u.lo <= p.MaxMessages) && (room < 0 || tokens+u.tokens <= room)
	}
	keep := func(u *unit) {
		if !u.keep {
			u.keep, count, tokens = true, count+u.hi-u.lo, tokens+u.tokens
		}
	}
	for i := len(units) - 1; i >= 0; i-- { // what always stays
		if i == len(units)-1 || units[i].input {
			keep(&units[i])
		}
		if units[i].input {
			break
		}
	}
	for i := 0; i < len(units) && isHead(&msgs[units[i].lo]); i++ {
		keep(&units[i])
	}
	for i := 0; i < len(units) && units[i].lo < p.Pinned; i++ {
		if i == 0 || fits(&units[i]) {
			keep(&units[i])
		}
	}
	first := len(units) - 1
	for ; first > 0 && (units[first-1].keep || fits(&units[first-1])); first-- {
		keep(&units[first-1])
	}
	for p.WholeTurns && first > 0 && !units[first].input && slices.ContainsFunc(units[:first], func(u unit) bool { return u.input }) {
		first--
		keep(&units[first])
	}
	if count == len(msgs) {
		return msgs, 0
	}
	out := make([]chat.Message, 0, count)
	for _, u := range units {
		if u.keep {
			out = append(out, msgs[u.lo:u.hi]...)
		}
	}
	return out, len(msgs) - count
}
