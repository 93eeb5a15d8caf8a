package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
)

// A decoder fills a Config from a tree by the table, and gathers what does not
// fit. Every layer is decoded alone for its faults, then all of them merged.
type decoder struct {
	faults Faults
}

// fault notes what is wrong with a value.
func (d *decoder) fault(code string, n *node, key, format string, args ...any) {
	d.at(code, n.from, n.line, n.column, key, fmt.Sprintf(format, args...))
}

// at notes what is wrong at a place.
func (d *decoder) at(code string, from *layer, line, column int, key, message string) {
	if len(d.faults) >= maxFaults {
		return
	}
	d.faults = append(d.faults, Fault{Code: code, Path: from.path, Line: line, Column: column,
		Key: key, Message: visible(key + ": " + message)})
}

// group fills the fields of owner that the entries of a map name.
func (d *decoder) group(n *node, s *schema, path string, owner any) {
	if n.kind == null {
		return
	}
	if n.kind != mapping {
		d.wrongType(n, path, "a map of "+enumerate(s.names()))
		return
	}
	for _, e := range n.entries {
		key := join(path, e.name)
		f := s.field(e.name)
		switch {
		case f == nil:
			d.unknown(e, s, key)
		case f.userOnly() && n.from.name == ProjectLayer && e.value.from.name == ProjectLayer:
			d.at(CodeUserOnly, e.value.from, e.line, e.column, key,
				"is read from the user's own configuration only, never from a project's")
		case f.key == nil:
			d.group(e.value, f, key, owner)
		case e.value.kind != null:
			d.field(e.value, f, key, f.key.field(owner))
		}
	}
}

// unknown notes a key that the table does not have.
func (d *decoder) unknown(e entry, s *schema, key string) {
	message := "unknown key"
	if len(d.faults) >= maxFaults {
		return
	}
	if strings.Contains(e.name, ".") && find(e.name) != nil {
		message += "; in a file maps are nested: " + nested(e.name)
	} else if near := s.suggest(e.name); near != "" {
		message += "; did you mean " + near + "?"
	}
	d.at(CodeUnknownKey, e.value.from, e.line, e.column, key, message)
}

// wrongType notes that a value is of another type than the key's.
func (d *decoder) wrongType(n *node, key, want string) {
	hint := ""
	if want == "text" && (n.kind == boolean || n.kind == whole || n.kind == real) {
		hint = fmt.Sprintf("; quote it: %q", n.text)
	}
	d.fault(CodeType, n, key, "is %s; it must be %s%s", n.kind, want, hint)
}

// field fills one field.
func (d *decoder) field(n *node, s *schema, key string, to any) {
	switch to := to.(type) {
	case *[]Part:
		*to = elements[Part](d, n, s, key)
		d.parts(n, key, *to)
	case *[]Permission:
		*to = elements[Permission](d, n, s, key)
	case *[]Provider:
		*to = named(d, n, s, key, func(p *Provider, name string) { p.Name = name })
		d.providers(n, key, *to)
	case *[]Price:
		*to = named(d, n, s, key, func(p *Price, name string) { p.Model = name })
	case *[]Pair:
		*to = d.pairs(n, key)
	case *[]string:
		*to = d.strings(n, s.key, key)
	case *File:
		*to = d.files(n, s.key, key)
	default:
		d.scalar(n, s.key, key, to)
	}
}

// elements decodes a list of maps.
func elements[T any](d *decoder, n *node, s *schema, key string) []T {
	if n.kind != list {
		d.wrongType(n, key, "a list of maps")
		return nil
	}
	each := s.field(anyItem)
	out := make([]T, len(n.items))
	for i, item := range n.items {
		path := fmt.Sprintf("%s[%d]", key, i)
		if item.kind != mapping {
			d.wrongType(item, path, "a map of "+enumerate(each.names()))
			continue
		}
		d.defaults(each, &out[i])
		d.group(item, each, path, &out[i])
		d.required(item, each, path)
	}
	return out
}

// named decodes a map of maps whose names are free.
func named[T any](d *decoder, n *node, s *schema, key string, name func(*T, string)) []T {
	if n.kind != mapping {
		d.wrongType(n, key, "a map")
		return nil
	}
	each := s.field(anyName)
	out := make([]T, len(n.entries))
	for i, e := range n.entries {
		name(&out[i], e.name)
		d.group(e.value, each, join(key, e.name), &out[i])
	}
	return out
}

// required notes what an element lacks.
func (d *decoder) required(n *node, s *schema, path string) {
	for _, f := range s.fields {
		if v := n.get(f.name); f.key.Required && (v == nil || v.kind == null) {
			d.fault(CodeValue, n, path, "%s is missing", f.name)
		}
	}
}

// defaults fills an element with the defaults of the table.
func (d *decoder) defaults(s *schema, owner any) {
	for _, f := range s.fields {
		if v := builtinValue(f.key); v != nil {
			d.field(v, f, f.path, f.key.field(owner))
		}
	}
}

// text stores a text into a field of one of the types that a text may be.
func (d *decoder) text(n *node, k *Key, key string, to any) {
	if n.kind != text {
		d.wrongType(n, key, "text")
		return
	}
	if k.Values != nil && !slices.Contains(k.Values, n.text) {
		d.fault(CodeValue, n, key, "is %q; it must be one of %s", n.text, enumerate(k.Values))
		return
	}
	switch to := to.(type) {
	case *string:
		*to = n.text
		d.checkText(n, k, key, to)
	case *prompt.Channel:
		*to, _ = prompt.ParseChannel(n.text)
	case *prompt.Class:
		*to, _ = prompt.ParseClass(n.text)
	}
}
