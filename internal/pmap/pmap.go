// Package pmap holds an immutable map from strings that shares its structure
// with the maps it was made from: With and Without copy one small bucket and
// leave the rest alone. It serves registries that hand out a snapshot after
// every change. The package is pure.
package pmap

import (
	"slices"
	"strings"
)

const fan = 64

// A Map is an immutable map from strings to values of type V. The zero Map is
// empty. Maps may be used concurrently.
type Map[V any] struct {
	buckets *[fan][]entry[V] // each ascending by key
	n       int
}

type entry[V any] struct {
	key   string
	value V
}

// bucket picks a bucket by FNV-1a, which is the same in every process.
func bucket(key string) int {
	h := uint32(2166136261)
	for i := 0; i < len(key); i++ {
		h = (h ^ uint32(key[i])) * 16777619
	}
	return int((h ^ h>>16) % fan)
}

func find[V any](b []entry[V], key string) (int, bool) {
	return slices.BinarySearchFunc(b, key, func(e entry[V], k string) int { return strings.Compare(e.key, k) })
}

// Len returns the number of keys.
func (m Map[V]) Len() int { return m.n }

// Get returns the value of key.
func (m Map[V]) Get(key string) (v V, ok bool) {
	if m.buckets == nil {
		return v, false
	}
	b := m.buckets[bucket(key)]
	i, ok := find(b, key)
	if !ok {
		return v, false
	}
	return b[i].value, true
}

// With returns a map in which key has the value v.
func (m Map[V]) With(key string, v V) Map[V] {
	out := m.copy()
	at := bucket(key)
	b := out.buckets[at]
	i, ok := find(b, key)
	if ok {
		b = slices.Clone(b)
		b[i].value = v
	} else {
		b = slices.Insert(slices.Clip(b), i, entry[V]{key, v})
		out.n++
	}
	out.buckets[at] = b
	return out
}

// Without returns a map that lacks key.
func (m Map[V]) Without(key string) Map[V] {
	if _, ok := m.Get(key); !ok {
		return m
	}
	out := m.copy()
	at := bucket(key)
	i, _ := find(out.buckets[at], key)
	out.buckets[at] = slices.Delete(slices.Clone(out.buckets[at]), i, i+1)
	out.n--
	return out
}

func (m Map[V]) copy() Map[V] {
	var b [fan][]entry[V]
	if m.buckets != nil {
		b = *m.buckets
	}
	return Map[V]{&b, m.n}
}

// Keys returns the keys in ascending order.
func (m Map[V]) Keys() []string {
	if m.buckets == nil {
		return nil
	}
	out := make([]string, 0, m.n)
	for i := range m.buckets {
		for _, e := range m.buckets[i] {
			out = append(out, e.key)
		}
	}
	slices.Sort(out)
	return out
}
