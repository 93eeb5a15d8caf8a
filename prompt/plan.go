package prompt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/proemhq/proem/chat"
)

// A Plan is what a snapshot says for one lineage: which sections, variables and
// tools are visible and in which order. It holds no text of facts, so it stays
// right until a registration changes. Plans are immutable and may be used
// concurrently.
type Plan struct {
	snapshot Snapshot
	lineage  []string
	ties     Ties
	layers   []*layer // global first, nearest last

	sections []ref // by channel, order and tie; none of a muted channel
	dynamic  int   // sections with a fact
	vars     []ref
	tools    []chat.ToolSpec // complete if no set of tools is a fact
	known    []string        // likewise
	live     bool            // some set of tools is a fact
	mutes    []Channel
	notes    []Note
	faults   Faults
	needs    []string
}

// A ref points to a definition of a layer. It holds no pointer, so that the many
// plans of many scopes cost the garbage collector nothing.
type ref struct {
	layer uint32 // in the plan's layers
	at    uint32 // in the layer's sections or vars
	fact  int32  // the place of its fact in needs; -1: it has none
}

func (p *Plan) section(r ref) *section   { return &p.layers[r.layer].sections[r.at] }
func (p *Plan) variable(r ref) *variable { return &p.layers[r.layer].vars[r.at] }

// Plan returns the plan for a lineage, nearest scope first. The global layer is
// always seen; a scope without a layer adds nothing.
func (s Snapshot) Plan(lineage []string, ties Ties) *Plan {
	p := &Plan{snapshot: s, lineage: slices.Clone(lineage), ties: ties}
	p.layers = s.chain(lineage)
	for _, l := range p.layers {
		p.mutes = append(p.mutes, l.Mutes...)
	}
	slices.Sort(p.mutes)
	p.mutes = slices.Compact(p.mutes)
	p.mergeSections()
	p.mergeVars()
	p.mergeTools()
	p.needs = p.facts()
	for i := range p.sections {
		r := &p.sections[i]
		r.fact = p.place(p.section(*r).def.Body.Fact)
	}
	for i := range p.vars {
		r := &p.vars[i]
		r.fact = p.place(p.variable(*r).def.Body.Fact)
	}
	return p
}

// mergeTools collects the tools, unless some are a fact's. Those of a single layer
// are shared by all who see it.
func (p *Plan) mergeTools() {
	var only *layer
	for _, l := range p.layers {
		if len(l.Tools) == 0 {
			continue
		}
		if only != nil || !l.plainTools {
			only = nil
			for _, l := range p.layers {
				for i := range l.Tools {
					p.live = p.live || l.Tools[i].Fact != ""
				}
			}
			if !p.live {
				p.tools, p.known, p.faults, p.notes = p.collect(nil, p.faults, p.notes)
			}
			return
		}
		only = l
	}
	if only != nil {
		p.tools, p.known = only.tools, only.known
	}
}

// place returns the place of a fact in needs; without a name it is -1.
func (p *Plan) place(fact string) int32 {
	if fact == "" {
		return -1
	}
	at, _ := slices.BinarySearch(p.needs, fact)
	return int32(at)
}

// chain returns the layers that a lineage sees, the farthest first.
func (s Snapshot) chain(lineage []string) []*layer {
	out := make([]*layer, 0, len(lineage)+1)
	if l, ok := s.layers.Get(""); ok {
		out = append(out, l)
	}
	for i := len(lineage) - 1; i >= 0; i-- {
		if lineage[i] == "" {
			continue
		}
		if l, ok := s.layers.Get(lineage[i]); ok {
			out = append(out, l)
		}
	}
	return out
}

// valid reports whether the plan still holds for a newer snapshot: the layers
// it was made from are the same.
func (p *Plan) valid(s Snapshot, lineage []string, ties Ties) bool {
	if p.ties != ties || !slices.Equal(p.lineage, lineage) {
		return false
	}
	return s == p.snapshot || slices.Equal(s.chain(lineage), p.layers)
}

// Needs returns the names of the facts that an assembly of the plan uses, in
// ascending order: every variable's, also a shadowed one's, those of visible
// sections, and those of every set of tools.
func (p *Plan) Needs() []string { return p.needs }

// Needs returns the facts that an assembly for the lineage uses.
func Needs(s Snapshot, lineage []string) []string { return s.Plan(lineage, Ties{}).Needs() }

func (p *Plan) facts() []string {
	var out []string
	for _, r := range p.sections {
		out = append(out, p.section(r).def.Body.Fact)
	}
	for _, l := range p.layers {
		for i := range l.Vars {
			out = append(out, l.Vars[i].Body.Fact)
		}
		for i := range l.Tools {
			out = append(out, l.Tools[i].Fact)
		}
	}
	out = sortedSet(out)
	if len(out) > 0 && out[0] == "" {
		out = out[1:]
	}
	return slices.Clip(out)
}

