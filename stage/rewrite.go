package stage

import (
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// A piece is a part of a rewritten channel: a range of a section or separator
// that was there before, or new text.
type piece struct {
	// of says where the text is from: 2k for section k of those with text, 2k-1
	// for the separator before it, isNew for new text.
	of     int
	lo, hi int // bytes of that section or separator
	text   string
}

const isNew = -1

// align traces got back to the sections and separators of the channel.
func (e *textEdit) align(got string) []piece {
	origins := make([]span.Origin, 2*len(e.now)-1)
	index := make(map[*span.Origin]int, len(origins))
	old := make(span.Text, 0, len(origins))
	for k := range e.now {
		if k > 0 {
			old = append(old, span.Span{Text: sepOf(&e.now[k]), From: &origins[2*k-1]})
		}
		old = append(old, span.Span{Text: e.now[k].Text.String(), From: &origins[2*k]})
	}
	for i := range origins {
		index[&origins[i]] = i
	}
	spans := old.Reanchor(got, span.Origin{})
	out := make([]piece, len(spans))
	for i, s := range spans {
		p := piece{of: isNew, text: s.Text}
		if of, ok := index[s.From]; ok {
			p.of, p.lo, p.hi = of, int(s.Off), int(s.Off)+len(s.Text)
		}
		out[i] = p
	}
	return out
}

// rewrite distributes got to the sections. New text at either end that a blank
// line sets off from an old section is returned instead.
func (e *textEdit) rewrite(got string) (head, tail string) {
	pieces := e.align(got)
	if n := len(pieces); n > 1 {
		a, b := pieces[0], pieces[1]
		if a.of == isNew && b.of == 0 && b.lo == 0 && strings.HasSuffix(a.text, prompt.DefaultSep) {
			head, pieces = a.text, pieces[1:]
		}
	}
	if n := len(pieces); n > 1 {
		a, b, last := pieces[n-1], pieces[n-2], 2*(len(e.now)-1)
		if a.of == isNew && b.of == last && b.hi == e.now[last/2].Text.Len() && strings.HasPrefix(a.text, prompt.DefaultSep) {
			tail, pieces = a.text, pieces[:n-1]
		}
	}
	for _, g := range e.groups(pieces) {
		e.place(g)
	}
	return head, tail
}

// A group is a run of sections, first to last, that share the pieces between
// two separators which survived.
type group struct {
	first, last int
	sep         string // the separator before it; empty for the first group
	pieces      []piece
}

// groups cuts the pieces at the separators that are still whole. No group is
// without text: an empty section would not be rendered with its separator.
func (e *textEdit) groups(pieces []piece) []group {
	out := []group{{}}
	for i, p := range pieces {
		g := &out[len(out)-1]
		k := (p.of + 1) / 2
		boundary := p.of != isNew && p.of%2 == 1 && len(p.text) == len(sepOf(&e.now[k]))
		if !boundary || len(g.pieces) == 0 || i == len(pieces)-1 {
			g.pieces = append(g.pieces, p)
			continue
		}
		g.last = k - 1
		out = append(out, group{first: k, sep: p.text})
	}
	out[len(out)-1].last = len(e.now) - 1
	return out
}

// place gives the text of a group to one of its sections.
func (e *textEdit) place(g group) {
	owner, survivors := g.first, make([]bool, g.last-g.first+1)
	for i := len(g.pieces) - 1; i >= 0; i-- {
		if of := g.pieces[i].of; of >= 0 && of%2 == 0 {
			owner = of / 2
			survivors[owner-g.first] = true
		}
	}
	if len(g.pieces) == 1 && g.pieces[0].of == 2*owner && len(g.pieces[0].text) == e.now[owner].Text.Len() {
		e.drop(g, owner, survivors)
		e.separate(g, owner)
		return
	}
	text, trust := e.write(g, owner)
	e.drop(g, owner, survivors)
	s := &e.now[owner]
	s.Text = text
	if s.From == nil || s.Trust() < trust {
		from := span.Origin{Section: s.Name, Source: "stage"}
		if s.From != nil {
			from = *s.From
		}
		from.Trust = trust
		s.From = &from
	}
	if g.first < g.last && !survivors[owner-g.first] { // nothing is left of any of them
		s.Name, s.Doc = e.stage, nil
		s.From = e.origin(e.stage, trust)
	}
	e.separate(g, owner)
}

// separate sees to it that the separator before the group is rendered as before.
func (e *textEdit) separate(g group, owner int) {
	if s := &e.now[owner]; g.sep != "" && sepOf(s) != g.sep {
		setSep(s, g.sep)
	}
}

// drop empties the other sections of a group and hands what they demand of a
// composer to the owner of their text.
func (e *textEdit) drop(g group, owner int, survivors []bool) {
	s := &e.now[owner]
	for k := g.first; k <= g.last; k++ {
		o := &e.now[k]
		if k == owner {
			if !survivors[k-g.first] && g.first < g.last {
				e.note(*o, "its text was replaced")
			}
			continue
		}
		if survivors[k-g.first] {
			s.Class = max(s.Class, o.Class)
			s.Priority = max(s.Priority, o.Priority)
			s.Required = s.Required || o.Required
			s.Sole = s.Sole || o.Sole
			e.note(*o, "its text became part of the section "+s.Name)
		} else {
			e.note(*o, "its text was removed")
		}
		o.Text = nil
	}
}

// write returns the text of a group and the trust of the least trusted thing in
// it. New text is trusted like the section it stands in.
func (e *textEdit) write(g group, owner int) (span.Text, span.Trust) {
	trust := e.now[owner].Trust()
	for _, p := range g.pieces {
		switch {
		case p.of == isNew: // what is gone may live on in new words
			for k := g.first; k <= g.last; k++ {
				trust = max(trust, e.now[k].Trust())
			}
		case p.of%2 == 0:
			trust = max(trust, e.now[p.of/2].Trust())
		}
	}
	var by *span.Origin
	out := make(span.Text, 0, len(g.pieces))
	for _, p := range g.pieces {
		switch {
		case p.of == isNew:
			if by == nil {
				by = e.origin(e.now[owner].Name, trust)
			}
			out = append(out, span.Span{Text: p.text, From: by, Off: span.NoOffset})
		case p.of%2 == 1:
			out = append(out, span.Span{Text: p.text, From: lostSeparator, Off: span.NoOffset})
		default:
			out = append(out, e.now[p.of/2].Text.Slice(p.lo, p.hi)...)
		}
	}
	return out, trust
}

// lostSeparator is the origin of a separator that became part of a text.
var lostSeparator = span.Generated("separator")
