package wire

import (
	"encoding/json"
	"reflect"

	"github.com/proemhq/proem/prompt"
)

func equalJSON(a, b any) bool { return reflect.DeepEqual(a, b) }

// union turns const into enum, and anyOf of constants into one enum. It writes
// to m, which is a copy.
func (l *leveler) union(path string, m map[string]any) {
	if c, ok := m["const"]; ok {
		delete(m, "const")
		m["enum"] = []any{c}
		l.warn(path, "const is sent as enum")
	}
	list, ok := m["anyOf"].([]any)
	if !ok || m["enum"] != nil {
		return
	}
	var values []any
	seen := map[string]bool{}
	told := false
	for _, member := range list {
		got, rich, ok := constants(member)
		if !ok {
			return
		}
		told = told || rich
		for _, v := range got {
			raw, _ := json.Marshal(v) // it was read from JSON
			if key := string(raw); !seen[key] {
				seen[key] = true
				values = append(values, v)
			}
		}
	}
	if len(values) == 0 {
		return
	}
	delete(m, "anyOf")
	m["enum"] = values
	if _, ok := m["type"]; !ok {
		if t := commonType(values); t != "" {
			m["type"] = t
		}
	}
	more := ""
	if told {
		more = ", without the descriptions of its members"
	}
	l.warn(path, "anyOf of constants is sent as enum%s", more)
}

// constants returns the values that a member of a union allows, if it names them
// one by one, and whether it describes them.
func constants(member any) (values []any, told, ok bool) {
	m, isObject := member.(map[string]any)
	if !isObject {
		return nil, false, false
	}
	for key := range m {
		switch key {
		case "const", "enum", "type":
		case "title", "description":
			told = true
		default:
			return nil, false, false
		}
	}
	if c, has := m["const"]; has {
		return []any{c}, told, true
	}
	if list, has := m["enum"].([]any); has {
		return list, told, true
	}
	return []any{nil}, told, m["type"] == "null"
}

// commonType returns the type that all values but null have, or nothing.
func commonType(values []any) string {
	out := ""
	for _, v := range values {
		t := ""
		switch v.(type) {
		case nil:
			continue
		case string:
			t = "string"
		case bool:
			t = "boolean"
		default:
			return ""
		}
		if out != "" && out != t {
			return ""
		}
		out = t
	}
	return out
}

// nullable turns the type null into nullable, and a list of types into anyOf. It
// writes to m, which is a copy.
func (l *leveler) nullable(path string, m map[string]any) {
	null := m["nullable"] == true
	before := null
	if types, ok := m["type"].([]any); ok {
		types = without(types, func(t any) bool { return t == "null" }, &null)
		switch {
		case len(types) == 1:
			m["type"] = types[0]
		case len(types) == 0 || m["anyOf"] != nil:
			delete(m, "type")
			if len(types) > 0 {
				l.warn(path, "a list of types beside anyOf is removed")
			}
		default:
			delete(m, "type")
			members := make([]any, len(types))
			for i := range types {
				members[i] = map[string]any{"type": types[i]}
			}
			m["anyOf"] = members
			l.warn(path, "a list of types is sent as anyOf")
		}
	}
	if list, ok := m["anyOf"].([]any); ok {
		list = without(list, isNull, &null)
		m["anyOf"] = list
		l.single(path, m, list)
	}
	if values, ok := m["enum"].([]any); ok && len(values) > 1 {
		m["enum"] = without(values, func(v any) bool { return v == nil }, &null)
	}
	if null && !before {
		m["nullable"] = true
		l.warn(path, "the type null is sent as nullable")
	}
}

// single puts the only member of a union into the schema around it.
func (l *leveler) single(path string, m map[string]any, list []any) {
	if len(list) == 0 {
		delete(m, "anyOf")
		return
	}
	member, ok := list[0].(map[string]any)
	if !ok || len(list) > 1 {
		return
	}
	delete(m, "anyOf")
	member = l.expand(path, member)
	own(m)
	l.merge(path, m, member)
	l.report(prompt.Info, path, "anyOf of one schema is merged into the schema around it")
	l.combine(path, m)
	l.union(path, m)
	if _, ok := m["type"].([]any); ok || m["anyOf"] != nil {
		l.nullable(path, m)
	}
}

func isNull(v any) bool {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return false
	}
	if c, has := m["const"]; has && c == nil {
		return true
	}
	return m["type"] == "null"
}

// without returns a copy of a list without what fits, and sets found if anything
// did.
func without(list []any, fits func(any) bool, found *bool) []any {
	out := make([]any, 0, len(list))
	for _, v := range list {
		if fits(v) {
			*found = true
			continue
		}
		out = append(out, v)
	}
	return out
}
