// Package names compares paths with globs. What forbids is compared folded, so
// that every spelling that some file system takes for the same name matches; what
// allows is compared byte by byte.
//
//	g, err := names.Compile("secrets/**", []string{"/w"}, "", true)
//	g.Match(names.Fold("/w/Secrets/key")) // true
//
// It looks at names only and at no file.
package names

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// Check says what is wrong with a glob.
func Check(glob string) error {
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

// A Glob is a glob of absolute paths: alternatives, each a list of segments.
type Glob [][]string

// Compile makes a glob absolute: below each root, below home, or as it is. What
// forbids (loose) is folded, holds for what lies below, and if it begins with "**"
// also outside of the roots.
func Compile(pattern string, roots []string, home string, loose bool) (Glob, error) {
	var whole []string
	switch {
	case pattern == "~" || strings.HasPrefix(pattern, "~/"):
		if home == "" {
			return nil, errors.New("the glob begins with ~ and no home is known")
		}
		whole = []string{Escape(home) + pattern[1:]}
	case Absolute(pattern):
		whole = []string{pattern}
	case loose && (pattern == "**" || strings.HasPrefix(pattern, "**/")):
		whole = []string{"/" + pattern}
	default:
		for _, r := range roots {
			whole = append(whole, strings.TrimSuffix(Escape(r), "/")+"/"+pattern)
		}
	}
	var g Glob
	for _, w := range whole {
		if strings.HasSuffix(w, "/") {
			w += "**"
		}
		if loose {
			w = Fold(w) + "/**"
		}
		g = append(g, segments(w))
	}
	return g, nil
}

// Escape takes the meaning of a glob from a path.
func Escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "{", `\{`).Replace(s)
}

// Match reports whether an absolute path, already folded if the glob is, matches.
func (g Glob) Match(name string) bool {
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

// Absolute reports whether a path with slashes is absolute here.
func Absolute(name string) bool {
	return strings.HasPrefix(name, "/") || filepath.IsAbs(filepath.FromSlash(name))
}

// Clean makes a path absolute, with slashes, without "." and "..". A relative one
// is meant below base.
func Clean(base, name string) string {
	name = filepath.ToSlash(name)
	if !Absolute(name) {
		name = filepath.ToSlash(base) + "/" + name
	}
	return path.Clean(name)
}

// Inside reports whether an absolute path is a root or lies below it.
func Inside(root, name string) bool {
	return root == "/" || name == root || strings.HasPrefix(name, root+"/")
}
