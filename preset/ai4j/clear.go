package ai4j

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
)

// maxNamed is how many cleared results a note names.
const maxNamed = 16

// clear returns the history without the text of old results and without old
// reasoning, and what was left out. The history itself is not changed.
func (p projector) clear(history []chat.Message) ([]chat.Message, []string) {
	c := clearing{msgs: history}
	c.blank()
	if p.RecentResults != 0 {
		c.results(max(p.RecentResults, 0))
	}
	if p.ClearReasoning {
		c.reasoning()
	}
	return c.msgs, c.notes
}

type clearing struct {
	msgs   []chat.Message
	copied bool
	notes  []string
}

// parts returns the parts of a message for a change.
func (c *clearing) parts(i int) []chat.Part {
	if !c.copied {
		c.msgs, c.copied = slices.Clone(c.msgs), true
	}
	c.msgs[i].Parts = slices.Clone(c.msgs[i].Parts)
	return c.msgs[i].Parts
}

// blank leaves out a blank head, such as a summary that says nothing.
func (c *clearing) blank() {
	n := 0
	for n < len(c.msgs) && isHead(&c.msgs[n]) && len(c.msgs[n].Parts) == 1 && c.msgs[n].Text().IsBlank() {
		n++
	}
	if n > 0 {
		c.msgs = c.msgs[n:]
		c.notes = append(c.notes, fmt.Sprintf("%d blank messages at the head are not sent", n))
	}
}

func (c *clearing) results(recent int) {
	var names []string
	for i := len(c.msgs) - 1; i >= 0; i-- {
		for j := len(c.msgs[i].Parts) - 1; j >= 0; j-- {
			old := c.msgs[i].Parts[j].Result
			if old == nil {
				continue
			}
			if recent > 0 {
				recent--
				continue
			}
			name := old.ID
			if old.Name != "" {
				name = old.Name + "(" + old.ID + ")"
			}
			from := &span.Origin{Section: old.Name, Source: "generated:cleared", Stage: projectStage, Trust: span.Tool}
			c.parts(i)[j].Result = &chat.ToolResult{ID: old.ID, Name: old.Name, IsError: old.IsError,
				Text: span.OfGenerated("[tool result cleared: "+name+"]", from)}
			names = append(names, name)
		}
	}
	if n := len(names); n > 0 {
		slices.Reverse(names)
		if n > maxNamed {
			names = append(names[:maxNamed], fmt.Sprintf("and %d more", n-maxNamed))
		}
		c.notes = append(c.notes, "the texts of old results are not sent: "+strings.Join(names, ", "))
	}
}

// reasoning leaves out the reasoning before the last input, sealed or not. An
// answer of nothing else is left out with it.
func (c *clearing) reasoning() {
	last := len(c.msgs) - 1
	for last >= 0 && !isInput(&c.msgs[last]) {
		last--
	}
	n := 0
	for i := range max(last, 0) {
		if slices.ContainsFunc(c.msgs[i].Parts, isReasoning) {
			c.msgs[i].Parts = slices.DeleteFunc(c.parts(i), isReasoning)
			n++
		}
	}
	if n == 0 {
		return
	}
	c.msgs = slices.DeleteFunc(c.msgs, func(m chat.Message) bool { return m.Role == chat.Assistant && len(m.Parts) == 0 })
	c.notes = append(c.notes, fmt.Sprintf("the reasoning of %d earlier answers is not sent", n))
}

// isReasoning reports whether a part is reasoning, in a readable form or in that of
// a provider.
func isReasoning(p chat.Part) bool {
	if p.Kind != chat.OpaquePart || p.Opaque == nil {
		return p.Kind == chat.ReasoningPart
	}
	switch p.Opaque.Type {
	case "reasoning", "thinking", "redacted_thinking":
		return true
	}
	return false
}
