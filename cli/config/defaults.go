package config

import (
	"sync"

	"github.com/proemhq/proem/span"
)

// builtins holds the defaults of the table, parsed once, by the key's name.
var builtins = sync.OnceValue(func() map[string]*node {
	from := &layer{name: DefaultLayer, trust: span.Builtin}
	out := map[string]*node{}
	for _, k := range table {
		if k.Default == "" {
			continue
		}
		n, faults := parse(k.Default, from, 0)
		if faults != nil {
			panic("config: the default of " + k.Name + ": " + faults.Error())
		}
		out[k.Name] = n
	}
	return out
})

// builtinValue returns the default of a key, or nil.
func builtinValue(k *Key) *node { return builtins()[k.Name] }

// defaultTree returns the lowest layer. The defaults of elements are not in it;
// they belong to each element.
func defaultTree() *node {
	out := &node{kind: mapping, from: &layer{name: DefaultLayer, trust: span.Builtin}}
	for _, k := range table {
		if n := builtins()[k.Name]; n != nil && !hasAny(k.Name) {
			out = merge(out, wrap(words(k.Name), n, 0, 0))
		}
	}
	return out
}
