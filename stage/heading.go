package stage

import (
	"slices"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// Heading returns a stage that puts a heading in front of a channel, as its
// [prompt.Head]: it is sent if the channel has any text, and what joins it to
// the first section is that section's separator, by default a blank line. A head
// that is there already is replaced; an empty text does nothing. The heading's
// span is from "generated:heading".
func Heading(ch prompt.Channel, text string) prompt.Stage {
	from := &span.Origin{Section: "heading", Source: "generated:heading", Stage: "heading"}
	heads := []prompt.Head{{Channel: ch, Name: "heading", Text: span.OfGenerated(text, from)}}
	return prompt.Stage{
		Name:  "heading",
		Doc:   "puts a heading in front of the " + ch.String() + " channel if it has text",
		Local: true,
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			i := headOf(a, ch)
			switch {
			case text == "" || i >= 0 && a.Heads[i].Text.Equal(heads[0].Text):
			case len(a.Heads) == 0:
				a.Heads = slices.Clip(heads)
			case i < 0:
				a.Heads = append(slices.Clip(a.Heads), heads[0])
			default:
				a.Heads = slices.Clone(a.Heads)
				a.Heads[i] = heads[0]
			}
			return a, nil
		},
	}
}

// headOf returns the place of a channel's head in a.Heads, or -1.
func headOf(a prompt.Assembly, ch prompt.Channel) int {
	return slices.IndexFunc(a.Heads, func(h prompt.Head) bool { return h.Channel == ch })
}
