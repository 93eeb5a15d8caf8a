// Package gitignore tells which files of a tree git would ignore.
//
// The rules of a .gitignore are parsed once and pushed on a stack when a walk
// enters its directory; the innermost file has the last word:
//
//	var s *gitignore.Stack
//	s = s.Push(".", gitignore.Parse([]byte("*.log\n!keep.log\nbuild/\n")))
//	s.Ignored("a/x.log", false)  // true
//	s.Ignored("keep.log", false) // false
//	s.Ignored("build", true)     // true: a walk does not enter it
//
// As in git, what lies in an ignored directory is ignored: a walk that does not
// enter one need not ask. As its manual says, and unlike git itself, stars next to
// something else in their part are one star: "a**/b" is "a*/b".
//
// The package is pure and uses the standard library only.
package gitignore

import (
	"bytes"
	"strings"
)

// Rules are those of one file, in its order.
type Rules []rule

type rule struct {
	not     bool     // a match means that it is not ignored
	dirOnly bool     // it matches directories only
	any     bool     // it matches the last part of a name, in whatever directory
	parts   []string // between slashes
}

// Parse reads the text of a .gitignore. What is no rule is passed over.
func Parse(b []byte) Rules {
	var rules Rules
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	for line := range strings.SplitSeq(string(b), "\n") {
		line = trimSpace(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		var r rule
		line, r.not = strings.CutPrefix(line, "!")
		line, r.dirOnly = strings.CutSuffix(line, "/")
		r.any = !strings.Contains(line, "/")
		if line = strings.TrimPrefix(line, "/"); line == "" {
			continue
		}
		r.parts = strings.Split(line, "/")
		for i, part := range r.parts[:len(r.parts)-1] {
			if escapes(part) { // "\/" is a slash
				r.parts[i] = part[:len(part)-1]
			}
		}
		rules = append(rules, r)
	}
	return rules
}

// escapes reports whether what follows s is escaped.
func escapes(s string) bool { return (len(s)-len(strings.TrimRight(s, `\`)))%2 == 1 }

// trimSpace removes trailing blanks, but not one behind a backslash.
func trimSpace(s string) string {
	for strings.HasSuffix(s, " ") {
		if escapes(s[:len(s)-1]) {
			break
		}
		s = s[:len(s)-1]
	}
	return s
}

// A Stack is the rules that hold in a directory. The zero pointer has none. It
// does not change and may be used concurrently.
type Stack struct {
	above *Stack
	dir   string // with a slash at its end, or empty
	rules Rules
}

// Push returns the stack with the rules of the file in a directory, a name with
// slashes; "." is the root of the tree.
func (s *Stack) Push(dir string, rules Rules) *Stack {
	if len(rules) == 0 {
		return s
	}
	if dir == "." {
		dir = ""
	} else {
		dir += "/"
	}
	return &Stack{above: s, dir: dir, rules: rules}
}

// Ignored reports whether a name below the root of the tree is ignored.
func (s *Stack) Ignored(name string, isDir bool) bool {
	for ; s != nil; s = s.above {
		below, ok := strings.CutPrefix(name, s.dir)
		if !ok {
			continue
		}
		parts := strings.Split(below, "/")
		for i := len(s.rules) - 1; i >= 0; i-- {
			if r := s.rules[i]; (isDir || !r.dirOnly) && r.match(parts) {
				return !r.not
			}
		}
	}
	return false
}

func (r rule) match(name []string) bool {
	if r.any {
		return matchPart(r.parts[0], name[len(name)-1])
	}
	return matchParts(r.parts, name)
}

// matchParts matches part by part. Two stars stand for any number of parts, at
// the end for at least one.
func matchParts(pattern, name []string) bool {
	p, n := 0, 0
	star, again := -1, 0 // the last two stars, and where they stopped
	for {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			if p == len(pattern)-1 {
				return n < len(name)
			}
			star, again = p, n
			p++
			continue
		case p == len(pattern) && n == len(name):
			return true
		case p < len(pattern) && n < len(name) && matchPart(pattern[p], name[n]):
			p, n = p+1, n+1
			continue
		}
		if star < 0 || again >= len(name) {
			return false
		}
		again++
		p, n = star+1, again
	}
}
