package tool

import (
	"context"
	"slices"
	"sync"
)

// A Set is a named set of tools that may change while sessions run, such as those
// of a server. Its methods may be called concurrently.
//
// A set is read once for every request, and again when one of its tools is called,
// to see whether the tool is still there: a set that lies far away answers from
// what it last heard.
type Set interface {
	// Name is 1 to 64 letters, digits, "_" or "-", and the same at every call.
	Name() string
	// Tools returns the tools of this moment, and what the set tells a model about
	// their use, or "". The slice is not changed afterwards. An error says that the
	// set cannot be read at present; a session then goes on with what it knows.
	Tools(ctx context.Context) (tools []Tool, instructions string, err error)
}

// Trusted returns the set marked as one whose author you trust as your own code. A
// tool of any other set whose description changes within a session is held back
// until the next one. The mark is for whoever configures an agent to give, never
// for the set itself.
func Trusted(s Set) Set { return trusted{s} }

type trusted struct{ Set }

// IsTrusted reports whether the set was marked by [Trusted].
func IsTrusted(s Set) bool {
	_, ok := s.(trusted)
	return ok
}

// An OpenSet is a set that a program adds to and removes from. Make one with
// [NewSet].
type OpenSet struct {
	name string

	mu           sync.Mutex
	tools        []Tool // replaced, never written to
	instructions string
}

// NewSet returns a set of the given tools.
func NewSet(name string, tools ...Tool) *OpenSet {
	s := &OpenSet{name: name}
	s.Add(tools...)
	return s
}

// Name implements [Set].
func (s *OpenSet) Name() string { return s.name }

// Tools implements [Set].
func (s *OpenSet) Tools(context.Context) ([]Tool, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tools, s.instructions, nil
}

// Add puts tools into the set. One whose name is there already takes the place of
// the earlier one.
func (s *OpenSet) Add(tools ...Tool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := slices.Clone(s.tools)
	for _, t := range tools {
		name := t.Spec().Name
		if i := slices.IndexFunc(next, func(o Tool) bool { return o.Spec().Name == name }); i >= 0 {
			next[i] = t
		} else {
			next = append(next, t)
		}
	}
	s.tools = next
}

// Remove takes the named tools out of the set. Names that it does not have are no
// error.
func (s *OpenSet) Remove(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools = slices.DeleteFunc(slices.Clone(s.tools), func(t Tool) bool { return slices.Contains(names, t.Spec().Name) })
}

// Instruct sets what the set tells a model about the use of its tools.
func (s *OpenSet) Instruct(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instructions = text
}
