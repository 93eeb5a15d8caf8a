package prompttest

import (
	"reflect"
	"slices"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// spare is how many elements copies have behind their end, to catch an append
// to a slice that others share.
const spare = 2

// copyAssembly copies everything that can be reached, so that a change to any
// of it can be seen. What was shared is shared in the copy.
func copyAssembly(a prompt.Assembly) prompt.Assembly {
	c := copier{origins: map[*span.Origin]*span.Origin{}, docs: map[*prompt.Doc]*prompt.Doc{}}
	a.Sections = roomy(a.Sections)
	for i := range a.Sections {
		s := &a.Sections[i]
		s.Text, s.From, s.Doc = c.text(s.Text), c.origin(s.From), c.doc(s.Doc)
	}
	a.Tools = roomy(a.Tools)
	for i := range a.Tools {
		a.Tools[i].Parameters, a.Tools[i].From = roomy(a.Tools[i].Parameters), c.origin(a.Tools[i].From)
	}
	a.Vars = roomy(a.Vars)
	for i := range a.Vars {
		a.Vars[i].From = c.origin(a.Vars[i].From)
	}
	a.Notes = roomy(a.Notes)
	for i := range a.Notes {
		a.Notes[i].From = c.origin(a.Notes[i].From)
	}
	a.Heads = roomy(a.Heads)
	for i := range a.Heads {
		a.Heads[i].Text = c.text(a.Heads[i].Text)
	}
	a.Known, a.Mutes, a.Diagnostics = roomy(a.Known), roomy(a.Mutes), roomy(a.Diagnostics)
	return a
}

// roomy copies a slice and leaves room behind its end.
func roomy[S ~[]T, T any](s S) S {
	if s == nil {
		return nil
	}
	out := make(S, len(s), len(s)+spare)
	copy(out, s)
	return out
}

type copier struct {
	origins map[*span.Origin]*span.Origin
	docs    map[*prompt.Doc]*prompt.Doc
}

func (c *copier) origin(o *span.Origin) *span.Origin {
	if o == nil {
		return nil
	}
	if c.origins[o] == nil {
		same := *o
		c.origins[o] = &same
	}
	return c.origins[o]
}

func (c *copier) text(t span.Text) span.Text {
	t = roomy(t)
	for i := range t {
		t[i].From = c.origin(t[i].From)
	}
	return t
}

func (c *copier) doc(d *prompt.Doc) *prompt.Doc {
	if d == nil {
		return nil
	}
	if c.docs[d] == nil {
		same := *d
		same.Spans, same.Aliases = c.text(d.Spans), slices.Clone(d.Aliases)
		c.docs[d] = &same
	}
	return c.docs[d]
}

// written says which slice of a copy has something behind its end, or "".
func written(a prompt.Assembly) string {
	switch {
	case dirty(a.Sections):
		return "sections"
	case dirty(a.Tools):
		return "tools"
	case dirty(a.Known):
		return "known names"
	case dirty(a.Vars):
		return "variables"
	case dirty(a.Mutes):
		return "muted channels"
	case dirty(a.Heads):
		return "heads"
	case dirty(a.Notes):
		return "notes"
	case dirty(a.Diagnostics):
		return "diagnostics"
	}
	for i := range a.Sections {
		if dirty(a.Sections[i].Text) {
			return "section " + a.Sections[i].Name
		}
	}
	return ""
}

func dirty[S ~[]T, T any](s S) bool {
	for _, v := range s[len(s):cap(s)] {
		if !reflect.ValueOf(&v).Elem().IsZero() {
			return true
		}
	}
	return false
}
