package config

import (
	"cmp"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// environment reads the variables, in the order of their names; of two lines for
// one variable the later counts. An empty variable is one that is not set.
func (l *loader) environment(lines []string, cwd string) {
	known := variables()
	values := map[string]string{}
	for _, line := range lines {
		name, value, ok := strings.Cut(line, "=")
		if ok && strings.HasPrefix(name, "PROEM_") {
			values[name] = value
		}
	}
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		key := keyOfVariable(name, known)
		switch {
		case key == "":
			l.unknownVariable(name, known)
		case values[name] != "":
			from := &layer{name: EnvironmentLayer, path: name, dir: cwd, trust: span.User}
			l.assign(key, values[name], 0, from)
		}
	}
}

func (l *loader) unknownVariable(name string, known map[string]string) {
	all := make([]string, 0, len(known))
	for v := range known {
		all = append(all, v)
	}
	slices.SortFunc(all, cmp.Compare[string])
	message := "no key belongs to this variable"
	if near := nearest(name[len("PROEM_"):], trimAll(all)); near != "" {
		message += "; did you mean PROEM_" + near + "?"
	}
	l.notes = append(l.notes, prompt.Diagnostic{Severity: prompt.Warning, Code: CodeUnknownEnv, Path: name, Message: message})
}

func trimAll(names []string) []string {
	for i := range names {
		names[i] = strings.TrimPrefix(names[i], "PROEM_")
	}
	return names
}

// sets reads the assignments of the command line, in their order.
func (l *loader) sets(lines []string, cwd string) {
	for _, line := range lines {
		from := &layer{name: SetLayer, path: "--set", dir: cwd, trust: span.User}
		key, value, ok := strings.Cut(line, "=")
		if !ok || key == "" {
			l.fault(CodeSyntax, from, line, "it must be KEY=VALUE")
			continue
		}
		l.assign(key, value, len(key)+1, from)
	}
}

// assign makes a layer of one key with a value in YAML, which stands behind
// shift bytes of its line.
func (l *loader) assign(key, value string, shift int, from *layer) {
	path, at, ok := root().lookup(key)
	if !ok {
		l.unknownKey(key, from)
		return
	}
	isText := at == nil || at.key != nil && (at.key.Type == String || at.key.Type == PathType || at.key.Type == Files)
	n, faults := parse(value, from, shift)
	switch {
	case faults != nil:
		for i := range faults {
			faults[i].Key, faults[i].Message = key, visible(key)+": "+faults[i].Message
			if isText {
				faults[i].Message += "; put a text that is not plain YAML into quotes"
			}
		}
		l.faults = append(l.faults, faults...)
		return
	case n.kind == null && n.text == "" && strings.TrimSpace(value) != "":
		l.fault(CodeValue, from, key, "the value is only a comment; put it into quotes")
		return
	case n.kind == null && n.text == "" && isText:
		n.kind = text
	}
	if name := path[len(path)-1]; at != nil && at.name == anyName && n.kind != mapping && strings.Contains(name, ".") {
		l.unknownKey(key, from) // no map of that name, but a field of it
		return
	}
	l.add(wrap(path, n, 1, 1))
}

func (l *loader) unknownKey(key string, from *layer) {
	if i := strings.IndexByte(key, '['); i > 0 && find(key[:i]) != nil {
		l.fault(CodeUnknownKey, from, key, "a list is given as a whole: "+key[:i]+"=[…]")
		return
	}
	var all []string
	for _, k := range table {
		all = append(all, k.Name)
	}
	dot := strings.LastIndexByte(key, '.')
	near := nearest(key, slices.DeleteFunc(all, hasAny))
	if near == "" {
		near = root().suggest(key[dot+1:])
	}
	if path, at, _ := root().lookup(key); at != nil && at.name == anyName {
		near = nearest(key[dot+1:], at.names())
		if near != "" {
			near = path[0] + "." + path[1][:strings.LastIndexByte(path[1], '.')+1] + near
		}
	}
	message := "unknown key"
	if near != "" {
		message += "; did you mean " + near + "?"
	}
	l.fault(CodeUnknownKey, from, key, message)
}
