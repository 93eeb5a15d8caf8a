package config

import "strings"

// find returns the schema of a key that stands for one thing, or nil.
func find(key string) *schema {
	s := root()
	for _, word := range words(key) {
		if s = s.field(word); s == nil {
			return nil
		}
	}
	return s
}

// lookup splits a key as a person writes it into the names of the maps it goes
// through. Free names may hold dots: of prices.m-4.1.input the middle is one.
// The schema is nil where the value belongs to a map of scalars.
func (s *schema) lookup(key string) (path []string, at *schema, ok bool) {
	word, rest, more := strings.Cut(key, ".")
	if f := s.field(word); f != nil && word != anyName && word != anyItem {
		if !more {
			return []string{word}, f, true
		}
		path, at, ok = f.lookup(rest)
		return append([]string{word}, path...), at, ok
	}
	if key == "" {
		return nil, nil, false
	}
	if each := s.field(anyName); each != nil {
		for i := len(key) - 1; i > 0; i-- {
			if key[i] != '.' {
				continue
			}
			if path, at, ok := each.lookup(key[i+1:]); ok {
				return append([]string{key[:i]}, path...), at, true
			}
		}
		return []string{key}, each, true
	}
	if s.key != nil && (s.key.Type == Pairs || s.key.Type == Files) {
		return []string{key}, nil, true
	}
	return nil, nil, false
}

// nested writes a key with dots the way a file has it.
func nested(key string) string {
	words := strings.Split(key, ".")
	out := strings.Join(words, ": {") + ": …"
	return out + strings.Repeat("}", len(words)-1)
}

// variable returns the environment variable of a key.
func variable(key string) string {
	return "PROEM_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_").Replace(key))
}

// variables returns the keys that variables may set, by the variable's name: all
// keys but those of elements, and the groups.
func variables() map[string]string {
	out := map[string]string{}
	var walk func(s *schema)
	walk = func(s *schema) {
		for _, f := range s.fields {
			if !hasAny(f.path) {
				out[variable(f.path)] = f.path
				walk(f)
			}
		}
	}
	walk(root())
	return out
}

// keyOfVariable returns the key that a variable sets, or an empty string.
func keyOfVariable(name string, known map[string]string) string {
	if key, ok := known[name]; ok {
		return key
	}
	if v, ok := strings.CutPrefix(name, "PROEM_VARIABLES_"); ok && v != "" {
		return "variables." + strings.ToLower(v)
	}
	v, ok := strings.CutPrefix(name, "PROEM_PROVIDERS_")
	if !ok {
		return ""
	}
	for _, f := range find("providers." + anyName).fields {
		p, ok := strings.CutSuffix(v, "_"+strings.ToUpper(f.name))
		if !ok || p == "" {
			continue
		}
		provider := strings.ToLower(p)
		for _, b := range builtin {
			if strings.ReplaceAll(b, "-", "_") == provider {
				provider = b
			}
		}
		return "providers." + provider + "." + f.name
	}
	return ""
}
