package stage

import (
	"slices"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

const headingSource = "generated:heading"

// Heading returns a stage that puts a heading in front of a channel: the text,
// a blank line, and what the channel holds. A channel that is empty or muted
// gets no heading. The heading is a section of its own, called "heading", of
// class stable; its span is from "generated:heading".
//
// The blank line replaces what stood in the Sep of the first section. A budget
// that runs later counts the heading and drops it with the last section that it
// introduces.
func Heading(ch prompt.Channel, text string) prompt.Stage {
	from := &span.Origin{Section: "heading", Source: headingSource, Stage: "heading"}
	heading := prompt.Section{
		Name: "heading", Channel: ch, Required: true, From: from, Text: span.OfGenerated(text, from),
	}
	return prompt.Stage{
		Name: "heading",
		Doc:  "puts a heading in front of the " + ch.String() + " channel if it has text",
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			first := slices.IndexFunc(a.Sections, func(s prompt.Section) bool { return s.Channel == ch && hasText(s) })
			if first < 0 || text == "" || a.Muted(ch) {
				return a, nil
			}
			out := make([]prompt.Section, 0, len(a.Sections)+1)
			out = append(out, a.Sections[:first]...)
			h := heading
			h.Order = a.Sections[first].Order
			out = append(out, h)
			out = append(out, a.Sections[first:]...)
			out[first+1].Sep = ""
			a.Sections = out
			return a, nil
		},
	}
}

func isHeading(s *prompt.Section) bool {
	return s.From != nil && s.From.Source == headingSource
}
