package deepseek

import (
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

func headingStage(ch prompt.Channel, text string) prompt.Stage {
	from := &span.Origin{Section: "heading", Source: "generated:heading", Stage: "heading"}
	head := []prompt.Head{{Channel: ch, Name: "heading", Text: span.OfGenerated(text, from)}}
	return prompt.Stage{Name: "heading", Local: true, Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
		a.Heads = head
		return a, nil
	}}
}
