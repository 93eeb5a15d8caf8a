package wire

import (
	"encoding/json"
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
		target, known := l.resolve(ref)
		if known && !l.restricted() && path != "" {
			return l.wrapRef(path, m)
		}
		delete(m, "$ref")
		if slices.Contains(l.active, ref) {
			l.warn(path, "the reference %s leads into itself: cut to an object", ref)
			return overlay(cutObject(ref[strings.LastIndexByte(ref, '/')+1:]), m)
		}
		if !known {
			l.warn(path, "the reference %s leads nowhere: taken for an object", ref)
			return overlay(cutObject(""), m)
		}
		if !l.affords(ref, target) {
			l.warn(path, "the schema grows too large: the reference %s is cut to an object", ref)
			return overlay(cutObject(""), m)
		}
		l.active = append(l.active, ref)
		l.warn(path, "the reference %s is replaced by what it refers to", ref)
		m = overlay(target, m)
	}
}

// wrapRef moves a reference that has neighbours into a union of one: the strict
// level allows nothing beside a reference.
func (l *leveler) wrapRef(path string, m map[string]any) map[string]any {
	out := map[string]any{"$ref": m["$ref"]}
	if d, ok := m["description"]; ok {
		out = map[string]any{"anyOf": []any{out}, "description": d}
	}
	if members, ok := m["anyOf"].([]any); ok && len(members) == 1 && equalJSON(members[0], map[string]any{"$ref": m["$ref"]}) {
		delete(m, "anyOf") // the schema was wrapped before
	}
	for _, key := range sortedKeys(m) {
		switch {
		case key == "$ref", key == "description":
		case slices.Contains(annotations, key), key == "title", key == "default":
			l.report(prompt.Info, path, "%s beside a reference is removed", key)
		default:
			l.warn(path, "%s beside a reference is removed", key)
		}
	}
	return out
}

// affords counts what a reference brings, and reports whether the result may
// still grow by it.
func (l *leveler) affords(ref string, target map[string]any) bool {
	if l.copied > maxCopied {
		return false
	}
	size, ok := l.sizes[ref]
	if !ok {
		raw, _ := json.Marshal(target) // it was read from JSON
		size = len(raw)
		if l.sizes == nil {
			l.sizes = map[string]int{}
		}
		l.sizes[ref] = size
	}
	l.copied += size
	return l.copied <= maxCopied
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
		own(m)
		depth := len(l.active)
		var followed []string // a part may refer to what another part refers to
		for i := range list {
			part, ok := list[i].(map[string]any)
			if !ok {
				continue
			}
			at := pointer(pointer(path, "allOf"), itoa(i))
			part = l.whole(at, part)
			if l.misshapen(at, part); part["allOf"] != nil {
				l.combine(at, part)
			}
			l.merge(path, m, part)
			followed = append(followed, l.active[depth:]...)
			l.active = l.active[:depth]
		}
		l.active = append(l.active, followed...)
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

// own replaces what merge adds to by copies.
func own(m map[string]any) {
	for _, key := range []string{"properties", "required"} {
		if v, ok := m[key]; ok {
			m[key] = owned(v)
		}
	}
}

// owned returns a copy of an object or a list.
func owned(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return maps.Clone(v)
	case []any:
		return slices.Clone(v)
	}
	return v
}

// merge adds the keywords of part to m, which owns what it has. Properties and
// required names are joined; of two values of another keyword the first stays.
func (l *leveler) merge(path string, m, part map[string]any) {
	for _, key := range sortedKeys(part) {
		have, ok := m[key]
		switch {
		case !ok:
			m[key] = owned(part[key])
		case key == "properties":
			a, _ := have.(map[string]any)
			b, _ := part[key].(map[string]any)
			for name := range b {
				if _, had := a[name]; !had && a != nil {
					a[name] = b[name]
				}
			}
		case key == "required":
			a, _ := have.([]any)
			b, _ := part[key].([]any)
			m[key] = append(a, b...)
		case !equalJSON(have, part[key]):
			l.warn(path, "of two values of %s in allOf the first is kept", key)
		}
	}
}
