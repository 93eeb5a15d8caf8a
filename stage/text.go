package stage

import (
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// Text returns a stage that hands a whole channel, as one string, to f and puts
// what f returns in its place. Afterwards the channel renders to exactly the
// string that f returned.
//
// Text that f added before or behind everything else becomes a section called
// name, of class session and trust builtin; the blank line, line end or space
// that joins it to its neighbour becomes the separator. An addition that nothing
// separates extends the section beside it. Any other change is traced line by
// line: lines that f left alone keep their origin and their section, and what
// changed gets the stage as its origin and the trust of the section it stands
// in. Where the boundary between two sections is lost they become one, the first
// of them whose text is still there, and a note says so. Returning "" empties
// the channel.
//
// The channel's head is part of the text that f is given, unless the channel is
// empty. A head that f left in front stays one; otherwise it becomes a section.
//
// A muted channel is left alone and f is not called. An error of f ends the
// assembly, unless it is of type [prompt.Faults].
//
// The stage is marked PerStep, since f sees the turn and the step; set the field
// to false if f looks at neither. References in template sections are best
// interpolated before.
func Text(name string, ch prompt.Channel, f func(in prompt.Input, text string) (string, error)) prompt.Stage {
	return prompt.Stage{
		Name:    name,
		Doc:     "transforms the text of the " + ch.String() + " channel",
		PerStep: true,
		Apply: func(in prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			if a.Muted(ch) {
				return a, nil
			}
			old := a.Render(ch)
			got, err := f(in, old)
			if err != nil || got == old {
				return a, err
			}
			e := textEdit{stage: name, channel: ch, was: a, notes: slices.Clip(a.Notes)}
			e.edit(old, got)
			return e.result(), nil
		},
	}
}

// textEdit is one change of a channel's text. It collects the sections that the
// channel has afterwards.
type textEdit struct {
	stage   string
	channel prompt.Channel
	was     prompt.Assembly
	// now holds, for each section that had text, what became of it; those that
	// are gone have no text.
	now        []prompt.Section
	head, tail *prompt.Section // new sections at the ends, or nil
	notes      []prompt.Note
	heads      []prompt.Head // as they were, if the channel's head became a section
}

// edit decides what f did and fills the fields.
func (e *textEdit) edit(old, got string) {
	for i := range e.was.Sections {
		if s := e.was.Sections[i]; s.Channel == e.channel && s.Text.Len() > 0 {
			e.now = append(e.now, s)
		}
	}
	e.behead()
	switch {
	case old == "":
		e.tail = e.section(got)
	case got == "":
		for i := range e.now {
			e.now[i].Text = nil
			e.note(e.now[i], "the channel was emptied")
		}
	default:
		head, tail, ok := additions(old, got)
		if !ok {
			head, tail = e.rewrite(got)
		}
		e.prepend(head)
		e.append(tail)
	}
}

// additions reports whether got is old with text before or behind it.
func additions(old, got string) (head, tail string, ok bool) {
	if tail, ok = strings.CutPrefix(got, old); ok {
		return "", tail, true
	}
	if head, ok = strings.CutSuffix(got, old); ok {
		return head, "", true
	}
	// Text on both sides must be set off by white space: a short old text may
	// well occur inside a word of another one.
	if i := strings.Index(got, old); i >= 0 {
		head, tail = got[:i], got[i+len(old):]
		return head, tail, trailing(head) != "" && leading(tail) != ""
	}
	return "", "", false
}

// prepend adds text before everything else.
func (e *textEdit) prepend(head string) {
	if head == "" {
		return
	}
	first := &e.now[slices.IndexFunc(e.now, hasText)]
	sep := sepOf(first)
	if !strings.HasSuffix(head, sep) {
		sep = trailing(head)
	}
	text := head[:len(head)-len(sep)]
	if sep == "" || strings.TrimSpace(text) == "" {
		first.Text = span.Concat(span.OfGenerated(head, e.origin(first.Name, span.Builtin)), first.Text)
		return
	}
	setSep(first, sep)
	e.head = e.section(text)
	e.head.Order = first.Order
}

// append adds text behind everything else.
func (e *textEdit) append(tail string) {
	if tail == "" {
		return
	}
	n := len(e.now) - 1
	for !hasText(e.now[n]) {
		n--
	}
	last := &e.now[n]
	sep := leading(tail)
	text := tail[len(sep):]
	if sep == "" || strings.TrimSpace(text) == "" {
		last.Text = span.Concat(last.Text, span.OfGenerated(tail, e.origin(last.Name, span.Builtin)))
		return
	}
	e.tail = e.section(text)
	e.tail.Order = last.Order
	setSep(e.tail, sep)
}

// section returns a new section that belongs to the stage.
func (e *textEdit) section(text string) *prompt.Section {
	from := e.origin(e.stage, span.Builtin)
	return &prompt.Section{
		Name: e.stage, Channel: e.channel, Class: prompt.Session,
		Text: span.OfGenerated(text, from), From: from,
	}
}

func (e *textEdit) origin(section string, t span.Trust) *span.Origin {
	return &span.Origin{Section: section, Source: "stage", Stage: e.stage, Trust: t}
}

func (e *textEdit) note(s prompt.Section, reason string) {
	e.notes = append(e.notes, prompt.Note{Name: s.Name, Path: path(s.From), Stage: e.stage, Reason: reason, From: s.From})
}

// result puts the channel's sections back among the others. Sections that had no
// text keep their places.
func (e *textEdit) result() prompt.Assembly {
	a := e.was
	first, last := channelRange(a.Sections, e.channel)
	out := make([]prompt.Section, 0, len(a.Sections)+2)
	next := 0
	for i := 0; ; i++ {
		if i == first && e.head != nil {
			out = append(out, *e.head)
		}
		if i == last && e.tail != nil {
			out = append(out, *e.tail)
		}
		if i == len(a.Sections) {
			break
		}
		s := a.Sections[i]
		if s.Channel == e.channel && s.Text.Len() > 0 {
			s = e.now[next]
			next++
			if !hasText(s) {
				continue
			}
		}
		out = append(out, s)
	}
	a.Sections, a.Notes = out, e.notes
	return e.rehead(a)
}

// channelRange returns where a channel's sections begin and end in a list, or
// twice the place where they would stand.
func channelRange(sections []prompt.Section, ch prompt.Channel) (first, end int) {
	for i := range sections {
		if sections[i].Channel == ch {
			if end == 0 {
				first = i
			}
			end = i + 1
		}
	}
	if end > 0 {
		return first, end
	}
	at := slices.IndexFunc(sections, func(s prompt.Section) bool { return s.Channel > ch })
	if at < 0 {
		at = len(sections)
	}
	return at, at
}

func hasText(s prompt.Section) bool { return s.Text.Len() > 0 }

// sepOf returns what stands before the section if another precedes it.
func sepOf(s *prompt.Section) string {
	if s.Sep == "" {
		return prompt.DefaultSep
	}
	return s.Sep
}

func setSep(s *prompt.Section, sep string) {
	if sep == prompt.DefaultSep {
		sep = ""
	}
	s.Sep = sep
}

// leading returns the white space at the start of a text that can serve as a
// separator: a blank line, or else all line ends, or else all blanks.
func leading(s string) string {
	if strings.HasPrefix(s, prompt.DefaultSep) {
		return prompt.DefaultSep
	}
	for _, set := range [...]string{"\r\n", " \t"} {
		if rest := strings.TrimLeft(s, set); len(rest) < len(s) {
			return s[:len(s)-len(rest)]
		}
	}
	return ""
}

// trailing is leading for the end of a text.
func trailing(s string) string {
	if strings.HasSuffix(s, prompt.DefaultSep) {
		return prompt.DefaultSep
	}
	for _, set := range [...]string{"\r\n", " \t"} {
		if rest := strings.TrimRight(s, set); len(rest) < len(s) {
			return s[len(rest):]
		}
	}
	return ""
}
