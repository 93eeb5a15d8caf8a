package frontmatter

import (
	"strings"
	"unicode"

	"github.com/proemhq/proem/internal/textnorm"
)

// A Kind is the kind of a value.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	Text
	List
	Map
)

// String returns the kind as a message calls it.
func (k Kind) String() string {
	return [...]string{"empty", "true or false", "a number", "a text", "a list", "a map"}[k]
}

// A Value is what stands under a key.
type Value struct {
	Kind   Kind
	Text   string  // of a Bool, a Number, as written, or a Text
	Items  []Value // of a List
	Fields []Field // of a Map
	Line   int     // from 1
}

// A Field is a key with its value.
type Field struct {
	Name  string
	Value Value
	Line  int // of the key, from 1
}

// Scalar returns the text of a value that is written as one: a text, a number,
// true or false.
func (v Value) Scalar() (string, bool) {
	return v.Text, v.Kind == Bool || v.Kind == Number || v.Kind == Text
}

// Strings returns the texts of a list, or those that a text names between
// commas, without blank ones. It is not ok for anything else. The list of a null
// is nil, that of an empty list is not.
func (v Value) Strings() (list []string, ok bool) {
	switch v.Kind {
	case Null:
		return nil, true
	case List:
		list = []string{}
		for _, i := range v.Items {
			s, ok := i.Scalar()
			if !ok {
				return nil, false
			}
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
		return list, true
	case Map:
		return nil, false
	}
	list = []string{}
	for s := range strings.SplitSeq(v.Text, ",") {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list, true
}

// OneLine returns s on one line: white space and control characters between
// words become one blank each, those at the ends go.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// clean normalises a decoded value as package load does a file.
func clean(s string) (string, bool) {
	out := textnorm.Rest([]byte(s), false).Text
	return out, out == s
}
