package prompt

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/pmap"
	"github.com/proemhq/proem/span"
)

// A Snapshot is an immutable copy of all registrations. Taking one, and making
// one from another, is cheap: unchanged layers are shared, with what was derived
// from them. The zero Snapshot is empty. Snapshots may be used concurrently.
type Snapshot struct {
	version uint64
	layers  pmap.Map[*layer]
}

// NewSnapshot returns a snapshot of the given layers, one per scope. The error,
// of type [Faults], holds every fault of the definitions.
func NewSnapshot(version uint64, layers ...Layer) (Snapshot, error) {
	var faults Faults
	s := Snapshot{version: version}
	for _, l := range layers {
		faults = append(faults, l.Check()...)
		if _, ok := s.layers.Get(l.Scope); ok {
			faults = append(faults, Fault{Code: "layer.duplicate", Message: fmt.Sprintf("scope %q has two layers", l.Scope)})
		}
		s = s.With(version, l)
	}
	if len(faults) > 0 {
		return Snapshot{}, faults
	}
	return s, nil
}

// Version grows by one with every registration and every disposal.
func (s Snapshot) Version() uint64 { return s.version }

// Scopes returns the scopes that have a layer, in ascending order; the global
// one is "".
func (s Snapshot) Scopes() []string { return s.layers.Keys() }

// Layer returns the layer of a scope. Its slices are not to be changed.
func (s Snapshot) Layer(scope string) (Layer, bool) {
	l, ok := s.layers.Get(scope)
	if !ok {
		return Layer{}, false
	}
	return l.Layer, true
}

// With returns a snapshot in which the scope of l has exactly the registrations
// of l; a layer without any is removed. The definitions must have passed
// [Layer.Check], and the slices of l belong to the snapshot from now on, except
// that appending to them is allowed.
func (s Snapshot) With(version uint64, l Layer) Snapshot {
	s.version = version
	if len(l.Sections)+len(l.Vars)+len(l.Tools)+len(l.Mutes) == 0 {
		s.layers = s.layers.Without(l.Scope)
	} else {
		s.layers = s.layers.With(l.Scope, compile(l))
	}
	return s
}

// A layer is a Layer with what can be derived from it alone.
type layer struct {
	Layer
	sections []section // in the order of Layer.Sections
	vars     []variable
	// tools and known are the layer's own, sorted, if plainTools is set.
	tools      []chat.ToolSpec
	known      []string
	plainTools bool
}

// A section is a definition with its origin and, for a literal, its text.
type section struct {
	def    *SectionDef
	from   *span.Origin
	text   span.Text // nil if the text is a fact's
	parsed *Template // nil unless the text is a literal template
}

type variable struct {
	def  *VarDef
	from *span.Origin
}

// compile derives what a layer says by itself. The parts of its sections lie in
// one array of each kind: there may be very many layers.
func compile(l Layer) *layer {
	n := len(l.Sections)
	out := &layer{Layer: l, sections: make([]section, n), vars: make([]variable, len(l.Vars))}
	origins, texts, templates := make([]span.Origin, n), make(span.Text, n), make([]Template, n)
	for i := range l.Sections {
		d := &l.Sections[i]
		origins[i] = span.Origin{Section: d.Name, Source: sourceOf(d.Source, d.Body), Scope: l.Scope, Path: d.Path, Trust: d.Trust}
		s := section{def: d, from: &origins[i]}
		if d.Body.Fact == "" && d.Body.Literal != "" {
			texts[i] = span.Span{Text: d.Body.Literal, From: s.from, Template: d.Body.Template}
			s.text = texts[i : i+1 : i+1]
			if d.Body.Template {
				templates[i] = Template{Source: d.Body.Literal, Refs: AppendRefs(nil, d.Body.Literal)}
				s.parsed = &templates[i]
			}
		}
		out.sections[i] = s
	}
	for i := range l.Vars {
		d := &l.Vars[i]
		out.vars[i] = variable{d, &span.Origin{Section: d.Name, Source: "variable", Scope: l.Scope}}
	}
	out.compileTools()
	return out
}

