package openaichat

import (
	"encoding/base64"
	"fmt"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// turn writes the content of one message out of the parts of several: texts are
// separated by a blank line, images stand between them.
type turn struct {
	e      *encoder
	array  bool // content is a list of parts instead of a string
	open   bool // a text is being written
	any    bool // something was written
	filled bool // the text being written has bytes
}

func (t *turn) text(s span.Text, first bool) {
	if s.Len() == 0 {
		return
	}
	if t.array && !t.open {
		if t.any {
			t.e.Raw(",")
		}
		t.e.Raw(`{"type":"text","text":"`)
		t.open, t.filled = true, false
	}
	if first && t.filled {
		t.e.Separator(prompt.DefaultSep)
	}
	t.e.Text(s)
	t.any, t.filled = true, true
}

func (t *turn) image(img *chat.Image) {
	t.close()
	if t.any {
		t.e.Raw(",")
	}
	t.e.Raw(`{"type":"image_url","image_url":{"url":"`)
	if img.URL != "" || len(img.Data) == 0 {
		t.e.Inside(img.URL, img.From, span.NoOffset)
	} else {
		lo := len(t.e.JSON)
		t.e.JSON = append(t.e.JSON, "data:"...)
		t.e.JSON = wire.AppendEscaped(t.e.JSON, img.MediaType)
		t.e.JSON = append(t.e.JSON, ";base64,"...)
		t.e.JSON = base64.StdEncoding.AppendEncode(t.e.JSON, img.Data)
		t.e.Marks = append(t.e.Marks, wire.Mark{Lo: lo, Hi: len(t.e.JSON), Off: span.NoOffset, From: img.From})
	}
	t.e.Raw(`"}}`)
	t.any = true
}

func (t *turn) close() {
	if t.array && t.open {
		t.e.Raw(`"}`)
		t.open = false
	}
}

// user writes one user message: the images of results before it, late system
// text, and one user message or, where turns alternate, several.
func (e *encoder) user(msgs []chat.Message, images []*chat.Image) {
	t := turn{e: e, array: len(images) > 0}
	for i := range msgs {
		for j := range msgs[i].Parts {
			t.array = t.array || msgs[i].Role != chat.Assistant && e.sendsImage(&msgs[i].Parts[j])
		}
	}
	e.begin()
	e.Raw(`{"role":"user","content":`)
	e.Raw(opening(t.array))
	for _, img := range images {
		t.image(img)
	}
	for i := range msgs {
		e.userParts(&t, &msgs[i])
	}
	t.close()
	if t.array {
		e.Raw("]}")
	} else {
		e.Raw(`"}`)
	}
	e.reportJoins(msgs)
}

func opening(array bool) string {
	if array {
		return "["
	}
	return `"`
}

func (e *encoder) sendsImage(p *chat.Part) bool {
	return p.Kind == chat.ImagePart && p.Image != nil && e.cap.Images
}

func (e *encoder) userParts(t *turn, m *chat.Message) {
	if m.Role == chat.Assistant {
		for i := range m.Parts {
			e.survey(m, &m.Parts[i])
		}
		e.leaveOut(m)
		return
	}
	first := true
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == chat.TextPart:
			t.text(p.Text, first)
			first = first && p.Text.Len() == 0
		case e.sendsImage(p):
			t.image(p.Image)
		case p.Kind == chat.ImagePart && p.Image != nil:
			e.dropImage(p.Image)
		default:
			e.unfit(m, p)
		}
	}
}

// reportJoins says which messages share a user message.
func (e *encoder) reportJoins(msgs []chat.Message) {
	users := 0
	for i := range msgs {
		switch msgs[i].Role {
		case chat.User:
			users++
		case chat.System:
			e.Lose(prompt.Info, wire.CodeMerged, "late system text is sent inside a user message", firstOrigin(&msgs[i]))
		}
	}
	if users > 1 {
		e.Lose(prompt.Info, wire.CodeMerged,
			fmt.Sprintf("%d user messages are sent as one: turns must alternate", users), firstOrigin(&msgs[0]))
	}
}

func firstOrigin(m *chat.Message) *span.Origin {
	for i := range m.Parts {
		if len(m.Parts[i].Text) > 0 {
			return m.Parts[i].Text[0].From
		}
	}
	return nil
}