func (p *Plan) mergeSections() {
	type key struct {
		ch   Channel
		name string
	}
	n := 0
	for _, l := range p.layers {
		n += len(l.sections)
	}
	merged := make([]ref, 0, n) // by position
	place := make(map[key]int, n)
	for li, l := range p.layers {
		for i := range l.sections {
			s, r := &l.sections[i], ref{layer: uint32(li), at: uint32(i)}
			if slices.Contains(p.mutes, s.def.Channel) {
				p.notes = append(p.notes, Note{Name: s.def.Name, Path: s.def.Path, Stage: "resolve", From: s.from,
					Reason: "the channel " + s.def.Channel.String() + " is muted"})
				continue
			}
			k := key{s.def.Channel, s.def.Name}
			if at, ok := place[k]; ok {
				far := p.section(merged[at])
				p.notes = append(p.notes, Note{Name: far.def.Name, Path: far.def.Path, Stage: "resolve", From: far.from,
					Reason: "shadowed by the section of " + scopeName(l.Scope)})
				merged[at] = r
				continue
			}
			place[k] = len(merged)
			merged = append(merged, r)
		}
	}
	slices.SortStableFunc(merged, func(x, y ref) int {
		a, b := p.section(x).def, p.section(y).def
		if c := cmp.Compare(a.Channel, b.Channel); c != 0 {
			return c
		}
		if c := compareOrder(a.Order, b.Order); c != 0 {
			return c
		}
		if p.ties.ByPosition[a.Channel] {
			return 0
		}
		return p.ties.Names.Compare(a.Name, b.Name)
	})
	p.sections = slices.Clone(merged)
	for _, r := range merged {
		if p.section(r).def.Body.Fact != "" {
			p.dynamic++
		}
	}
}

// compareOrder compares finite orders; 0 and -0 are equal.
func compareOrder(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (p *Plan) mergeVars() {
	place := map[string]int{}
	for li, l := range p.layers {
		for i := range l.vars {
			name, r := l.vars[i].def.Name, ref{layer: uint32(li), at: uint32(i)}
			if at, ok := place[name]; ok {
				p.vars[at] = r
				continue
			}
			place[name] = len(p.vars)
			p.vars = append(p.vars, r)
		}
	}
	p.vars = slices.Clip(p.vars)
}

// collect gathers the tools of all layers, farthest first, and sorts them by
// name. Of equal names the nearest wins unless the ties keep all.
func (p *Plan) collect(facts *Facts, faults Faults, notes []Note) ([]chat.ToolSpec, []string, Faults, []Note) {
	type from struct {
		layer int
		scope string
	}
	var tools []chat.ToolSpec
	var froms []from
	var names []string
	for li, l := range p.layers {
		for i := range l.Tools {
			d := &l.Tools[i]
			specs, known := d.Specs, known(d.Specs, d.Known)
			if d.Fact != "" {
				specs, known = toolFact(facts, d.Fact)
			}
			tools = append(tools, specs...)
			for range specs {
				froms = append(froms, from{li, l.Scope})
			}
			names = append(names, known...)
		}
	}
	if !p.ties.KeepTools {
		last := make(map[string]int, len(tools))
		kept := tools[:0:0]
		for i := range tools {
			at, ok := last[tools[i].Name]
			switch {
			case !ok:
				last[tools[i].Name] = i
			case froms[at].layer == froms[i].layer:
				faults = append(faults, Fault{Code: "tool.duplicate", Stage: "resolve",
					Message: fmt.Sprintf("two tools are named %q in %s; rename one", tools[i].Name, scopeName(froms[i].scope))})
			default:
				notes = append(notes, Note{Name: tools[i].Name, Stage: "resolve", From: tools[at].From,
					Reason: "the tool is shadowed by that of " + scopeName(froms[i].scope)})
				last[tools[i].Name] = i
			}
		}
		for i := range tools {
			if last[tools[i].Name] == i {
				kept = append(kept, tools[i])
			}
		}
		tools = kept
	}
	slices.SortStableFunc(tools, func(a, b chat.ToolSpec) int { return p.ties.Names.Compare(a.Name, b.Name) })
	return slices.Clip(tools), slices.Clip(sortedSet(names)), faults, slices.Clip(notes)
}

func toolFact(facts *Facts, name string) ([]chat.ToolSpec, []string) {
	f, ok := facts.Get(name)
	if !ok || f.Err != nil || f.None {
		return nil, nil
	}
	return f.Tools, known(f.Tools, f.Known)
}
