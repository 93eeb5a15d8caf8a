package stage

import (
	"slices"

	"github.com/proemhq/proem/prompt"
)

// behead makes the channel's head a section, if it is sent: f may have changed
// it like any other text.
func (e *textEdit) behead() {
	i := headOf(e.was, e.channel)
	if i < 0 {
		return
	}
	h, heads := e.was.Heads[i], e.was.Heads
	e.was.Heads = slices.Delete(slices.Clone(heads), i, i+1)
	if len(e.now) == 0 { // with text from f alone, the head would be sent as well
		e.note(prompt.Section{Name: h.Name, From: h.Text[0].From}, "the channel was empty; the stage's text is all of it now")
		return
	}
	title := prompt.Section{Name: h.Name, Channel: e.channel, Required: true, Text: h.Text, From: h.Text[0].From, Order: e.now[0].Order}
	at := slices.IndexFunc(e.was.Sections, func(s prompt.Section) bool { return s.Channel == e.channel && hasText(s) })
	e.was.Sections = slices.Insert(slices.Clone(e.was.Sections), at, title)
	e.heads = heads
	e.now = slices.Insert(e.now, 0, title)
}

// rehead makes the section a head again, if it is as it was, still stands in
// front, and has something to introduce.
func (e *textEdit) rehead(a prompt.Assembly) prompt.Assembly {
	if e.heads == nil || e.head != nil || !e.now[0].Text.Equal(e.heads[headOf(prompt.Assembly{Heads: e.heads}, e.channel)].Text) {
		return a
	}
	inChannel := func(s prompt.Section) bool { return s.Channel == e.channel && hasText(s) }
	i := slices.IndexFunc(a.Sections, inChannel)
	if slices.ContainsFunc(a.Sections[i+1:], inChannel) {
		a.Sections, a.Heads = slices.Delete(a.Sections, i, i+1), e.heads
	}
	return a
}
