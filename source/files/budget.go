package files

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// fact makes the documents of a walk and keeps them within the budget.
func (w *walk) fact(budget int) prompt.Fact {
	f := prompt.Fact{Class: prompt.Session, Trust: span.User}
	f.Notes = slices.Clone(w.notes)
	f.Diagnostics = slices.Clone(w.diags)
	left := budget
	var docs []prompt.Doc
	for _, d := range slices.Backward(w.docs) { // the nearest first
		f.Trust = max(f.Trust, d.trust)
		doc, report := d.doc(left)
		if report != nil {
			f.Diagnostics = append(f.Diagnostics, *report)
		}
		if doc.Text == "" {
			f.Notes = append(f.Notes, prompt.Note{Name: d.name, Path: d.file.Path, Stage: Stage,
				Reason: fmt.Sprintf("no room in the budget of %d bytes", budget)})
			continue
		}
		left -= len(doc.Text)
		docs = append(docs, doc)
	}
	for _, d := range w.docs {
		f.Diagnostics = append(f.Diagnostics, d.file.Diagnostics...)
	}
	slices.Reverse(docs)
	f.Docs, f.None = docs, docs == nil
	return f
}

// doc makes the document of a file, cut to at most room bytes. The diagnostic
// says what was cut, if anything was.
func (d *found) doc(room int) (prompt.Doc, *prompt.Diagnostic) {
	f := d.file
	doc := prompt.Doc{
		Name:    d.name,
		Path:    f.Path,
		Aliases: d.aliases,
		SHA256:  f.SHA256,
		Class:   prompt.Session,
		Trust:   d.trust,
	}
	from := span.Origin{Section: d.name, Source: "file", Path: f.Path, Trust: d.trust}
	if !f.Partial && len(f.Text) <= room {
		doc.Text, doc.Spans = f.Text, f.Spans(from)
		return doc, nil
	}
	size := int64(len(f.Text))
	if f.Partial {
		size = f.Size
	}
	kept, mark := cut(f.Text, room, size)
	report := &prompt.Diagnostic{
		Severity: prompt.Warning,
		Code:     "doc.truncated",
		Path:     f.Path,
		Line:     1 + strings.Count(f.Text[:kept], "\n"),
		Offset:   kept,
		Message:  fmt.Sprintf("kept %d of %d bytes; %d were left of the budget for instruction files", kept, size, max(room, 0)),
	}
	if kept == 0 {
		return doc, report
	}
	text := f.Spans(from).Slice(0, kept)
	by := &span.Origin{Section: d.name, Source: "generated:truncated", Path: f.Path, Trust: span.Builtin}
	doc.Spans = append(text, span.Span{Text: mark, From: by, Off: span.NoOffset})
	doc.Text = f.Text[:kept] + mark
	doc.Spans = anchor(doc.Spans, doc.Text)
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
