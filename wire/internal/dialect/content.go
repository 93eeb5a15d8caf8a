package dialect

import (
	"encoding/base64"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// Forms are the fixed bytes around the parts of a content list.
type Forms struct {
	Text  string    // before a text; `"}` follows it
	Image [2]string // before and behind the address of an image
}

// Content writes the content of one message out of the parts of several: texts
// are separated by a blank line, images stand between them. The brackets around
// it are written by the dialect.
type Content struct {
	E      *Encoder
	Forms  *Forms
	List   bool // content is a list of parts instead of a string
	open   bool // a text is being written
	any    bool // something was written
	filled bool // the text being written has bytes
}

// Any reports whether something was written.
func (c *Content) Any() bool { return c.any }

// Text writes a text. First says that it is the first of its message.
func (c *Content) Text(s span.Text, first bool) {
	if s.Len() == 0 {
		return
	}
	c.openText()
	if first && c.filled {
		c.E.Separator(prompt.DefaultSep)
	}
	c.E.Text(s)
	c.any, c.filled = true, true
}

func (c *Content) openText() {
	if c.List && !c.open {
		if c.any {
			c.E.Raw(",")
		}
		c.E.Raw(c.Forms.Text)
		c.open, c.filled = true, false
	}
}

// Image writes an image: its address, or its data as one.
func (c *Content) Image(img *chat.Image) {
	c.Close()
	if c.any {
		c.E.Raw(",")
	}
	c.E.Raw(c.Forms.Image[0])
	if img.URL != "" {
		c.E.Inside(img.URL, img.From, span.NoOffset)
	} else {
		lo := len(c.E.JSON)
		c.E.JSON = append(c.E.JSON, "data:"...)
		c.E.JSON = wire.AppendEscaped(c.E.JSON, img.MediaType)
		c.E.JSON = append(c.E.JSON, ";base64,"...)
		c.E.JSON = base64.StdEncoding.AppendEncode(c.E.JSON, img.Data)
		c.E.Marks = append(c.E.Marks, wire.Mark{Lo: lo, Hi: len(c.E.JSON), Off: span.NoOffset, From: img.From})
	}
	c.E.Raw(c.Forms.Image[1])
	c.any = true
}

// Close ends a text of a list.
func (c *Content) Close() {
	if c.List && c.open {
		c.E.Raw(`"}`)
		c.open = false
	}
}

// SendsImage reports whether a part is an image that the model can see.
func (e *Encoder) SendsImage(p *chat.Part) bool {
	return p.Kind == chat.ImagePart && p.Image != nil && e.Shows(p.Image)
}

// Shows reports whether an image has something to see, and the model sees it.
func (e *Encoder) Shows(img *chat.Image) bool {
	return e.Cap.Images && (img.URL != "" || len(img.Data) > 0)
}

// Users writes the texts and images of user messages and of the late system
// text among them; assistant messages among them are left out and reported.
func (c *Content) Users(msgs []chat.Message) {
	for i := range msgs {
		m := &msgs[i]
		if m.Role == chat.Assistant {
			for j := range m.Parts {
				if m.Parts[j].Kind != chat.TextPart {
					c.E.Unfit(m, &m.Parts[j])
				}
			}
			c.E.LeaveOut(m)
			continue
		}
		c.user(m)
	}
	c.Close()
}

func (c *Content) user(m *chat.Message) {
	first := true
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Kind == chat.TextPart:
			c.Text(p.Text, first)
			first = first && p.Text.Len() == 0
		case c.E.SendsImage(p):
			c.Image(p.Image)
		case p.Kind == chat.ImagePart && p.Image != nil:
			c.E.DropImage(p.Image)
		default:
			c.E.Unfit(m, p)
		}
	}
}
