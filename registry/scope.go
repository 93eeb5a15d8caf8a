package registry

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
)

// A Scope registers in one layer and owns what it registered.
type Scope struct {
	r        *Registry
	key      string
	owned    []*Registration // in order
	disposed bool
}

// Key returns the key of the scope's layer; "" is the global one.
func (s *Scope) Key() string { return s.key }

// A Registration is one thing that was registered.
type Registration struct {
	scope *Scope
	kind  kind
	id    uint64
	fact  string // its source's, or empty
	gone  bool
}

// Section registers a section. The name must be free in the layer's channel.
func (s *Scope) Section(d prompt.SectionDef) (*Registration, error) {
	return s.add(sections, "", nil, func(l *layer, _ string) error { return l.addSection(d) })
}

// Dynamic registers a section together with the source of its text. The
// definition's Body may ask for a template; its fact's name is minted here, from
// scope, channel and name.
func (s *Scope) Dynamic(d prompt.SectionDef, src source.Source) (*Registration, error) {
	d.Body.Literal, d.Body.Fact = "", factName(s.key, d.Channel.String(), d.Name)
	return s.add(sections, d.Body.Fact, src, func(l *layer, _ string) error { return l.addSection(d) })
}

// Variable registers a variable with a fixed value.
func (s *Scope) Variable(name, value string) (*Registration, error) {
	d := prompt.VarDef{Name: name, Body: prompt.Body{Literal: value}}
	return s.add(vars, "", nil, func(l *layer, _ string) error { return l.addVar(d) })
}

// DynamicVariable registers a variable together with the source of its value.
func (s *Scope) DynamicVariable(name string, src source.Source) (*Registration, error) {
	d := prompt.VarDef{Name: name, Body: prompt.Body{Fact: factName(s.key, "variable", name)}}
	return s.add(vars, d.Body.Fact, src, func(l *layer, _ string) error { return l.addVar(d) })
}

// Tools registers a fixed set of tools. The specs are not to be changed
// afterwards.
func (s *Scope) Tools(d prompt.ToolDef) (*Registration, error) {
	return s.add(tools, "", nil, func(l *layer, _ string) error {
		l.Tools = append(l.Tools, d)
		return nil
	})
}

// DynamicTools registers a set of tools that a source provides at each step.
func (s *Scope) DynamicTools(src source.Source) (*Registration, error) {
	return s.add(tools, factName(s.key, "tools", ""), src, func(l *layer, fact string) error {
		l.Tools = append(l.Tools, prompt.ToolDef{Fact: fact})
		return nil
	})
}

// Mute switches a channel off for everybody who sees the layer, as long as one
// such registration lives.
func (s *Scope) Mute(ch prompt.Channel) (*Registration, error) {
	if ch >= prompt.Channels {
		return nil, fmt.Errorf("registry: mute: %v is not a channel", ch)
	}
	return s.add(mutes, "", nil, func(l *layer, _ string) error {
		l.Mutes = append(l.Mutes, ch)
		return nil
	})
}

var escaper = strings.NewReplacer("%", "%25", "/", "%2F")

// factName mints the name of a fact. Scopes and names are escaped, so that two
// facts never meet: one of the global layer has two parts, any other has three.
func factName(scope, kind, name string) string {
	name = kind + "/" + escaper.Replace(name)
	if scope == "" {
		return name
	}
	return escaper.Replace(scope) + "/" + name
}

func (l *layer) addSection(d prompt.SectionDef) error {
	if f := prompt.CheckSection(d); f != nil {
		return *f
	}
	for i := range l.Sections {
		if l.Sections[i].Name == d.Name && l.Sections[i].Channel == d.Channel {
			return prompt.DuplicateSection(l.Scope, d)
		}
	}
	l.Sections = append(l.Sections, d)
	return nil
}

