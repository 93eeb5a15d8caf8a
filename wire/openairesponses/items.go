package openairesponses

import (
	"strconv"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire/internal/dialect"
)

var forms = dialect.Forms{
	Text:  `{"type":"input_text","text":"`,
	Image: [2]string{`{"type":"input_image","detail":"auto","image_url":"`, `"}`},
}

// openText begins a message of one text; closeText ends it.
func (e encoder) openText(role string) {
	e.Next()
	e.Raw(`{"type":"message","role":"`)
	e.Raw(role)
	e.Raw(`","content":[`)
	e.Raw(forms.Text)
}

const closeText = `"}]}`

// user writes one user message: late system text, and one user message or,
// where turns alternate, several.
func (e encoder) user(msgs []chat.Message) {
	e.Next()
	e.Raw(`{"type":"message","role":"user","content":[`)
	c := dialect.Content{E: e.Encoder, Forms: &forms, List: true}
	c.Users(msgs)
	if !c.Any() {
		e.Raw(forms.Text)
		e.Raw(`"}`)
	}
	e.Raw("]}")
	e.ReportJoins(msgs)
}

// results writes one item per result, in the order of the calls.
func (e encoder) results(msgs []chat.Message) {
	for i := range msgs {
		for j := range msgs[i].Parts {
			p := &msgs[i].Parts[j]
			if p.Kind != chat.ResultPart || p.Result == nil {
				e.Unfit(&msgs[i], p)
				continue
			}
			e.result(p.Result)
		}
	}
}

// result writes the output of a call: a string, or a list if it has images.
func (e encoder) result(r *chat.ToolResult) {
	e.Next()
	e.Raw(`{"type":"function_call_output","call_id":`)
	e.Quoted(r.ID)
	e.Raw(`,"output":`)
	var images []*chat.Image
	for i := range r.Images {
		if img := &r.Images[i]; e.Shows(img) {
			images = append(images, img)
		} else {
			e.DropImage(img)
		}
	}
	if len(images) == 0 {
		e.Raw(`"`)
		e.Text(r.Text)
		e.Raw(`"}`)
		return
	}
	e.Raw("[")
	c := dialect.Content{E: e.Encoder, Forms: &forms, List: true}
	c.Text(r.Text, true)
	for _, img := range images {
		c.Image(img)
	}
	c.Close()
	e.Raw("]}")
}

// answer writes the items of one assistant turn.
type answer struct {
	encoder
	at    int    // the turn's place in the conversation
	texts int    // messages written
	open  bool   // a message is being written
	phase string // of the next message, as JSON; empty: none
}

// assistant writes the items of an assistant turn in the order of its parts:
// texts that follow each other are one message.
func (e encoder) assistant(lo, hi int) {
	msgs := e.Msgs[lo:hi]
	empty := true
	for i := range msgs {
		empty = empty && isEmpty(&msgs[i])
	}
	if empty {
		for i := range msgs {
			for j := range msgs[i].Parts {
				if p := &msgs[i].Parts[j]; p.Kind != chat.TextPart {
					e.Unfit(&msgs[i], p)
				}
			}
		}
		e.LeaveOut(&msgs[0])
		return
	}
	a := answer{encoder: e, at: lo}
	for i := range msgs {
		a.message(&msgs[i])
	}
	a.close()
	e.ReportAnswers(msgs)
}

func (a *answer) message(m *chat.Message) {
	first := true
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == chat.TextPart:
			if p.Text.Len() > 0 {
				a.text(p.Text, first)
				first = false
			}
		case p.Kind == chat.CallPart && p.Call != nil:
			a.call(p.Call)
		case p.Kind == chat.OpaquePart && p.Opaque != nil && p.Opaque.Provider == Name:
			a.opaque(p.Opaque)
		default:
			a.Unfit(m, p)
		}
	}
}

// text writes text of the model. Its form is that of a message that the provider
// wrote itself, which must have an id: it is made of the place.
func (a *answer) text(t span.Text, first bool) {
	if a.open {
		if first {
			a.Separator(prompt.DefaultSep)
		}
		a.Text(t)
		return
	}
	a.Next()
	a.Raw(`{"type":"message","id":"msg_`)
	a.Int(a.at)
	if a.texts++; a.texts > 1 {
		a.Raw("_" + strconv.Itoa(a.texts))
	}
	a.Raw(`","status":"completed","role":"assistant"`)
	if a.phase != "" {
		a.Raw(`,"phase":` + a.phase)
		a.phase = ""
	}
	a.Raw(`,"content":[{"type":"output_text","text":"`)
	a.open = true
	a.Text(t)
}

func (a *answer) close() {
	if a.open {
		a.Raw(`","annotations":[],"logprobs":[]}]}`)
		a.open = false
	}
}

func (a *answer) call(c *chat.ToolCall) {
	a.close()
	a.Next()
	a.Raw(`{"type":"function_call","call_id":`)
	a.Quoted(c.ID)
	a.Raw(`,"name":"`)
	a.Inside(c.Name, c.From, span.NoOffset)
	a.Raw(`","arguments":"`)
	a.Inside(a.Args(c), c.From, span.NoOffset)
	a.Raw(`"}`)
}
