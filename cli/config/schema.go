package config

import (
	"strings"
	"sync"
)

// anyName and anyItem are the names of schemas that stand for every entry of a
// map and every element of a list.
const (
	anyName = "*"
	anyItem = "[]"
)

// A schema is the table of keys as a tree.
type schema struct {
	name   string // the last word of the key, anyName or anyItem
	path   string // the whole key
	key    *Key   // nil: a group of keys, such as project
	fields []*schema
}

// root returns the tree of the whole table, made once.
var root = sync.OnceValue(func() *schema {
	top := &schema{}
	for i := range table {
		s := top
		for _, word := range words(table[i].Name) {
			s = s.grow(word)
		}
		s.key = &table[i]
	}
	return top
})

// words splits the name of a key.
func words(name string) []string {
	return strings.Split(strings.ReplaceAll(name, anyItem, "."+anyItem), ".")
}

// hasAny reports whether a key's name stands for several.
func hasAny(name string) bool {
	return strings.Contains(name, anyItem) || strings.Contains(name, anyName)
}

// field returns the schema of an entry, or nil.
func (s *schema) field(name string) *schema {
	for _, f := range s.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

func (s *schema) grow(name string) *schema {
	if f := s.field(name); f != nil {
		return f
	}
	path := join(s.path, name)
	if name == anyItem {
		path = s.path + name
	}
	f := &schema{name: name, path: path}
	s.fields = append(s.fields, f)
	return f
}

// userOnly reports whether the key, or what it belongs to, is the user's.
func (s *schema) userOnly() bool { return s.key != nil && s.key.UserOnly }

// names returns the names of the entries.
func (s *schema) names() []string {
	out := make([]string, len(s.fields))
	for i, f := range s.fields {
		out[i] = f.name
	}
	return out
}

// suggest returns what somebody may have meant who wrote an unknown entry: a
// near miss among its siblings, or a key of the same name elsewhere.
func (s *schema) suggest(name string) string {
	if near := nearest(name, s.names()); near != "" {
		return s.join(near)
	}
	var all, last []string
	for _, k := range table {
		if !hasAny(k.Name) {
			all = append(all, k.Name)
			last = append(last, k.Name[strings.LastIndexByte(k.Name, '.')+1:])
		}
	}
	if near := nearest(name, all); near != "" {
		return near
	}
	if near := nearest(name, last); near != "" {
		for i := range last {
			if last[i] == near {
				return all[i]
			}
		}
	}
	return ""
}

// join returns the key of an entry of the schema.
func (s *schema) join(name string) string { return join(s.path, name) }
