package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

// A part is what a document could hold, and then what it does.
type part struct {
	doc   prompt.Doc
	place int        // among the documents
	file  *load.File // nil: there is only a list
	text  span.Text  // of the file
	list  *list      // nil: there is none
	end   bool       // the end of the text is kept, not the beginning
	bad   string     // why the text cannot be used; empty: it can

	cost  int // in tokens, with what a preset puts around it
	lost  string
	diags []prompt.Diagnostic
}

// fact makes the documents of a walk and keeps them within the budget.
func (w *walk) fact() prompt.Fact {
	f := prompt.Fact{Class: prompt.Session, Trust: span.Workspace, Diagnostics: slices.Clone(w.diags)}
	b := &purse{m: w.src.cfg.Count, size: w.src.cfg.MaxTokens, left: w.src.cfg.MaxTokens, around: w.src.cfg.Overhead}
	parts, hidden := w.parts()
	b.share(parts)
	if hidden > 0 {
		f.Diagnostics = append(f.Diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: "workspace.name", Path: w.path(w.home, ""),
			Message: fmt.Sprintf("%d files are not listed because of characters in their names that cannot be shown", hidden)})
	}
	slices.SortFunc(parts, func(a, c *part) int { return a.place - c.place })
	for _, p := range parts {
		if p.doc.Text = p.doc.Spans.String(); p.doc.Text != "" {
			f.Docs = append(f.Docs, p.doc)
		}
		if p.lost != "" {
			f.Notes = append(f.Notes, prompt.Note{Name: p.doc.Name, Path: p.doc.Path, Stage: Stage, Reason: p.lost})
			f.Diagnostics = append(f.Diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: "workspace.truncated", Path: p.doc.Path, Message: p.lost})
		}
		f.Diagnostics = append(f.Diagnostics, p.diags...)
	}
	f.None = f.Docs == nil
	return f
}

// The places of documents. Extra files follow.
const (
	placePersona = iota
	placeMemory
	placeNotes
	placeKnowledge
	placeExtra
)

// parts returns what there is, in the order in which it is kept when room is
// short.
func (w *walk) parts() (parts []*part, hidden int) {
	var memory, intro *part
	for i, f := range w.files {
		p := newPart("workspace:"+f.name, f.file)
		p.place = placeExtra + i
		switch f.name {
		case Persona:
			p.place = placePersona
		case Memory:
			p.place, p.end, memory = placeMemory, true, p
			if f.file.Partial {
				p.bad = fmt.Sprintf("it is longer than %d bytes, so its newest entries were not read", maxMemory)
			}
			continue
		case Intro:
			p.place, intro = placeKnowledge, p
			p.rename("workspace:" + Knowledge)
			continue
		}
		parts = append(parts, p)
	}
	docs, hidden := names(w.knowledge)
	notes, more := names(w.notes)
	if len(docs) > 0 {
		if intro == nil {
			intro = &part{place: placeKnowledge, doc: w.listDoc(Knowledge)}
		}
		intro.list = w.newList(Knowledge, "Knowledge files:", docs, false)
	}
	for _, p := range []*part{intro, memory} {
		if p != nil {
			parts = append(parts, p)
		}
	}
	if len(notes) > 0 {
		parts = append(parts, &part{place: placeNotes, doc: w.listDoc(Notes), list: w.newList(Notes, "Memory files:", notes, true)})
	}
	return parts, hidden + more
}

// newPart returns the part of a file.
func newPart(name string, f *load.File) *part {
	p := &part{file: f, diags: f.Diagnostics}
	p.doc = prompt.Doc{Path: f.Path, SHA256: f.SHA256, Class: prompt.Session, Trust: span.Workspace, Rule: homeRule}
	p.rename(name)
	return p
}

func (p *part) rename(name string) {
	p.doc.Name = name
	p.text = p.file.Spans(span.Origin{Section: name, Source: "file", Path: p.file.Path, Trust: span.Workspace})
}

// listDoc returns the document of a list without a file.
func (w *walk) listDoc(dir string) prompt.Doc {
	return prompt.Doc{Name: "workspace:" + dir, Path: w.path(w.home, dir), Class: prompt.Session, Trust: span.Workspace, Rule: homeRule}
}

