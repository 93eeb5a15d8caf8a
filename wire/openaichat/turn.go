package openaichat

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

var forms = dialect.Forms{
	Text:  `{"type":"text","text":"`,
	Image: [2]string{`{"type":"image_url","image_url":{"url":"`, `"}}`},
}

// user writes one user message: the images of results before it, late system
// text, and one user message or, where turns alternate, several. Its content is
// a string unless there are images.
func (e encoder) user(msgs []chat.Message, images []*chat.Image) {
	list := len(images) > 0
	for i := range msgs {
		for j := range msgs[i].Parts {
			list = list || msgs[i].Role != chat.Assistant && e.SendsImage(&msgs[i].Parts[j])
		}
	}
	e.Next()
	open, end := `{"role":"user","content":"`, `"}`
	if list {
		open, end = `{"role":"user","content":[`, "]}"
	}
	e.Raw(open)
	c := dialect.Content{E: e.Encoder, Forms: &forms, List: list}
	for _, img := range images {
		c.Image(img)
	}
	c.Users(msgs)
	e.Raw(end)
	e.ReportJoins(msgs)
}

// results writes one message per result, in the order of the calls. A result
// carries text only; its images follow as a user message.
func (e encoder) results(msgs []chat.Message) {
	var images []*chat.Image
	n := 0
	for ; n < len(msgs) && msgs[n].Role == chat.Tool; n++ {
		for i := range msgs[n].Parts {
			p := &msgs[n].Parts[i]
			if p.Kind != chat.ResultPart || p.Result == nil {
				e.Unfit(&msgs[n], p)
				continue
			}
			e.result(p.Result)
			for j := range p.Result.Images {
				if img := &p.Result.Images[j]; e.Shows(img) {
					images = append(images, img)
				} else {
					e.DropImage(img)
				}
			}
		}
	}
	if len(images) > 0 {
		e.Lose(prompt.Info, wire.CodeDowngraded, "images of tool results are sent as a user message", images[0].From)
	}
	if len(images) > 0 || n < len(msgs) {
		e.user(msgs[n:], images)
	}
}

func (e encoder) result(r *chat.ToolResult) {
	e.Next()
	e.Raw(`{"role":"tool","tool_call_id":`)
	e.Quoted(r.ID)
	e.Raw(`,"content":"`)
	e.Text(r.Text)
	e.Raw(`"}`)
}
