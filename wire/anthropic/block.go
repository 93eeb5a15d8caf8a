package anthropic

import (
	"encoding/json"
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// A block is a turn: a run of assistant messages, or of all others. Messages
// with nothing to send belong to whatever turn they stand in.

// blockEnd returns the end of the turn that begins at message i.
func blockEnd(e *dialect.Encoder, i int) int {
	known, assistant := false, false
	for ; i < len(e.Msgs); i++ {
		m := &e.Msgs[i]
		if !sends(e.Cap, m) {
			continue
		}
		if side := m.Role == chat.Assistant; !known {
			known, assistant = true, side
		} else if side != assistant {
			break
		}
	}
	return i
}

// carries reports whether a message yields a block that can carry a breakpoint.
func carries(cap *wire.Capability, m *chat.Message) bool {
	for i := range m.Parts {
		switch p := &m.Parts[i]; p.Kind {
		case chat.TextPart:
			if m.Role != chat.Tool && !p.Text.IsBlank() {
				return true
			}
		case chat.ImagePart:
			if m.Role == chat.User && sendsImage(cap, p.Image) {
				return true
			}
		case chat.CallPart:
			if m.Role == chat.Assistant && p.Call != nil {
				return true
			}
		case chat.ResultPart:
			if m.Role == chat.Tool && p.Result != nil {
				return true
			}
		}
	}
	return false
}

// sends reports whether a message yields anything. Reasoning alone does not: a
// turn must not end in it.
func sends(cap *wire.Capability, m *chat.Message) bool {
	if carries(cap, m) {
		return true
	}
	for i := range m.Parts {
		if m.Role == chat.Assistant && standsAlone(&m.Parts[i]) {
			return true
		}
	}
	return false
}

func sendsImage(cap *wire.Capability, img *chat.Image) bool {
	return cap.Images && img != nil && (img.URL != "" || len(img.Data) > 0)
}

// replays reports whether a part is a payload of this protocol.
func replays(p *chat.Part) bool {
	return p.Kind == chat.OpaquePart && p.Opaque != nil && p.Opaque.Provider == Name
}

// standsAlone reports whether a part is a payload that may be all of a turn, or
// its end.
func standsAlone(p *chat.Part) bool {
	return replays(p) && !isThinking(p.Opaque) && isObject(p.Opaque.JSON)
}

func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' && json.Valid(raw) }

// isThinking reports whether a payload is signed reasoning, readable or not.
func isThinking(o *chat.Opaque) bool { return o.Type == "thinking" || o.Type == "redacted_thinking" }

// block writes messages lo to hi.
func block(e *dialect.Encoder, lo, hi int) {
	e.Own.(*plan).ids.start(e, lo)
	for i := lo; i < hi; i++ {
		if sends(e.Cap, &e.Msgs[i]) {
			if e.Msgs[i].Role == chat.Assistant {
				assistantTurn(e, lo, hi)
				return
			}
			break
		}
	}
	userTurn(e, lo, hi)
}

// userTurn writes one user message, and behind it the late system text that
// follows the last of what joins it, if the model takes that where it stands.
func userTurn(e *dialect.Encoder, lo, hi int) {
	end := hi
	if e.Cap.LateSystem != wire.LateReminder {
		end = lateFrom(e, lo, hi)
	}
	t := turn{e: e, role: "user"}
	t.messages(lo, end)
	t.close()
	report(e, lo, end, chat.User)
	late := turn{e: e, role: "system"}
	late.messages(end, hi)
	late.close()
}

// lateFrom returns where the system text begins that ends a user turn: hi, if the
// turn is nothing else.
func lateFrom(e *dialect.Encoder, lo, hi int) int {
	for i := hi - 1; i >= lo; i-- {
		if m := &e.Msgs[i]; m.Role != chat.System && m.Role != chat.Assistant && sends(e.Cap, m) {
			return i + 1
		}
	}
	return hi
}

func assistantTurn(e *dialect.Encoder, lo, hi int) {
	t := turn{e: e, role: "assistant"}
	t.messages(lo, hi)
	t.close()
	report(e, lo, hi, chat.Assistant)
}

// report says which messages of a role share a message, and which late system
// text joins them.
func report(e *dialect.Encoder, lo, hi int, role chat.Role) {
	n, first := 0, lo
	for i := lo; i < hi; i++ {
		m := &e.Msgs[i]
		switch {
		case !sends(e.Cap, m):
		case m.Role == role:
			if n++; n == 1 {
				first = i
			}
		case m.Role == chat.System:
			e.Lose(prompt.Info, wire.CodeMerged, "late system text is sent inside a user message", dialect.FirstOrigin(m))
		}
	}
	if n > 1 {
		e.Lose(prompt.Info, wire.CodeMerged,
			fmt.Sprintf("%d %s messages are sent as one: turns must alternate", n, role), dialect.FirstOrigin(&e.Msgs[first]))
	}
}
