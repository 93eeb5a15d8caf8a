package openaichat

import (
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// A block is a run of messages that is encoded as a whole: a user turn with all
// that joins it, an assistant turn, or the results of one assistant turn.

// blockEnd returns the end of the block that begins at message i.
func (e *encoder) blockEnd(i int) int {
	switch m := &e.msgs[i]; m.Role {
	case chat.Assistant:
		return e.assistantEnd(i)
	case chat.Tool:
		end, images := i, false
		for end < len(e.msgs) && e.msgs[end].Role == chat.Tool {
			images = images || hasResultImages(&e.msgs[end])
			end++
		}
		if images && e.cap.Images && !e.cap.ConsecutiveUser {
			return e.userEnd(end)
		}
		return end
	default:
		if e.isLate(m) {
			return i + 1
		}
		return e.userEnd(i)
	}
}

// assistantEnd joins assistant messages where turns must alternate. Tool calls
// end a turn: their results follow.
func (e *encoder) assistantEnd(i int) int {
	end := i + 1
	for !e.cap.ConsecutiveUser && end < len(e.msgs) &&
		e.msgs[end].Role == chat.Assistant && !hasCalls(&e.msgs[end-1]) {
		end++
	}
	return end
}

// userEnd returns the end of a user turn: late system text joins the user
// message behind it, and where turns must alternate all neighbours join, also
// across an assistant message that is left out.
func (e *encoder) userEnd(i int) int {
	for i < len(e.msgs) {
		m := &e.msgs[i]
		user := m.Role == chat.User
		switch {
		case user, m.Role == chat.System && !e.isLate(m):
		case m.Role == chat.Assistant && !e.cap.ConsecutiveUser && isEmpty(m):
		default:
			return i
		}
		i++
		if user && e.cap.ConsecutiveUser {
			break
		}
	}
	return i
}

// isLate reports whether a message is system text that stands where it is.
func (e *encoder) isLate(m *chat.Message) bool {
	return m.Role == chat.System && e.cap.LateSystem != wire.LateReminder
}

// isEmpty reports whether an assistant message holds nothing that can be sent.
func isEmpty(m *chat.Message) bool { return textLen(m) == 0 && !hasCalls(m) }

func hasCalls(m *chat.Message) bool {
	for i := range m.Parts {
		if m.Parts[i].Kind == chat.CallPart && m.Parts[i].Call != nil {
			return true
		}
	}
	return false
}

func hasResultImages(m *chat.Message) bool {
	for i := range m.Parts {
		if r := m.Parts[i].Result; r != nil && len(r.Images) > 0 {
			return true
		}
	}
	return false
}

// block writes messages lo to hi.
func (e *encoder) block(lo, hi int) {
	switch m := &e.msgs[lo]; m.Role {
	case chat.Assistant:
		e.assistant(e.msgs[lo:hi])
	case chat.Tool:
		e.results(e.msgs[lo:hi])
	default:
		if e.isLate(m) {
			e.late(m)
			return
		}
		e.user(e.msgs[lo:hi], nil)
	}
}

func (e *encoder) late(m *chat.Message) {
	role := "system"
	if e.cap.LateSystem == wire.LateDeveloper {
		role = "developer"
	}
	e.openMessage(role)
	for i := range m.Parts {
		if m.Parts[i].Kind == chat.TextPart {
			e.Text(m.Parts[i].Text)
		} else {
			e.unfit(m, &m.Parts[i])
		}
	}
	e.Raw(`"}`)
}

// results writes one message per result, in the order of the calls. A result
// carries text only; its images follow as a user message.
func (e *encoder) results(msgs []chat.Message) {
	var images []*chat.Image
	n := 0
	for ; n < len(msgs) && msgs[n].Role == chat.Tool; n++ {
		for i := range msgs[n].Parts {
			p := &msgs[n].Parts[i]
			if p.Kind != chat.ResultPart || p.Result == nil {
				e.unfit(&msgs[n], p)
				continue
			}
			e.result(p.Result)
			for j := range p.Result.Images {
				images = append(images, &p.Result.Images[j])
			}
		}
	}
	if len(images) > 0 {
		images = e.resultImages(images)
	}
	if len(images) > 0 || n < len(msgs) {
		e.user(msgs[n:], images)
	}
}

func (e *encoder) result(r *chat.ToolResult) {
	e.begin()
	e.Raw(`{"role":"tool","tool_call_id":`)
	e.Quoted(r.ID)
	e.Raw(`,"content":"`)
	e.Text(r.Text)
	e.Raw(`"}`)
}

// resultImages reports what becomes of images in results.
func (e *encoder) resultImages(images []*chat.Image) []*chat.Image {
	if !e.cap.Images {
		for _, img := range images {
			e.dropImage(img)
		}
		return nil
	}
	e.Lose(prompt.Info, wire.CodeDowngraded, "images of tool results are sent as a user message", images[0].From)
	return images
}

func (e *encoder) dropImage(img *chat.Image) {
	e.Lose(prompt.Warning, wire.CodeDropped, "an image is not sent: this model is not known to see images", img.From)
}

// unfit reports a part that its message cannot carry.
func (e *encoder) unfit(m *chat.Message, p *chat.Part) {
	var from *span.Origin
	what := p.Kind.String()
	sev := prompt.Warning
	switch {
	case p.Kind == chat.ReasoningPart:
		sev = prompt.Info
		if len(p.Text) > 0 {
			from = p.Text[0].From
		}
	case p.Opaque != nil:
		sev = prompt.Info
		from, what = p.Opaque.From, fmt.Sprintf("%s payload of %s", p.Opaque.Type, p.Opaque.Provider)
	case p.Image != nil:
		from = p.Image.From
	case p.Call != nil:
		from = p.Call.From
	}
	e.Lose(sev, wire.CodeDropped, fmt.Sprintf("%s in a message of role %s is not sent", what, m.Role), from)
}