// compileTools sorts the layer's tools if they are the same whatever the ties:
// none is a fact's, no two have one name, and all names are ASCII.
func (l *layer) compileTools() {
	var specs []chat.ToolSpec
	var names []string
	for i := range l.Tools {
		d := &l.Tools[i]
		if d.Fact != "" {
			return
		}
		specs = append(specs, d.Specs...)
		names = append(names, known(d.Specs, d.Known)...)
	}
	slices.SortStableFunc(specs, func(a, b chat.ToolSpec) int { return strings.Compare(a.Name, b.Name) })
	for i := range specs {
		if i > 0 && specs[i].Name == specs[i-1].Name || strings.ContainsFunc(specs[i].Name, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return
		}
	}
	l.tools, l.known, l.plainTools = slices.Clip(specs), slices.Clip(sortedSet(names)), true
}

func sourceOf(named string, b Body) string {
	switch {
	case named != "":
		return named
	case b.Fact != "":
		return b.Fact
	}
	return "literal"
}

// Check returns the faults of the layer's definitions: orders that are not
// finite, names of variables, duplicate names.
func (l Layer) Check() Faults {
	var faults Faults
	type key struct {
		ch   Channel
		name string
	}
	seen := make(map[key]bool, len(l.Sections))
	for i := range l.Sections {
		d := &l.Sections[i]
		if f := CheckSection(*d); f != nil {
			faults = append(faults, *f)
		}
		k := key{d.Channel, d.Name}
		if seen[k] {
			faults = append(faults, DuplicateSection(l.Scope, *d))
		}
		seen[k] = true
	}
	names := make(map[string]bool, len(l.Vars))
	for _, v := range l.Vars {
		if f := CheckVar(v); f != nil {
			faults = append(faults, *f)
		}
		if names[v.Name] {
			faults = append(faults, DuplicateVar(l.Scope, v))
		}
		names[v.Name] = true
	}
	for _, m := range l.Mutes {
		if m >= Channels {
			faults = append(faults, Fault{Code: "mute.channel", Message: m.String() + " is not a channel"})
		}
	}
	return faults
}

// CheckSection returns what is wrong with a definition by itself, or nil.
func CheckSection(d SectionDef) *Fault {
	if math.IsNaN(d.Order) || math.IsInf(d.Order, 0) {
		return &Fault{Code: "section.order", Section: d.Name, Channel: d.Channel, Path: d.Path,
			Message: fmt.Sprintf("order is %v; give a finite number", d.Order)}
	}
	if d.Channel >= Channels {
		return &Fault{Code: "section.channel", Section: d.Name, Path: d.Path, Message: d.Channel.String() + " is not a channel"}
	}
	return nil
}

// CheckVar returns what is wrong with a definition by itself, or nil.
func CheckVar(d VarDef) *Fault {
	if !IsVarName(d.Name) {
		return &Fault{Code: "var.name", Message: fmt.Sprintf("variable %q: a name is a lower-case letter followed by lower-case letters, digits and underscores", d.Name)}
	}
	return nil
}

// DuplicateSection is the fault of a second section of one name in a layer.
func DuplicateSection(scope string, d SectionDef) Fault {
	return Fault{Code: "section.duplicate", Section: d.Name, Channel: d.Channel, Path: d.Path,
		Message: "the name is taken in " + scopeName(scope) + "; a nearer scope may replace it, the same one may not"}
}

// DuplicateVar is the fault of a second variable of one name in a layer.
func DuplicateVar(scope string, d VarDef) Fault {
	return Fault{Code: "var.duplicate", Message: fmt.Sprintf("variable %q: the name is taken in %s", d.Name, scopeName(scope))}
}

func scopeName(scope string) string {
	if scope == "" {
		return "the global layer"
	}
	return fmt.Sprintf("scope %q", scope)
}

// known returns the names a set of tools knows of.
func known(specs []chat.ToolSpec, names []string) []string {
	if names != nil {
		return names
	}
	out := make([]string, len(specs))
	for i := range specs {
		out[i] = specs[i].Name
	}
	return out
}

func sortedSet(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}
