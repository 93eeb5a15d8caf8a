package permit

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// checkGlob says what is wrong with a glob.
func checkGlob(glob string) error {
	escaped := false
	for _, r := range glob {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case r == '{':
			return errors.New("braces mean nothing in a glob; write a rule for each")
		}
	}
	for seg := range strings.SplitSeq(glob, "/") {
		if seg == ".." || seg == "." {
			return fmt.Errorf("the glob holds %q; write the path without it", seg)
		}
		if strings.Contains(seg, "**") && seg != "**" {
			return errors.New("** stands alone between slashes")
		}
		if _, err := path.Match(seg, ""); err != nil {
			return fmt.Errorf("the glob is malformed at %q", seg)
		}
	}
	return nil
}

// glob is a compiled glob of absolute paths.
type glob [][]string // alternatives, each a list of segments

// compile makes a glob absolute: below each root, below home, or as it is. What
// forbids (loose) is folded, holds for what lies below, and if it begins with "**"
// also outside of the roots.
func compile(pattern string, roots []string, home string, loose bool) (glob, error) {
	var whole []string
	switch {
	case pattern == "~" || strings.HasPrefix(pattern, "~/"):
		if home == "" {
			return nil, errors.New("the glob begins with ~ and no home is known")
		}
		whole = []string{escapeGlob(home) + pattern[1:]}
	case absolute(pattern):
		whole = []string{pattern}
	case loose && (pattern == "**" || strings.HasPrefix(pattern, "**/")):
		whole = []string{"/" + pattern}
	default:
		for _, r := range roots {
			whole = append(whole, strings.TrimSuffix(escapeGlob(r), "/")+"/"+pattern)
		}
	}
	var g glob
	for _, w := range whole {
		if strings.HasSuffix(w, "/") {
			w += "**"
		}
		if loose {
			w = fold(w) + "/**"
		}
		g = append(g, segments(w))
	}
	return g, nil
}

func escapeGlob(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(s)
}

// match reports whether an absolute path, already folded if the glob is, matches.
func (g glob) match(name string) bool {
	segs := segments(name)
	for _, pattern := range g {
		if matchSegments(pattern, segs) {
			return true
		}
	}
	return false
}

func segments(name string) []string { return strings.Split(strings.Trim(name, "/"), "/") }

// matchSegments goes back to the last "**" only, which is enough.
func matchSegments(pattern, name []string) bool {
	p, n, star, from := 0, 0, -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, from = p, n
			p++
		case p < len(pattern) && matchOne(pattern[p], name[n]):
			p++
			n++
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

func matchOne(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// absolute reports whether a path with slashes is absolute here.
func absolute(name string) bool {
	return strings.HasPrefix(name, "/") || filepath.IsAbs(filepath.FromSlash(name))
}

// clean makes a path absolute, with slashes, without "." and "..". A relative one
// is meant below base.
func clean(base, name string) string {
	name = filepath.ToSlash(name)
	if !absolute(name) {
		name = filepath.ToSlash(base) + "/" + name
	}
	return path.Clean(name)
}

// inside reports whether an absolute path is a root or lies below it.
func inside(root, name string) bool {
	return root == "/" || name == root || strings.HasPrefix(name, root+"/")
}
