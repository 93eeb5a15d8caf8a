package config

import "fmt"

// strings decodes a list of texts, or of words, which may be numbers.
func (d *decoder) strings(n *node, k *Key, key string) []string {
	if n.kind != list {
		hint := "a list of texts"
		if n.kind == text {
			hint = fmt.Sprintf("a list: [%s]", n.text)
		}
		d.wrongType(n, key, hint)
		return nil
	}
	out := make([]string, len(n.items))
	for i, item := range n.items {
		path := fmt.Sprintf("%s[%d]", key, i)
		if k.Type == Words && isScalar(item) {
			out[i] = item.text
			continue
		}
		if item.kind != text {
			d.wrongType(item, path, "text")
			continue
		}
		out[i] = item.text
		d.checkText(item, k, path, &out[i])
	}
	return out
}

// pairs decodes a map from free names to scalars.
func (d *decoder) pairs(n *node, key string) []Pair {
	if n.kind != mapping {
		d.wrongType(n, key, "a map")
		return nil
	}
	out := make([]Pair, 0, len(n.entries))
	for _, e := range n.entries {
		switch {
		case e.value.kind == null:
		case isScalar(e.value):
			p := Pair{Name: e.name, Value: e.value.text}
			d.checkPair(e.value, key, p)
			out = append(out, p)
		default:
			d.wrongType(e.value, join(key, e.name), "text")
		}
	}
	return out
}

// files decodes a path, or a map from globs to paths.
func (d *decoder) files(n *node, k *Key, key string) File {
	var f File
	switch n.kind {
	case text:
		f.Path = n.text
		d.resolve(n, k, key, &f.Path)
	case mapping:
		for _, e := range n.entries {
			path := join(key, e.name)
			if e.value.kind == null {
				continue
			}
			if e.value.kind != text {
				d.wrongType(e.value, path, "text")
				continue
			}
			to := e.value.text
			d.resolve(e.value, k, path, &to)
			if e.name == "default" {
				f.Path = to
				continue
			}
			f.Models = append(f.Models, Model{Glob: e.name, Path: to})
		}
	default:
		d.wrongType(n, key, "a file, or a map {default: FILE, GLOB: FILE}")
	}
	return f
}

// isScalar reports whether a value is one text, number or boolean.
func isScalar(n *node) bool { return n.kind != null && n.kind != list && n.kind != mapping }
