package prompt

import (
	"strings"
	"unicode/utf16"
)

// A Template is the parsed form of one template text: literal pieces and
// references to variables. It is immutable.
//
// Scanning goes left to right for "{{" (reference-deepseek.md §1.10):
//
//  1. If "{{", characters other than braces, and "}}" follow, it is a group. Its
//     inside must be a name [a-z][a-z0-9_]*, with "?" behind it if optional
//     references are allowed.
//  2. Otherwise, if "}}" occurs anywhere behind the two braces, the reference is
//     malformed.
//  3. Otherwise the two braces are ordinary text, and scanning goes on behind
//     them.
//
// A lone "}}" is ordinary text. There is no escape.
type Template struct {
	Source string
	// Refs are the groups and the malformed places, in order.
	Refs []Ref
}

// A Ref is one reference in a template.
type Ref struct {
	Lo, Hi   int    // bytes of the source that the value replaces
	Name     string // what stands between the braces, without the "?"
	Optional bool   // written {{name?}}
	Fault    RefFault
}

// RefFault says what is wrong with the form of a reference.
type RefFault uint8

// The forms of a reference.
const (
	RefOK      RefFault = iota
	RefBadName          // a group whose inside is not a name
	RefBadOpen          // "{{" without a group, although "}}" follows somewhere
)

// ParseTemplate parses a template text. It never fails: malformed references
// are recorded and reported when the template is used.
func ParseTemplate(s string) *Template {
	return &Template{Source: s, Refs: AppendRefs(nil, s)}
}

// AppendRefs appends the references of a template text to dst.
func AppendRefs(dst []Ref, s string) []Ref {
	lastClose := -2 // not looked for yet
	for at := 0; ; {
		i := strings.Index(s[at:], "{{")
		if i < 0 {
			return dst
		}
		lo := at + i
		inside := s[lo+2:]
		n := indexBrace(inside)
		if strings.HasPrefix(inside[n:], "}}") {
			ref := Ref{Lo: lo, Hi: lo + 2 + n + 2, Name: inside[:n]}
			if name, ok := strings.CutSuffix(ref.Name, "?"); ok && IsVarName(name) {
				ref.Name, ref.Optional = name, true
			}
			if !IsVarName(ref.Name) {
				ref.Fault = RefBadName
			}
			dst = append(dst, ref)
			at = ref.Hi
			continue
		}
		if lastClose == -2 {
			lastClose = strings.LastIndex(s, "}}")
		}
		if lastClose >= lo+2 {
			dst = append(dst, Ref{Lo: lo, Hi: lo + 2, Fault: RefBadOpen})
		}
		at = lo + 2
	}
}

// indexBrace returns the place of the first brace, or the length.
func indexBrace(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '{' || s[i] == '}' {
			return i
		}
	}
	return len(s)
}

// IsVarName reports whether s is a variable name: [a-z][a-z0-9_]*.
func IsVarName(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z':
		case i > 0 && ('0' <= c && c <= '9' || c == '_'):
		default:
			return false
		}
	}
	return s != ""
}

// Excerpt returns up to 16 UTF-16 code units of a template text from the
// reference on, for a message. A rune is never cut in half.
func (r Ref) Excerpt(source string) string {
	units := 0
	for i, c := range source[r.Lo:] {
		units += utf16.RuneLen(c)
		if units > 16 {
			return source[r.Lo : r.Lo+i]
		}
	}
	return source[r.Lo:]
}

// Refs returns the references in a span of the section if they are known: its
// definition's own text was parsed when it was registered, and no stage rewrote
// it since. Otherwise AppendRefs finds them.
func (s *Section) Refs(i int) (refs []Ref, known bool) {
	// Comparing strings that share their bytes costs nothing.
	if s.parsed != nil && len(s.Text) == 1 && s.parsed.Source == s.Text[i].Text {
		return s.parsed.Refs, true
	}
	return nil, false
}
