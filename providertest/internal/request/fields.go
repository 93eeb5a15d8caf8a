package request

import (
	"slices"
	"strings"
)

// fields are the members that an object may have, with the kinds of their values:
// s string, n number, i whole number, b boolean, o object, a array, z null, x any.
// A member that must be there ends in !.
type fields map[string]string

// members reads a list like "model:s! stream:bz".
func members(list string) fields {
	f := fields{}
	for _, s := range strings.Fields(list) {
		name, kinds, _ := strings.Cut(s, ":")
		f[name] = kinds
	}
	return f
}

var letters = map[byte]string{'s': `"`, 'n': "0", 'i': "0", 'b': "t", 'o': "{", 'a': "[", 'z': "n"}

// object checks the members of an object. It reports whether it is one.
func (c *checker) object(path string, v *value, f fields, more ...string) bool {
	if !v.is("{") {
		if v == nil {
			c.fail(path, "is missing")
		} else {
			c.fail(path, "is %s, not an object", kindNames[v.kind])
		}
		return false
	}
	at := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	for i := range v.members {
		m := &v.members[i]
		kinds, ok := f[m.name]
		switch {
		case !ok && !slices.Contains(more, m.name):
			c.fail(at(m.name), "is not known: extra members are not permitted")
		case ok && !fits(m.value, strings.TrimSuffix(kinds, "!")):
			c.fail(at(m.name), "is %s %s, which is not allowed here", kindNames[m.kind], clip(m.raw))
		}
	}
	var missing []string
	for name, kinds := range f {
		if strings.HasSuffix(kinds, "!") && v.get(name) == nil {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	for _, name := range missing {
		c.fail(at(name), "is missing")
	}
	return true
}

func fits(v *value, kinds string) bool {
	for i := range len(kinds) {
		k := kinds[i]
		if k == 'x' || v.is(letters[k]) && (k != 'i' || v.whole()) {
			return true
		}
	}
	return false
}

func clip(b []byte) string {
	const most = 60
	if len(b) <= most {
		return string(b)
	}
	return strings.ToValidUTF8(string(b[:most]), "") + "…"
}

// between checks the range of a number that is there.
func (c *checker) between(v *value, name string, lo, hi float64) {
	if n := v.get(name); n.is("0") && (n.number() < lo || n.number() > hi) {
		c.fail(name, "%s is not between %g and %g", n.str, lo, hi)
	}
}

// oneOf checks that a string that is there is one of some words.
func (c *checker) oneOf(path string, v *value, words ...string) {
	if v.is(`"`) && !slices.Contains(words, v.str) {
		c.fail(path, "%q is none of %s", v.str, strings.Join(words, ", "))
	}
}
