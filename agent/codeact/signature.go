package codeact

import (
	"encoding/json"
	"slices"
	"strings"
)

// maxNesting is how deep a schema is written out. Deeper it is said as JSON.
const maxNesting = 6

// signature returns the parameters of a tool as a type that a model can read at a
// glance, with what else the schema says of each in a comment. Nothing of the
// schema is left out. Without parameters it is empty.
func signature(schema json.RawMessage) string {
	members, err := membersOf(schema)
	if len(schema) == 0 || err == nil && len(members) == 0 {
		return ""
	}
	if props, ok := find(members, "properties"); err == nil && ok && string(typeName(members)) == "object" {
		if list, err := membersOf(props); err == nil && len(list) == 0 {
			return ""
		}
	} else if err == nil && !ok && string(typeName(members)) == "object" {
		return ""
	}
	text, rest := typeOf(schema, "    ", 0)
	if rest != "" {
		text += " /* " + rest + " */"
	}
	return text
}

// typeName returns the type that a schema names, if it names one.
func typeName(members []member) string {
	raw, _ := find(members, "type")
	var s string
	_ = json.Unmarshal(raw, &s) // a list of types is not one name
	return s
}

// typeOf returns a schema as a type, and what it says besides, as a comment.
func typeOf(schema json.RawMessage, indent string, depth int) (text, rest string) {
	members, err := membersOf(schema)
	if err != nil || depth > maxNesting {
		return "any", comment(string(schema))
	}
	var notes []string
	used := []string{"type", "properties", "required", "items", "enum", "title", "description", "additionalProperties"}
	kind := typeName(members)
	text = "any"
	switch enum, isEnum := find(members, "enum"); {
	case isEnum:
		text = union(enum)
	case kind == "object":
		text = objectType(members, indent, depth)
		if raw, ok := find(members, "additionalProperties"); ok && string(raw) != "false" {
			notes = append(notes, "additionalProperties: "+comment(string(raw)))
		}
	case kind == "array":
		items, ok := find(members, "items")
		if !ok {
			text = "any[]"
			break
		}
		inner, more := typeOf(items, indent, depth+1)
		text = "Array<" + inner + ">"
		if more != "" {
			notes = append(notes, "each: "+more)
		}
	case kind == "integer":
		text, notes = "number", append(notes, "an integer")
	case kind != "":
		text = kind
	default:
		used = slices.DeleteFunc(used, func(s string) bool { return s != "title" && s != "description" })
	}
	if raw, ok := find(members, "description"); ok {
		if d := comment(plain(raw)); d != "" {
			notes = append([]string{d}, notes...)
		}
	}
	for _, m := range members {
		if !slices.Contains(used, m.name) {
			notes = append(notes, comment(m.name+": "+plainJSON(m.raw)))
		}
	}
	return text, strings.Join(notes, "; ")
}

// objectType returns the members of an object, one in a line.
func objectType(members []member, indent string, depth int) string {
	raw, ok := find(members, "properties")
	props, err := membersOf(raw)
	if !ok || err != nil || len(props) == 0 {
		return "object"
	}
	var required []string
	list, _ := find(members, "required")
	_ = json.Unmarshal(list, &required) // what is no list requires nothing
	var b strings.Builder
	b.WriteString("{\n")
	for _, p := range props {
		name := p.name
		if !identifier.MatchString(name) {
			name = string(quoted(name))
		}
		if !slices.Contains(required, p.name) {
			name += "?"
		}
		text, rest := typeOf(p.raw, indent+"  ", depth+1)
		b.WriteString(indent + name + ": " + text)
		if rest != "" {
			b.WriteString("  // " + rest)
		}
		b.WriteByte('\n')
	}
	return b.String() + indent[:len(indent)-2] + "}"
}

// union returns the values of an enumeration.
func union(raw json.RawMessage) string {
	var values []json.RawMessage
	if json.Unmarshal(raw, &values) != nil || len(values) == 0 {
		return "any"
	}
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = plainJSON(v)
	}
	return strings.Join(out, " | ")
}

// plainJSON returns JSON in one line.
func plainJSON(raw json.RawMessage) string {
	if s := plain(raw); len(raw) > 0 && raw[0] == '"' {
		return string(quoted(s))
	} else {
		return s
	}
}

// comment returns a text in one line that ends no comment.
func comment(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	return strings.ReplaceAll(s, "*/", "* /")
}
