package prompt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/proemhq/proem/span"
)

// Resolve turns the registrations that a lineage sees, and the facts, into an
// assembly: sections with their texts in their order, variables, tools. An error
// of type [Faults] holds all faults; the assembly that comes with it lacks what
// is at fault and is good for looking at, not for sending.
func Resolve(s Snapshot, in Input) (Assembly, error) {
	return s.Plan(in.Lineage, in.Ties).Resolve(in)
}

// Resolve is [Resolve] for the plan's snapshot and lineage; those of the input
// are not looked at.
func (p *Plan) Resolve(in Input) (Assembly, error) {
	r := resolver{p: p, in: in, faults: slices.Clip(p.faults), arena: make(span.Text, 0, p.dynamic)}
	r.a = Assembly{
		Sections: make([]Section, 0, len(p.sections)),
		Tools:    p.tools,
		Known:    p.known,
		Mutes:    p.mutes,
		Notes:    slices.Clip(p.notes),
	}
	r.vars()
	r.tools()
	for _, s := range p.sections {
		r.section(s)
	}
	r.soles()
	if len(r.faults) > 0 {
		return r.a, r.faults
	}
	return r.a, nil
}

type resolver struct {
	p      *Plan
	in     Input
	a      Assembly
	faults Faults
	arena  span.Text // room for one span per dynamic section
}

func (r *resolver) vars() {
	if len(r.p.vars) == 0 {
		return
	}
	r.a.Vars = make([]Var, 0, len(r.p.vars))
	for _, l := range r.p.layers {
		for i := range l.Vars { // a shadowed variable's failure surfaces too
			if f := l.Vars[i].Body.Fact; f != "" {
				r.failed(f, &Section{Name: l.Vars[i].Name, Required: true}, "variable ")
			}
		}
	}
	for _, v := range r.p.vars {
		out := Var{Name: v.def.Name, Value: v.def.Body.Literal, From: v.from}
		if v.def.Body.Fact != "" {
			f, _ := r.in.Facts.Get(v.def.Body.Fact)
			out.Value, out.None = f.Text, f.None || f.Err != nil
			out.From = lowered(v.from, f.Ref, f.Trust)
		}
		r.a.Vars = append(r.a.Vars, out)
	}
}

func (r *resolver) tools() {
	if !r.p.live {
		return
	}
	for _, l := range r.p.layers {
		for i := range l.Tools {
			if f := l.Tools[i].Fact; f != "" {
				r.failed(f, &Section{Name: f}, "tools of ")
			}
		}
	}
	r.a.Tools, r.a.Known, r.faults, r.a.Notes = r.p.collect(r.in.Facts, r.faults, r.a.Notes)
}

func (r *resolver) section(s *section) {
	d := s.def
	out := Section{
		Name: d.Name, Channel: d.Channel, Class: d.Class, Order: d.Order, Sep: d.Sep, Sole: d.Sole,
		Required: d.Required, Priority: d.Priority, Min: d.Min, Text: s.text, From: s.from, parsed: s.parsed,
	}
	if d.Body.Fact == "" {
		r.a.Sections = append(r.a.Sections, out)
		return
	}
	if r.failed(d.Body.Fact, &out, "") {
		return
	}
	f, _ := r.in.Facts.Get(d.Body.Fact)
	r.a.Notes = append(r.a.Notes, f.Notes...)
	r.a.Diagnostics = append(r.a.Diagnostics, f.Diagnostics...)
	if f.None {
		return
	}
	out.Class = max(d.Class, f.Class)
	if f.Docs != nil {
		r.docs(out, d, f)
		return
	}
	out.From = lowered(s.from, f.Ref, f.Trust)
	out.Text = r.text(f.Text, f.Spans, out.From, d.Body.Template)
	r.a.Sections = append(r.a.Sections, out)
}

// docs adds a section for each document of a fact.
func (r *resolver) docs(like Section, d *SectionDef, f Fact) {
	for i := range f.Docs {
		doc := &f.Docs[i]
		out := like
		out.Name = doc.Name
		out.Doc = doc
		out.Class = max(like.Class, doc.Class)
		from := *like.From
		from.Section, from.Path, from.Trust = doc.Name, doc.Path, max(from.Trust, f.Trust, doc.Trust)
		if d.Source == "" {
			from.Source = "file"
		}
		out.From = &from
		out.Text = r.text(doc.Text, doc.Spans, out.From, d.Body.Template)
		r.a.Sections = append(r.a.Sections, out)
	}
}

// text returns the text of a fact as spans.
func (r *resolver) text(s string, spans span.Text, from *span.Origin, template bool) span.Text {
	if spans != nil {
		if !template {
			return spans
		}
		spans = slices.Clone(spans)
		for i := range spans {
			spans[i].Template = true
		}
		return spans
	}
	if s == "" {
		return nil
	}
	at := len(r.arena)
	r.arena = append(r.arena, span.Span{Text: s, From: from, Template: template})
	return r.arena[at : at+1 : at+1]
}

// failed reports whether the fact is missing or its source failed, and records
// the omission, or the fault where the section cannot be done without.
func (r *resolver) failed(fact string, s *Section, kind string) bool {
	f, ok := r.in.Facts.Get(fact)
	if ok && f.Err == nil {
		return false
	}
	why, code := "the fact "+fact+" was not gathered", "fact.missing"
	if ok {
		why, code = "its source failed: "+f.Err.Error(), "section.failed"
	}
	path := f.Ref
	if r.in.Strict || s.Required {
		fault := Fault{Code: code, Stage: "resolve", Section: s.Name, Channel: s.Channel, Path: path, Message: why, Err: f.Err}
		if kind != "" {
			fault.Section = ""
			fault.Message = fmt.Sprintf("%s%q: %s", kind, s.Name, why)
		}
		r.faults = append(r.faults, fault)
		return true
	}
	r.a.Notes = append(r.a.Notes, Note{Name: s.Name, Path: path, Stage: "resolve", Reason: why, From: s.From})
	r.a.Diagnostics = append(r.a.Diagnostics, Diagnostic{Severity: Warning, Code: code, Path: path,
		Message: fmt.Sprintf("%s%q is left out: %s", cmp.Or(kind, "section "), s.Name, why)})
	r.a.Diagnostics = append(r.a.Diagnostics, f.Diagnostics...)
	return true
}

// soles reports channels with more than one sole section.
func (r *resolver) soles() {
	for ch := range Channels {
		var names []string
		for i := range r.a.Sections {
			if s := &r.a.Sections[i]; s.Sole && s.Channel == ch {
				names = append(names, s.Name)
			}
		}
		if len(names) > 1 {
			r.faults = append(r.faults, Fault{Code: "section.sole_conflict", Stage: "resolve", Channel: ch,
				Message: fmt.Sprintf("%d sections of the channel %s want to be its only one: %q", len(names), ch, names)})
		}
	}
}

// lowered returns the origin with the path and the trust of a fact, which is
// the definition's own unless the fact says something else.
func lowered(from *span.Origin, ref string, t span.Trust) *span.Origin {
	if (ref == "" || ref == from.Path) && t <= from.Trust {
		return from
	}
	o := *from
	if ref != "" {
		o.Path = ref
	}
	o.Trust = max(o.Trust, t)
	return &o
}
