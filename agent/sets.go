package agent

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
)

// ToolChanges says what becomes of the tools block when tools come and go within
// a session.
type ToolChanges uint8

const (
	// LiveTools lets the block follow at the next request. What stands behind the
	// first tool that changed is not found in the provider's cache then; a
	// diagnostic cache.break names cause and cost.
	LiveTools ToolChanges = iota
	// FrozenTools keeps the block of the session's first request, byte for byte, in
	// other processes too. Tools that join are announced and can be used in the next
	// session; calls of tools that are gone are refused.
	FrozenTools
)

// toolSets are the changing sets of an agent.
type toolSets struct {
	mu         sync.Mutex
	list       []tool.Set // replaced, never written to
	registered bool       // the sources are in the registry
}

// AddSet lets a further set take part, from the next request on, and returns a
// function that takes it out again. Sessions that run see it as one that joined
// late.
func (a *Agent) AddSet(set tool.Set) (remove func(), err error) {
	if remove, err = a.addSet(set); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	return remove, nil
}

func (a *Agent) addSet(set tool.Set) (remove func(), err error) {
	name := set.Name()
	if !setName.MatchString(name) {
		return nil, fmt.Errorf("the set of tools %q: a name is 1 to 64 letters, digits, _ or -", name)
	}
	if err := a.registerSets(); err != nil {
		return nil, err
	}
	s := &a.sets
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.list {
		if other.Name() == name {
			return nil, fmt.Errorf("two sets of tools are named %q", name)
		}
	}
	s.list = append(slices.Clip(s.list), set)
	var once sync.Once
	return func() {
		once.Do(func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.list = slices.DeleteFunc(slices.Clone(s.list), func(o tool.Set) bool { return o.Name() == name })
		})
	}, nil
}

// registerSets registers what the sets contribute to a prompt, once: their tools,
// the sections of the prefix, and what changed since.
func (a *Agent) registerSets() error {
	s := &a.sets
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.registered {
		return nil
	}
	if _, err := a.scope.DynamicTools(a.setSource((*offer).toolsFact)); err != nil {
		return err
	}
	for _, d := range []struct {
		section prompt.SectionDef
		source  source.Source
	}{
		{prompt.SectionDef{Name: standard.ToolSetsSection, Order: a.preset.Order(standard.ToolSetsSection, standard.OrderTools), Class: prompt.Session, Source: setOriginSource, Priority: 35},
			a.setSource(func(o *offer) prompt.Fact { return docsFact(o.sections) })},
		{prompt.SectionDef{Name: standard.ToolChangesSection, Channel: prompt.Context, Order: 300, Class: prompt.Session, Source: setOriginSource},
			a.setSource(func(o *offer) prompt.Fact { return docsFact(o.changes) })},
	} {
		if _, err := a.scope.Dynamic(d.section, d.source); err != nil {
			return err
		}
	}
	s.registered = true
	return nil
}

type offerKey struct{}

// setSource returns a source of a part of what the sets offer: of the reading that
// the step made, or, for whoever gathers without the agent, of a new one.
func (a *Agent) setSource(pick func(*offer) prompt.Fact) source.Source {
	return source.Func(func(ctx context.Context, q source.Query) (prompt.Fact, error) {
		o, _ := ctx.Value(offerKey{}).(*offer)
		if o == nil || o.agent != a {
			o = a.newOffer(ctx, sitting{first: true, own: a.ownNames(a.cfg.Registry.Snapshot(), q.Lineage)})
		}
		return pick(o), nil
	})
}

// newOffer reads the sets, once, and decides.
func (a *Agent) newOffer(ctx context.Context, s sitting) *offer {
	a.sets.mu.Lock()
	list := a.sets.list
	a.sets.mu.Unlock()
	s.timeout = a.cfg.Limits.Source
	o := decide(s, readSets(ctx, list, s.timeout))
	o.agent = a
	return o
}

// ownNames are the names that no set can take: of the agent's tools, and of the
// fixed ones that its lineage sees.
func (a *Agent) ownNames(s prompt.Snapshot, lineage []string) map[string]bool {
	own := map[string]bool{}
	for name := range a.tools {
		own[name] = true
	}
	for _, scope := range append([]string{""}, lineage...) {
		l, _ := s.Layer(scope)
		for _, d := range l.Tools {
			for _, spec := range d.Specs {
				own[spec.Name] = true
			}
		}
	}
	return own
}

// recallSets registers the sets' sources in an agent without sets that goes on with
// a session which had some: its prefix holds their sections.
func (a *Agent) recallSets(v session.View) error {
	if v.Tools == nil || len(v.Tools.Sets) == 0 {
		return nil
	}
	return a.registerSets()
}

// offered returns what the sets amount to at a step of a session, and a context for
// their sources. Without sources there is no offer.
func (a *Agent) offered(ctx context.Context, v session.View, snapshot prompt.Snapshot, lineage []string, in Input) (context.Context, *offer) {
	a.sets.mu.Lock()
	registered := a.sets.registered
	a.sets.mu.Unlock()
	if !registered {
		return ctx, nil
	}
	s := sitting{first: v.LastRequest == nil, own: a.ownNames(snapshot, lineage)}
	if v.Tools != nil {
		s.known = *v.Tools
	}
	s.frozen = a.cfg.ToolChanges == FrozenTools && (v.Tools != nil || s.first)
	if in.typed != nil {
		s.own[in.typed.output.Name] = true // the tool by which an answer is given
	}
	o := a.newOffer(ctx, s)
	return context.WithValue(ctx, offerKey{}, o), o
}
