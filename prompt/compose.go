package prompt

import (
	"maps"
	"slices"
	"strings"

	"github.com/proemhq/proem/span"
)

// A Composer assembles the same lineage again and again and reuses what did not
// change: the plan while the layers are the same, the assembly and its rendered
// texts while the facts are the same, and the untouched sections when only some
// facts changed and every stage is local. Its results are equal to those of
// [Assemble]; only the cost differs.
//
// A Composer holds one lineage's last composition and is for one goroutine at a
// time; an agent keeps one per session.
type Composer struct {
	stages  []Stage
	local   bool // all stages are
	perStep bool // some stage looks at the step
	plan    *Plan
	last    *Composed
	in      Input // of last
	// patchable says that section i of last is that of section i of the plan and
	// that nothing but its text depends on its fact.
	patchable bool
}

// NewComposer returns a composer that applies the stages in order.
func NewComposer(stages ...Stage) *Composer {
	c := &Composer{stages: stages, local: true}
	for i := range stages {
		c.local = c.local && stages[i].Local
		c.perStep = c.perStep || stages[i].PerStep
	}
	return c
}

// Stages returns the stages in the order in which they are applied. The slice is
// not to be changed.
func (c *Composer) Stages() []Stage { return c.stages }

// Forget drops the last composition and keeps the plan.
func (c *Composer) Forget() { c.last, c.patchable, c.in = nil, false, Input{} }

// A Composed is an assembly with its rendered channels. It is immutable; the
// same pointer means that nothing changed. Rendering is kept, so a channel is
// written once.
type Composed struct {
	Assembly Assembly
	texts    [Channels]rendered
}

type rendered struct {
	done bool
	text string
	ends []int // for each section of the assembly, where its text ends; nil: not known
}

// Text returns the text of a channel. It is not for concurrent use with itself.
func (c *Composed) Text(ch Channel) string {
	r := &c.texts[ch]
	if !r.done {
		r.text, r.done = c.Assembly.Render(ch), true
	}
	return r.text
}

// Plan returns the plan for a snapshot, which is the one of the last call if the
// layers of the lineage are still the same. It tells what to gather.
func (c *Composer) Plan(s Snapshot, lineage []string, ties Ties) *Plan {
	if c.plan == nil || !c.plan.valid(s, lineage, ties) {
		c.plan = s.Plan(lineage, ties)
		c.Forget()
	}
	return c.plan
}

// Compose returns the composition for an input. When neither the registrations
// nor the input changed, it is the previous pointer.
func (c *Composer) Compose(s Snapshot, in Input) (*Composed, error) {
	c.Plan(s, in.Lineage, in.Ties)
	if c.last == nil || !c.sameInput(in) {
		return c.full(in)
	}
	if in.Facts == c.in.Facts {
		return c.last, nil
	}
	if out := c.patch(in); out != nil {
		c.last, c.in.Facts = out, in.Facts
		return out, nil
	}
	return c.full(in)
}

// sameInput compares everything but the facts, the lineage and the ties.
func (c *Composer) sameInput(in Input) bool {
	if c.perStep && (in.Turn != c.in.Turn || in.Step != c.in.Step) {
		return false
	}
	return in.Strict == c.in.Strict && in.Who.User == c.in.Who.User && in.Who.Tenant == c.in.Who.Tenant &&
		maps.Equal(in.Who.Attrs, c.in.Who.Attrs)
}

