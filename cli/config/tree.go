package config

import "github.com/proemhq/proem/span"

// A kind is the kind of a YAML value.
type kind uint8

const (
	null kind = iota
	boolean
	whole // a whole number
	real  // any other number
	text
	list
	mapping
)

// String returns the kind as it is called in messages.
func (k kind) String() string {
	return [...]string{"empty", "a boolean", "a whole number", "a number", "text", "a list", "a map"}[k]
}

// A layer is one file, one variable or one --set, with all its nodes know of it.
type layer struct {
	name  string // of the layers in origin.go
	path  string // the file, "--set" or the variable
	dir   string // what relative paths are relative to; empty: nothing
	bound string // the directory that its paths stay below; empty: anywhere
	trust span.Trust
}

// A node is a YAML value that knows where it was written. Nodes are not changed
// once they are made; merging makes new ones.
type node struct {
	kind    kind
	text    string // of a scalar: as written, or what it reads as if it is text
	plain   bool   // text without quotes
	items   []*node
	entries []entry
	line    int
	column  int
	from    *layer
}

// An entry is a key with its value.
type entry struct {
	name   string
	value  *node
	line   int // of the name
	column int
}

func (n *node) origin() Origin {
	if n.from.name == DefaultLayer {
		return Origin{Layer: DefaultLayer, Trust: n.from.trust}
	}
	return Origin{Path: n.from.path, Line: n.line, Column: n.column, Layer: n.from.name, Trust: n.from.trust}
}

// get returns the value of an entry, or nil.
func (n *node) get(name string) *node {
	for _, e := range n.entries {
		if e.name == name {
			return e.value
		}
	}
	return nil
}

// without returns the map without an entry.
func (n *node) without(name string) *node {
	out := *n
	out.entries = nil
	for _, e := range n.entries {
		if e.name != name {
			out.entries = append(out.entries, e)
		}
	}
	return &out
}

// with returns the map with an entry, in the place of the old one or at the end.
func (n *node) with(e entry) *node {
	out := *n
	out.entries = make([]entry, 0, len(n.entries)+1)
	found := false
	for _, old := range n.entries {
		if old.name == e.name {
			old, found = e, true
		}
		out.entries = append(out.entries, old)
	}
	if !found {
		out.entries = append(out.entries, e)
	}
	return &out
}

// merge lays a value over another. Maps merge by key; all else replaces.
func merge(base, over *node) *node {
	if base == nil || base.kind != mapping || over.kind != mapping {
		return over
	}
	out := *over
	out.entries = append(make([]entry, 0, len(base.entries)+len(over.entries)), base.entries...)
	at := make(map[string]int, len(base.entries))
	for i, e := range base.entries {
		at[e.name] = i
	}
	for _, e := range over.entries {
		if i, ok := at[e.name]; ok {
			e.value = merge(base.entries[i].value, e.value)
			out.entries[i] = e
			continue
		}
		out.entries = append(out.entries, e)
	}
	if len(over.entries) == 0 {
		out.line, out.column, out.from = base.line, base.column, base.from
	}
	return &out
}

// prune returns the map without the entries that are null, at any depth.
func prune(n *node) *node {
	if n.kind != mapping {
		return n
	}
	out := *n
	out.entries = nil
	for _, e := range n.entries {
		if e.value.kind != null {
			e.value = prune(e.value)
			out.entries = append(out.entries, e)
		}
	}
	return &out
}

// wrap puts a value under a path of names.
func wrap(path []string, n *node, line, column int) *node {
	for i := len(path) - 1; i >= 0; i-- {
		n = &node{kind: mapping, line: line, column: column, from: n.from,
			entries: []entry{{name: path[i], value: n, line: line, column: column}}}
	}
	return n
}
