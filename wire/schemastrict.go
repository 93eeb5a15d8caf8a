package wire

import (
	"slices"

	"github.com/proemhq/proem/prompt"
)

// close makes an object what the strict level demands: no other properties, and
// all of them required. src is the schema before its keywords were reduced.
func (l *leveler) close(path string, out, src map[string]any) {
	props, has := out["properties"].(map[string]any)
	if !has && !isObjectType(out["type"]) {
		return
	}
	switch src["additionalProperties"] {
	case false:
	case nil:
		l.report(prompt.Info, path, "other properties are no longer allowed")
	default:
		l.warn(path, "other properties are no longer allowed")
	}
	out["additionalProperties"] = false
	if !has {
		props = map[string]any{}
		out["properties"] = props
	}
	listed, _ := out["required"].([]any)
	required, is := make([]any, 0, len(props)), map[string]bool{}
	for _, name := range listed {
		if s, ok := name.(string); ok && props[s] != nil && !is[s] {
			required = append(required, name)
			is[s] = true
		}
	}
	for _, name := range sortedKeys(props) {
		if is[name] {
			continue
		}
		required = append(required, name)
		if s, ok := props[name].(map[string]any); ok {
			props[name] = orNull(s)
		}
		l.warn(pointer(pointer(path, "properties"), name), "the property was optional: it is required and may be null")
	}
	out["required"] = required
}

func isObjectType(t any) bool {
	list, _ := t.([]any)
	return t == "object" || slices.Contains(list, any("object"))
}

// orNull returns a schema that allows null as well.
func orNull(s map[string]any) map[string]any {
	null := map[string]any{"type": "null"}
	if list, ok := s["anyOf"].([]any); ok {
		if slices.ContainsFunc(list, isNull) {
			return s
		}
		return overlay(s, map[string]any{"anyOf": append(slices.Clip(list), null)})
	}
	if len(s) == 0 {
		return s
	}
	if s["$ref"] != nil || s["const"] != nil {
		return map[string]any{"anyOf": []any{s, null}}
	}
	more := map[string]any{}
	switch t := s["type"].(type) {
	case string:
		if t != "null" {
			more["type"] = []any{t, "null"}
		}
	case []any:
		if !slices.Contains(t, any("null")) {
			more["type"] = append(slices.Clip(t), "null")
		}
	}
	if values, ok := s["enum"].([]any); ok && !slices.Contains(values, nil) {
		more["enum"] = append(slices.Clip(values), nil)
	}
	return overlay(s, more)
}