func (c *Composer) full(in Input) (*Composed, error) {
	c.Forget()
	a, err := c.plan.Resolve(in)
	faults, err := asFaults(err)
	if err != nil {
		return nil, err
	}
	sections, notes, diagnostics := len(a.Sections), len(a.Notes), len(a.Diagnostics)
	for i := range c.stages {
		if a, faults, err = apply(&c.stages[i], in, a, faults); err != nil {
			return nil, err
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	c.last, c.in = &Composed{Assembly: a}, in
	c.patchable = c.local && len(c.plan.sections) == sections && len(a.Sections) == sections &&
		len(a.Notes) == notes && len(a.Diagnostics) == diagnostics
	for _, r := range c.plan.sections {
		if r.fact >= 0 && c.patchable {
			f := in.Facts.find(int(r.fact), c.plan.section(r).def.Body.Fact)
			c.patchable = !f.none && (f.full == nil || f.full.Docs == nil)
		}
	}
	return c.last, nil
}

// patch returns the composition in which only the sections whose facts changed
// are made anew, or nil if that is not enough.
func (c *Composer) patch(in Input) *Composed {
	if !c.patchable {
		return nil
	}
	changed, ok := c.changed(in.Facts)
	if !ok {
		return nil
	}
	if len(changed) == 0 {
		return c.last
	}
	prev := &c.last.Assembly
	r := resolver{p: c.plan, in: in, arena: make(span.Text, 0, len(changed))}
	for n, i := range changed {
		r.section(c.plan.sections[i])
		if len(r.a.Sections) != n+1 || r.a.Sections[n].Doc != nil {
			return nil // the section went, or became documents
		}
	}
	if len(r.faults) > 0 || len(r.a.Notes) > 0 || len(r.a.Diagnostics) > 0 {
		return nil
	}
	part := Assembly{Sections: r.a.Sections, Tools: prev.Tools, Known: prev.Known, Vars: prev.Vars, Mutes: prev.Mutes}
	for i := range c.stages {
		var err error
		if part, err = c.stages[i].run(in, part); err != nil {
			return nil
		}
	}
	if len(part.Sections) != len(changed) || len(part.Notes) > 0 || len(part.Diagnostics) > 0 {
		return nil
	}
	out := &Composed{Assembly: *prev}
	out.Assembly.Sections = slices.Clone(prev.Sections)
	for n, i := range changed {
		out.Assembly.Sections[i] = part.Sections[n]
	}
	for ch := range Channels {
		out.texts[ch] = c.last.splice(out, ch, changed)
	}
	return out
}

// changed returns the places of the sections whose facts differ in their text;
// it is not ok if anything else differs.
func (c *Composer) changed(facts *Facts) (places []int, ok bool) {
	for _, l := range c.plan.layers {
		for i := range l.Vars {
			if f := l.Vars[i].Body.Fact; f != "" && !c.same(facts, c.plan.place(f), f) {
				return nil, false
			}
		}
		for i := range l.Tools {
			if f := l.Tools[i].Fact; f != "" && !c.same(facts, c.plan.place(f), f) {
				return nil, false
			}
		}
	}
	for i, r := range c.plan.sections {
		if r.fact < 0 {
			continue
		}
		f := c.plan.section(r).def.Body.Fact
		if c.same(facts, r.fact, f) {
			continue
		}
		if old := c.in.Facts.find(int(r.fact), f); old == nil || old.full != nil && len(old.full.Notes)+len(old.full.Diagnostics) > 0 {
			return nil, false // what was said of the old text must go
		}
		places = append(places, i)
	}
	return places, true
}

// same reports whether a fact says what it said in the last composition.
func (c *Composer) same(facts *Facts, place int32, name string) bool {
	a, b := c.in.Facts.find(int(place), name), facts.find(int(place), name)
	return a.err() == nil && b.err() == nil && a.same(b)
}

// splice renders a channel of next from the rendered text of c, in which only
// the given sections differ. A channel that was never asked for stays so.
func (c *Composed) splice(next *Composed, ch Channel, changed []int) rendered {
	old := &c.texts[ch]
	if !old.done {
		return rendered{}
	}
	size, touched, level := len(old.text), false, true
	for _, i := range changed {
		a, b := c.Assembly.Sections[i].Text.Len(), next.Assembly.Sections[i].Text.Len()
		if next.Assembly.Sections[i].Channel != ch {
			continue
		}
		if (a == 0) != (b == 0) {
			return rendered{} // separators come or go
		}
		touched, level, size = true, level && a == b, size+b-a
	}
	if !touched {
		return *old
	}
	if old.ends == nil {
		old.ends = c.Assembly.ends(ch)
	}
	var text strings.Builder
	text.Grow(size)
	at := 0 // how much of the old text has been written
	for _, i := range changed {
		if next.Assembly.Sections[i].Channel != ch {
			continue
		}
		text.WriteString(old.text[at : old.ends[i]-c.Assembly.Sections[i].Text.Len()])
		for _, s := range next.Assembly.Sections[i].Text {
			text.WriteString(s.Text)
		}
		at = old.ends[i]
	}
	text.WriteString(old.text[at:])
	out := rendered{done: true, text: text.String()}
	if level { // every section ends where it did
		out.ends = old.ends
	}
	return out
}
