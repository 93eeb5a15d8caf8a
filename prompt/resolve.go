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
	for _, at := range p.sections {
		r.section(at)
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
	lost   []*section // sole ones that are at fault
	arena  span.Text  // room for one span per dynamic section
}

func (r *resolver) vars() {
	if len(r.p.vars) == 0 {
		return
	}
	for _, l := range r.p.layers {
		for i := range l.Vars { // a shadowed variable's failure surfaces too
			if name := l.Vars[i].Body.Fact; name != "" {
				r.check(name, &Section{Name: l.Vars[i].Name, Required: true}, "variable ")
			}
		}
	}
	r.a.Vars = make([]Var, len(r.p.vars))
	for i, at := range r.p.vars {
		v, out := r.p.variable(at), &r.a.Vars[i]
		out.Name, out.Value, out.From = v.def.Name, v.def.Body.Literal, v.from
		if at.fact < 0 {
			continue
		}
		f := r.in.Facts.find(int(at.fact), v.def.Body.Fact)
		if f.err() != nil {
			out.None = true
			continue
		}
		out.Value, out.None, out.From = f.text, f.none, lowered(v.from, f.ref, f.trust)
	}
}

func (r *resolver) tools() {
	if !r.p.live {
		return
	}
	for _, l := range r.p.layers {
		for i := range l.Tools {
			if name := l.Tools[i].Fact; name != "" {
				r.check(name, &Section{Name: name}, "tools of ")
				if f, _ := r.in.Facts.Get(name); f.Err == nil {
					r.a.Notes = append(r.a.Notes, f.Notes...)
					r.a.Diagnostics = append(r.a.Diagnostics, f.Diagnostics...)
				}
			}
		}
	}
	r.a.Tools, r.a.Known, r.faults, r.a.Notes = r.p.collect(r.in.Facts, r.faults, r.a.Notes)
}

// check records the failure of a fact that is no section's.
func (r *resolver) check(name string, s *Section, kind string) {
	if f := r.in.Facts.find(int(r.p.place(name)), name); f.err() != nil {
		r.failed(name, f, s, kind)
	}
}

// section adds the section, or the sections, of a definition.
func (r *resolver) section(at ref) {
	s := r.p.section(at)
	d := s.def
	if at.fact < 0 {
		r.put(s).Text = s.text
		return
	}
	f := r.in.Facts.find(int(at.fact), d.Body.Fact)
	if f.err() != nil {
		if d.Sole && (r.in.Strict || d.Required) {
			r.lost = append(r.lost, s)
		}
		r.failed(d.Body.Fact, f, &Section{Name: d.Name, Channel: d.Channel, Required: d.Required, From: s.from}, "")
		return
	}
	var spans span.Text
	if full := f.full; full != nil {
		r.a.Notes = append(r.a.Notes, full.Notes...)
		r.a.Diagnostics = append(r.a.Diagnostics, full.Diagnostics...)
		if full.Docs != nil && !f.none {
			r.docs(s, full)
			return
		}
		spans = full.Spans
	}
	if f.none {
		return
	}
	out := r.put(s)
	out.Class = max(d.Class, f.class)
	out.From = lowered(s.from, f.ref, f.trust)
	out.Text = r.text(f.text, spans, out.From, d.Body.Template)
}

// put appends a section as it is defined, without a text.
func (r *resolver) put(s *section) *Section {
	d := s.def
	r.a.Sections = append(r.a.Sections, Section{
		Name: d.Name, Channel: d.Channel, Class: d.Class, Order: d.Order, Sep: d.Sep, Sole: d.Sole,
		Required: d.Required, Priority: d.Priority, Min: d.Min, From: s.from, parsed: s.parsed,
	})
	return &r.a.Sections[len(r.a.Sections)-1]
}

// docs adds a section for each document of a fact.
func (r *resolver) docs(s *section, f *Fact) {
	for i := range f.Docs {
		doc := &f.Docs[i]
		from := *s.from
		from.Section, from.Path, from.Trust = doc.Name, doc.Path, max(from.Trust, f.Trust, doc.Trust)
		if s.def.Source == "" {
			from.Source = "file"
		}
		out := r.put(s)
		out.Name, out.Doc, out.From = doc.Name, doc, &from
		out.Class = max(s.def.Class, f.Class, doc.Class)
		out.Text = r.text(doc.Text, doc.Spans, out.From, s.def.Body.Template)
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

// failed records that a fact is missing or its source failed: the omission, or
// the fault where the section cannot be done without.
func (r *resolver) failed(name string, f *fact, s *Section, kind string) {
	full := Fact{Err: f.err()}
	if f != nil {
		full = f.unpack()
	}
	why := "its source failed: " + full.Err.Error()
	if f == nil {
		why = "the fact " + name + " was not gathered"
	}
	if r.in.Strict || s.Required {
		fault := Fault{Code: "section.failed", Stage: "resolve", Section: s.Name, Channel: s.Channel, Path: full.Ref,
			Message: why, Err: full.Err}
		if kind != "" {
			fault.Section = ""
			fault.Message = fmt.Sprintf("%s%q: %s", kind, s.Name, why)
		}
		r.faults = append(r.faults, fault)
		return
	}
	r.a.Notes = append(r.a.Notes, Note{Name: s.Name, Path: full.Ref, Stage: "resolve", From: s.From, Reason: why})
	r.a.Diagnostics = append(r.a.Diagnostics, Diagnostic{Severity: Warning, Code: "section.failed", Path: full.Ref,
		Message: fmt.Sprintf("%s%q is left out: %s", cmp.Or(kind, "section "), s.Name, why)})
	r.a.Diagnostics = append(r.a.Diagnostics, full.Diagnostics...)
}

// soles reports channels with more than one sole section. One whose source
// failed counts if it is a fault, so that both faults are reported together.
func (r *resolver) soles() {
	var names [Channels][]string
	found := len(r.lost) > 0
	for _, s := range r.lost {
		names[s.def.Channel] = append(names[s.def.Channel], s.def.Name)
	}
	for i := range r.a.Sections {
		if s := &r.a.Sections[i]; s.Sole {
			names[s.Channel] = append(names[s.Channel], s.Name)
			found = true
		}
	}
	if !found {
		return
	}
	for ch, n := range names {
		if len(n) > 1 {
			r.faults = append(r.faults, Fault{Code: "section.sole_conflict", Stage: "resolve", Channel: Channel(ch),
				Message: fmt.Sprintf("%d sections of the channel %s want to be its only one: %q", len(n), Channel(ch), n)})
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
