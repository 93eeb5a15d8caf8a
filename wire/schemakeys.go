package wire

import (
	"maps"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
)

// What a keyword holds: a schema, a list of schemas, or schemas by name. All
// others hold data, in which nothing is a keyword.
var (
	schemaOne  = []string{"items", "additionalProperties"}
	schemaList = []string{"anyOf"}
	schemaMap  = []string{"properties", "$defs", "definitions"}
)

// annotations say nothing about what is valid.
var annotations = []string{"$anchor", "$comment", "$id", "$schema", "examples", "deprecated", "readOnly", "writeOnly"}

// unsupported lists what a level lacks, besides the combinations that are turned
// into others.
var unsupported = map[SchemaLevel][]string{
	SchemaStrict: {
		"$dynamicAnchor", "$dynamicRef", "additionalItems", "contains", "contentEncoding", "contentMediaType", "contentSchema",
		"default", "dependencies", "dependentRequired", "dependentSchemas", "else", "if", "maxContains", "maxLength",
		"maxProperties", "minContains", "minLength", "minProperties", "not", "nullable", "patternProperties", "prefixItems",
		"propertyNames", "then", "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
	},
	SchemaRestricted: {
		"$defs", "$dynamicAnchor", "$dynamicRef", "additionalItems", "additionalProperties", "contains", "contentEncoding",
		"contentMediaType", "contentSchema", "definitions", "dependencies", "dependentRequired", "dependentSchemas", "else",
		"exclusiveMaximum", "exclusiveMinimum", "if", "maxContains", "minContains", "multipleOf", "not", "patternProperties",
		"prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
	},
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// pointer appends a step to a JSON pointer.
func pointer(path, step string) string {
	return path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(step)
}

// removed reports whether the level lacks a keyword, and tells so. Definitions
// go in silence: their content stands where they were referred to.
func (l *leveler) removed(path, key string, value any) bool {
	switch {
	case slices.Contains(annotations, key), key == "default" && !l.restricted():
		l.report(prompt.Info, path, "%s is removed", key)
	case !slices.Contains(unsupported[l.level], key):
		return false
	case key == "$defs", key == "definitions":
	case key == "additionalProperties" && value == true:
	default:
		l.warn(path, "%s is removed", key)
	}
	return true
}

// keyword reduces the value of a keyword that stays.
func (l *leveler) keyword(path, key string, value any) any {
	switch {
	case key == "additionalProperties" && (value == true || value == false):
	case key == "items" && isList(value):
		l.warn(path, "a list of schemas by position is taken for any items")
		return map[string]any{}
	case slices.Contains(schemaOne, key):
		return l.schema(path, value)
	case slices.Contains(schemaList, key):
		list, _ := value.([]any)
		out := make([]any, 0, len(list))
		for i := range list {
			out = append(out, l.schema(pointer(path, itoa(i)), list[i]))
		}
		return out
	case slices.Contains(schemaMap, key):
		members, _ := value.(map[string]any)
		out := make(map[string]any, len(members))
		for _, name := range sortedKeys(members) {
			if members[name] == false {
				l.warn(pointer(path, name), "a property that may not be there is left out")
				continue
			}
			out[name] = l.schema(pointer(path, name), members[name])
		}
		return out
	}
	return value
}

// misshapen takes out keywords that hold something else than they must. It writes
// to m, which is a copy.
func (l *leveler) misshapen(path string, m map[string]any) {
	for _, key := range sortedKeys(m) {
		ok := true
		switch {
		case slices.Contains(schemaList, key), key == "allOf", key == "oneOf":
			list, _ := m[key].([]any)
			ok = len(list) > 0
		case slices.Contains(schemaMap, key):
			_, ok = m[key].(map[string]any)
		case key == "required":
			ok = isList(m[key])
		}
		if !ok {
			delete(m, key)
			l.warn(path, "%s is not what it must be and is removed", key)
		}
	}
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}