// homeRule is why there is a document.
const homeRule = "it belongs to the agent's home"

// purse is what is left of the budget.
type purse struct {
	m      meter
	size   int
	left   int
	around int // what a preset spends around each document
}

// share gives each part its room. Room for a notice is kept for those behind, so
// that none is lost silently, unless notices would be half of all.
func (b *purse) share(parts []*part) {
	kept := make([]int, len(parts))
	sum := 0
	for i, p := range parts {
		notice := b.m(p.notice())
		if p.file != nil && p.bad == "" {
			notice = min(notice, b.m.atMost(p.text.String(), notice))
		}
		kept[i] = notice + b.around
		sum += kept[i]
	}
	if 2*sum > b.size {
		sum = 0
		clear(kept)
	}
	for i, p := range parts {
		sum -= kept[i]
		b.fit(p, b.left-sum-b.around)
		if len(p.doc.Spans) > 0 {
			p.cost += b.around
		}
		b.left -= p.cost
	}
}

// fit fills a document with what has at most room tokens.
func (b *purse) fit(p *part, room int) {
	if room <= 0 {
		p.lost = "no room" + b.budget()
		return
	}
	var list span.Text
	named := 0
	if p.list != nil {
		limit := min(b.size/4, room)
		if p.file != nil {
			limit = min(limit, room/2)
		}
		list, named = p.list.text(b.m, limit)
	}
	switch {
	case p.bad != "":
		p.lost = p.bad
	case p.file == nil && list != nil:
		p.doc.Spans = list
	case p.file == nil:
		p.lost = "no room" + b.budget()
	default:
		b.fill(p, list, room)
	}
	if p.doc.Spans == nil {
		b.announce(p, room)
		return
	}
	if p.list != nil && named < len(p.list.names) {
		if p.lost != "" {
			p.lost += "; "
		}
		p.lost += fmt.Sprintf("%d of %d names are listed", named, len(p.list.names))
	}
	p.cost = b.m(p.doc.Spans.String())
}

// fill puts the file's text and the list into a document, and cuts the text.
func (b *purse) fill(p *part, list span.Text, room int) {
	whole := under(p.text, list)
	if !p.file.Partial && b.m.atMost(whole.String(), room) <= room {
		p.doc.Spans = whole
		return
	}
	size := max(p.file.Size, int64(p.text.Len()))
	cut, which := b.m.cutHead, "first"
	if p.end {
		cut, which = b.m.cutTail, "last"
	}
	for limit := room - b.m(list.String()); limit > 0; {
		text, kept := cut(p.text, size, limit)
		if text == nil {
			break
		}
		out := under(text, list)
		over := b.m(out.String()) - room
		if over <= 0 {
			p.doc.Spans = out
			p.lost = fmt.Sprintf("kept the %s %d of %d bytes", which, kept, size) + b.budget()
			return
		}
		limit -= over // counts of parts do not add up exactly
	}
	p.lost = "left out" + b.budget()
	if out := under(mark(p.notice()), list); list != nil && b.m(out.String()) <= room {
		p.doc.Spans = out
	}
}

// under returns a text with a list below it, after a blank line.
func under(text, list span.Text) span.Text {
	switch {
	case list == nil:
		return text
	case strings.HasSuffix(text.String(), "\n"):
		return span.Concat(text, listed("\n"), list)
	}
	return span.Concat(text, listed("\n\n"), list)
}

// announce puts a notice in the place of a document.
func (b *purse) announce(p *part, room int) {
	text := mark(p.notice())
	if n := b.m(text.String()); n <= room {
		p.doc.Spans, p.cost = text, n
	}
}

func (b *purse) budget() string {
	return fmt.Sprintf("; the budget for workspace files is %d tokens", b.size)
}

// notice is what the model is told of a document that is left out.
func (p *part) notice() string {
	if p.file == nil {
		return fmt.Sprintf("[a list of %d files is left out: no room]", len(p.list.names))
	}
	return fmt.Sprintf("[left out: this file has %d bytes]", p.file.Size)
}