func (l *layer) addVar(d prompt.VarDef) error {
	if f := prompt.CheckVar(d); f != nil {
		return *f
	}
	for i := range l.Vars {
		if l.Vars[i].Name == d.Name {
			return prompt.DuplicateVar(l.Scope, d)
		}
	}
	l.Vars = append(l.Vars, d)
	return nil
}

// add makes one registration and announces it. If a listener refuses it, it is
// taken back, which is announced as well, and the listener's error returned.
func (s *Scope) add(k kind, fact string, src source.Source, put func(*layer, string) error) (*Registration, error) {
	if fact != "" && src == nil {
		return nil, fmt.Errorf("registry: %s: its source is nil; source.None is one without a value", strings.TrimRight(fact, "/"))
	}
	r := s.r
	r.mu.Lock()
	reg, err := s.put(k, fact, src, put)
	r.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if err := r.announce(); err != nil {
		reg.Dispose()
		return nil, err
	}
	return reg, nil
}

func (s *Scope) put(k kind, fact string, src source.Source, put func(*layer, string) error) (*Registration, error) {
	r := s.r
	if s.disposed {
		return nil, fmt.Errorf("registry: scope %q: %w", s.key, ErrDisposed)
	}
	r.minted++
	if k == tools && fact != "" {
		fact = fmt.Sprintf("%s%d", fact, r.minted)
	}
	l := r.layers[s.key]
	if l == nil {
		l = &layer{Layer: prompt.Layer{Scope: s.key}}
	}
	if err := put(l, fact); err != nil {
		return nil, err
	}
	r.layers[s.key] = l // a layer appears with its first registration
	reg := &Registration{scope: s, kind: k, id: r.minted, fact: fact}
	l.ids[k] = append(l.ids[k], reg.id)
	if fact != "" {
		r.sources = r.sources.With(fact, src)
	}
	s.owned = append(s.owned, reg)
	r.version++
	r.dirty[s.key] = true
	return reg, nil
}

// Dispose removes the registration. Calling it again does nothing.
func (g *Registration) Dispose() {
	r := g.scope.r
	r.mu.Lock()
	removed := g.remove()
	if removed {
		i := slices.Index(g.scope.owned, g)
		g.scope.owned = slices.Delete(g.scope.owned, i, i+1)
	}
	r.mu.Unlock()
	if removed {
		_ = r.announce() // a disposal cannot be refused
	}
}

// remove takes the registration out of its layer. The caller holds the lock.
func (g *Registration) remove() bool {
	if g.gone {
		return false
	}
	g.gone = true
	r, key := g.scope.r, g.scope.key
	l := r.layers[key]
	i := slices.Index(l.ids[g.kind], g.id)
	l.ids[g.kind] = without(l.ids[g.kind], i)
	switch g.kind {
	case sections:
		l.Sections = without(l.Sections, i)
	case vars:
		l.Vars = without(l.Vars, i)
	case tools:
		l.Tools = without(l.Tools, i)
	case mutes:
		l.Mutes = without(l.Mutes, i)
	}
	if len(l.Sections)+len(l.Vars)+len(l.Tools)+len(l.Mutes) == 0 {
		delete(r.layers, key)
	}
	if g.fact != "" {
		r.sources = r.sources.Without(g.fact)
	}
	r.version++
	r.dirty[key] = true
	return true
}

// without returns a new slice that lacks element i; snapshots share the old one.
func without[T any](s []T, i int) []T {
	return append(s[:i:i], s[i+1:]...)
}

// Dispose removes everything that was registered through the scope, in order,
// with one announcement each, and refuses registrations from then on. Calling it
// again does nothing, and so does calling it on [Registry.Global].
func (s *Scope) Dispose() {
	r := s.r
	if s == r.global {
		return
	}
	r.mu.Lock()
	s.disposed = true
	owned := slices.Clone(s.owned)
	r.mu.Unlock()
	for _, g := range owned {
		g.Dispose()
	}
}
