package registry

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/proemhq/proem/internal/pmap"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
)

// Errors that a caller may tell apart.
var (
	// ErrDisposed is returned when registering through a disposed scope.
	ErrDisposed = errors.New("the scope is disposed")
	// ErrBound is returned when binding a scope that has a parent.
	ErrBound = errors.New("the scope has a parent; only the holder of its binding may change it")
	// ErrCycle is returned when a link would make a scope its own ancestor.
	ErrCycle = errors.New("the link would close a cycle of scopes")
)

var errGlobal = errors.New("registry: the global layer is everybody's root and cannot be linked")

// A Registry holds registrations. Make one with New.
type Registry struct {
	mu      sync.Mutex
	version uint64
	layers  map[string]*layer
	dirty   map[string]bool // scopes whose layer changed since the snapshot
	snap    prompt.Snapshot
	sources pmap.Map[source.Source]
	minted  uint64 // for the facts of anonymous registrations
	parents map[string]*Binding
	global  *Scope

	listeners []*listener
}

// A layer is the live form of a prompt.Layer. Slices are only appended to or
// replaced, never written to, because snapshots share them. ids run beside the
// slice of their kind.
type layer struct {
	prompt.Layer
	ids [kinds][]uint64
}

// kind is the kind of a registration.
type kind uint8

const (
	sections kind = iota
	vars
	tools
	mutes
	kinds
)

// New returns an empty registry.
func New() *Registry {
	r := &Registry{layers: map[string]*layer{}, dirty: map[string]bool{}, parents: map[string]*Binding{}}
	r.global = &Scope{r: r}
	return r
}

// A View is a snapshot with the sources of the facts it names.
type View struct {
	Snapshot prompt.Snapshot
	sources  pmap.Map[source.Source]
}

// Source implements [source.Finder].
func (v View) Source(fact string) (source.Source, bool) { return v.sources.Get(fact) }

// View returns the registrations of this moment.
func (r *Registry) View() View {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.dirty) > 0 {
		for _, scope := range slices.Sorted(maps.Keys(r.dirty)) {
			l := prompt.Layer{Scope: scope}
			if live := r.layers[scope]; live != nil {
				l = live.Layer
			}
			r.snap = r.snap.With(r.version, l)
		}
		clear(r.dirty)
	}
	return View{Snapshot: r.snap, sources: r.sources}
}

// Snapshot returns the registrations of this moment without their sources.
func (r *Registry) Snapshot() prompt.Snapshot { return r.View().Snapshot }

// Global returns the scope of the global layer, which everybody sees. Disposing
// it is refused by doing nothing: register through [Registry.Scope] with the key
// "" to own a part of the global layer.
func (r *Registry) Global() *Scope { return r.global }

// Scope returns a new handle for registering in the layer of a key; "" is the
// global layer. What is registered through a handle lives until the handle is
// disposed. A key needs no declaration, and several handles may share it.
func (r *Registry) Scope(key string) *Scope { return &Scope{r: r, key: key} }

// A Binding is the link of a scope to its parent, in the hands of whoever made
// it.
type Binding struct {
	r             *Registry
	child, parent string
}

// Bind makes parent the parent of child: whoever asks for child's lineage sees
// the parent's layer too, behind its own. A scope is bound once; afterwards only
// the returned binding may change the link. The link takes effect at the next
// call of Lineage and is no registration: nobody is notified.
func (r *Registry) Bind(child, parent string) (*Binding, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if child == "" || parent == "" {
		return nil, errGlobal
	}
	if r.parents[child] != nil {
		return nil, fmt.Errorf("registry: bind %q to %q: %w", child, parent, ErrBound)
	}
	b := &Binding{r: r, child: child}
	if err := b.link(parent); err != nil {
		return nil, err
	}
	r.parents[child] = b
	return b, nil
}

// Rebind changes the parent.
func (b *Binding) Rebind(parent string) error {
	b.r.mu.Lock()
	defer b.r.mu.Unlock()
	if b.r.parents[b.child] != b {
		return fmt.Errorf("registry: rebind %q: the binding was released", b.child)
	}
	if parent == "" {
		return errGlobal
	}
	return b.link(parent)
}

// Release removes the link, after which the scope can be bound anew. Calling it
// again does nothing.
func (b *Binding) Release() {
	b.r.mu.Lock()
	defer b.r.mu.Unlock()
	if b.r.parents[b.child] == b {
		delete(b.r.parents, b.child)
	}
}

func (b *Binding) link(parent string) error {
	for at := parent; at != ""; at = b.r.parentOf(at) {
		if at == b.child {
			return fmt.Errorf("registry: bind %q to %q: %w", b.child, parent, ErrCycle)
		}
	}
	b.parent = parent
	return nil
}

func (r *Registry) parentOf(key string) string {
	if b := r.parents[key]; b != nil {
		return b.parent
	}
	return ""
}

// Lineage returns the scope with its ancestors, nearest first. Of "" it is
// empty: the global layer is always seen.
func (r *Registry) Lineage(key string) []string { return r.AppendLineage(nil, key) }

// AppendLineage appends the lineage of a scope to dst.
func (r *Registry) AppendLineage(dst []string, key string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ; key != ""; key = r.parentOf(key) {
		dst = append(dst, key)
	}
	return dst
}
