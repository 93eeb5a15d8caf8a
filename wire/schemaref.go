package wire

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/proemhq/proem/prompt"
)

func itoa(i int) string { return strconv.Itoa(i) }

// cutObject is what stands for a schema that cannot be written out.
func cutObject(name string) map[string]any {
	out := map[string]any{"type": "object"}
	if name != "" {
		out["description"] = "Nested " + name + " of the same form."
	}
	return out
}

// expand returns a copy of a schema object in which a reference is replaced by
// what it refers to. Keywords beside the reference win. The references that were
// followed stay active until the caller of object is done.
func (l *leveler) expand(path string, src map[string]any) map[string]any {
	m := maps.Clone(src)
	for {
		ref, ok := m["$ref"].(string)
		if !ok {
			if _, odd := m["$ref"]; odd {
				l.warn(path, "$ref is no string and is removed")
				delete(m, "$ref")
			}
			return m
		}
		if !l.restricted() && path != "" {
			return l.wrapRef(m)
		}
		delete(m, "$ref")
		if slices.Contains(l.active, ref) {
			l.warn(path, "the reference %s leads into itself: cut to an object", ref)
			return overlay(cutObject(ref[strings.LastIndexByte(ref, '/')+1:]), m)
		}
		target, ok := l.resolve(ref)
		if !ok {
			l.warn(path, "the reference %s leads nowhere: taken for an object", ref)
			return overlay(cutObject(""), m)
		}
		l.active = append(l.active, ref)
		l.warn(path, "the reference %s is replaced by what it refers to", ref)
		m = overlay(target, m)
	}
}

// wrapRef moves a reference that has neighbours into a union of one: the strict
// level allows nothing beside a reference.
func (l *leveler) wrapRef(m map[string]any) map[string]any {
	if len(m) == 1 || m["anyOf"] != nil {
		return map[string]any{"$ref": m["$ref"]}
	}
	out := map[string]any{"anyOf": []any{map[string]any{"$ref": m["$ref"]}}}
	if d, ok := m["description"]; ok {
		out["description"] = d
	}
	return out
}

// overlay returns the members of both; those of top win.
func overlay(base, top map[string]any) map[string]any {
	out := maps.Clone(base)
	maps.Copy(out, top)
	return out
}

// resolve finds the schema object that a reference within the document names.
func (l *leveler) resolve(ref string) (map[string]any, bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil, false
	}
	fragment = percentDecoded(fragment)
	var at any = l.root
	if fragment != "" {
		for _, step := range strings.Split(fragment, "/")[1:] {
			step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
			switch v := at.(type) {
			case map[string]any:
				at = v[step]
			case []any:
				i, err := strconv.Atoi(step)
				if err != nil || i < 0 || i >= len(v) {
					return nil, false
				}
				at = v[i]
			default:
				return nil, false
			}
		}
		if fragment[0] != '/' {
			return nil, false // an anchor
		}
	}
	switch v := at.(type) {
	case map[string]any:
		return v, true
	case bool:
		return map[string]any{}, v
	}
	return nil, false
}

// percentDecoded undoes the escapes of a URL; what is none stays.
func percentDecoded(s string) string {
	for i := 0; i+2 < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
			s = s[:i] + string([]byte{byte(n)}) + s[i+3:]
		}
	}
	return s
}

// combine merges allOf into the schema and turns oneOf into anyOf. It writes to
// m, which is a copy.
func (l *leveler) combine(path string, m map[string]any) {
	l.misshapen(path, m)
	if list, ok := m["allOf"].([]any); ok {
		delete(m, "allOf")
		for i := range list {
			part, ok := list[i].(map[string]any)
			if !ok {
				continue
			}
			at := pointer(pointer(path, "allOf"), itoa(i))
			if part = l.whole(at, part); part["allOf"] != nil {
				l.combine(at, part)
			}
			l.merge(path, m, part)
		}
		l.report(prompt.Info, path, "allOf is merged into the schema around it")
	}
	one, ok := m["oneOf"]
	if !ok {
		return
	}
	delete(m, "oneOf")
	if m["anyOf"] != nil {
		l.warn(path, "oneOf beside anyOf is removed")
		return
	}
	m["anyOf"] = one
	l.report(prompt.Info, path, "oneOf is sent as anyOf")
}

// whole expands a part of allOf, also where references stay otherwise.
func (l *leveler) whole(path string, part map[string]any) map[string]any {
	level := l.level
	l.level = SchemaRestricted
	defer func() { l.level = level }()
	return l.expand(path, part)
}

// merge adds the keywords of part to m. Properties and required names are
// joined; of two values of another keyword the first stays.
func (l *leveler) merge(path string, m, part map[string]any) {
	for _, key := range sortedKeys(part) {
		have, ok := m[key]
		switch {
		case !ok:
			m[key] = part[key]
		case key == "properties":
			a, _ := have.(map[string]any)
			b, _ := part[key].(map[string]any)
			m[key] = overlay(b, a)
		case key == "required":
			a, _ := have.([]any)
			b, _ := part[key].([]any)
			m[key] = append(slices.Clip(a), b...)
		case !equalJSON(have, part[key]):
			l.warn(path, "of two values of %s in allOf the first is kept", key)
		}
	}
}
