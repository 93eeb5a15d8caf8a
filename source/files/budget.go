package files

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

// fact makes the documents of a walk and keeps them within the budget.
func (w *walk) fact(budget int) prompt.Fact {
	f := prompt.Fact{Class: prompt.Session, Trust: span.User} // each document says its own
	b := &purse{size: budget, left: budget}
	groups := make([]group, len(w.docs))
	for i := range slices.Backward(w.docs) { // the nearest first
		groups[i] = b.group(w, &w.docs[i])
	}
	f.Notes = slices.Clone(w.notes)
	f.Diagnostics = slices.Clone(w.diags)
	for _, g := range groups {
		f.Docs = append(f.Docs, g.docs...)
		f.Notes = append(f.Notes, g.notes...)
		f.Diagnostics = append(f.Diagnostics, g.diags...)
	}
	f.None = f.Docs == nil
	return f
}

// purse is what is left of a budget.
type purse struct{ size, left int }

// group is a file with the documents that its imports led to.
type group struct {
	docs  []prompt.Doc
	notes []prompt.Note
	diags []prompt.Diagnostic
}

// group makes the documents of one file as far as the budget reaches.
func (b *purse) group(w *walk, d *found) group {
	var g group
	text, x := w.expand(d, b.left)
	parts := []part{{d.file, d.name, d.aliases, text, w.cfg.rule(d.dir)}}
	for _, k := range x.blocks {
		parts = append(parts, part{file: k.file, name: k.name, text: k.text, rule: "imported by " + d.name + " inside a line"})
	}
	for i, p := range parts {
		unread := 0
		if i == len(parts)-1 {
			unread = x.unread
		}
		doc, report := p.doc(b.left, d.trust, unread)
		if report != nil {
			g.diags = append(g.diags, *report)
		}
		if doc.Text == "" {
			reason := "it says nothing"
			if report != nil {
				reason = fmt.Sprintf("no room in the budget of %d bytes", b.size)
			}
			g.notes = append(g.notes, prompt.Note{Name: p.name, Path: p.file.Path, Stage: Stage, Reason: reason})
			continue
		}
		b.left -= len(doc.Text)
		g.docs = append(g.docs, doc)
	}
	g.diags = append(g.diags, d.file.Diagnostics...)
	g.diags = append(g.diags, x.diags...)
	return g
}

// rule says why a file of a directory is taken.
func (c *Config) rule(dir string) string {
	where := dir
	switch dir {
	case "":
		return "the user's own instruction file"
	case ".":
		where = "the project's root"
	}
	which := "the first of "
	if c.LoadAll {
		which = "each of "
	}
	return which + strings.Join(c.names(), ", ") + " in " + where + " that is not blank"
}

// part is a document before the budget.
type part struct {
	file    *load.File
	name    string
	aliases []string
	text    span.Text
	rule    string
}

// doc makes the document, cut to at most room bytes. The diagnostic says what was
// cut, if anything was; unread is how many imports there was no room for.
func (p *part) doc(room int, trust span.Trust, unread int) (prompt.Doc, *prompt.Diagnostic) {
	doc := prompt.Doc{
		Name:    p.name,
		Path:    p.file.Path,
		Aliases: p.aliases,
		SHA256:  p.file.SHA256,
		Class:   prompt.Session,
		Trust:   trust,
		Rule:    p.rule,
	}
	text := p.text.String()
	if !p.file.Partial && len(text) <= room && unread == 0 {
		doc.Text, doc.Spans = text, p.text
		return doc, nil
	}
	size := int64(len(text))
	if p.file.Partial {
		size = max(size, p.file.Size)
	}
	kept, mark := cut(text, room, size)
	report := &prompt.Diagnostic{
		Severity: prompt.Warning,
		Code:     "doc.truncated",
		Path:     p.file.Path,
		Line:     1 + strings.Count(text[:kept], "\n"),
		Message:  fmt.Sprintf("kept %d of %d bytes; %d were left of the budget for instruction files", kept, size, max(room, 0)),
	}
	if unread > 0 {
		report.Message += fmt.Sprintf("; %d imports were not read", unread)
	}
	if kept == 0 {
		return doc, report
	}
	by := &span.Origin{Section: p.name, Source: "generated:truncated", Path: p.file.Path, Trust: span.Builtin}
	doc.Text = text[:kept] + mark
	doc.Spans = anchor(append(p.text.Slice(0, kept), span.Span{Text: mark, From: by, Off: span.NoOffset}), doc.Text)
	return doc, report
}

// cut returns how many bytes of s are kept so that they and the mark after them
// fit into room: up to the end of a line if one ends there, else of a character.
func cut(s string, room int, size int64) (kept int, mark string) {
	kept = min(room-len(marker(room, size)), len(s))
	if kept <= 0 {
		return 0, ""
	}
	if kept < len(s) {
		if i := strings.LastIndexByte(s[:kept], '\n'); i > 0 {
			kept = i + 1
		}
		for kept > 0 && kept < len(s) && !utf8.RuneStart(s[kept]) {
			kept--
		}
	}
	if strings.TrimSpace(s[:kept]) == "" {
		return 0, ""
	}
	mark = marker(kept, size)
	if s[kept-1] == '\n' {
		mark = mark[1:]
	}
	return kept, mark
}

// marker is what the model is told about a cut, on a line of its own.
func marker(kept int, size int64) string {
	return fmt.Sprintf("\n[cut here: the first %d of %d bytes of this file are shown]\n", kept, size)
}

// anchor makes spans share the bytes of s, which they read as.
func anchor(t span.Text, s string) span.Text {
	at := 0
	for i := range t {
		n := len(t[i].Text)
		t[i].Text = s[at : at+n]
		at += n
	}
	return t
}
