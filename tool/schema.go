package tool

import (
	"encoding/json"
	"maps"
	"slices"
)

// schema returns the shape as a JSON Schema: without white space, the members of
// every object in ascending order of their names, so that equal types give equal
// bytes.
func (s *shape) schema(description string) json.RawMessage {
	m := map[string]any{}
	if description != "" {
		m["description"] = description
	}
	if s.enum != nil {
		m["enum"] = s.enum
	}
	if s.min != nil {
		m["minimum"] = *s.min
	}
	if s.max != nil {
		m["maximum"] = *s.max
	}
	switch s.kind {
	case text:
		m["type"] = "string"
	case boolean:
		m["type"] = "boolean"
	case integer:
		m["type"] = "integer"
	case number:
		m["type"] = "number"
	case array:
		m["type"], m["items"] = "array", s.elem.schema("")
	case dict:
		m["type"], m["additionalProperties"] = "object", s.elem.schema("")
	case object:
		properties := map[string]json.RawMessage{}
		required := []string{}
		for _, f := range s.fields {
			properties[f.name] = f.shape.schema(f.description)
			if f.required {
				required = append(required, f.name)
			}
		}
		m["type"], m["additionalProperties"], m["properties"] = "object", false, ordered(properties)
		if slices.Sort(required); len(required) > 0 {
			m["required"] = required
		}
	}
	parts := make(map[string]json.RawMessage, len(m))
	for k, v := range m {
		parts[k] = plain(v)
	}
	return ordered(parts)
}

// ordered writes an object with its members in order.
func ordered(m map[string]json.RawMessage) json.RawMessage {
	out := []byte{'{'}
	for i, k := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, plain(k)...)
		out = append(out, ':')
		out = append(out, m[k]...)
	}
	return append(out, '}')
}

// plain writes a value that has a form in JSON, and leaves <, > and & alone.
func plain(v any) json.RawMessage {
	if raw, ok := v.(json.RawMessage); ok {
		return raw
	}
	return writeJSON(v)
}
