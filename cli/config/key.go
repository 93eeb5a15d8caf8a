package config

import "slices"

// A Type is the type of a key's value.
type Type string

// The types.
const (
	String   Type = "string"   // text
	Bool     Type = "bool"     // true or false
	Int      Type = "int"      // a whole number, decimal
	Float    Type = "float"    // a finite number
	Duration Type = "duration" // such as 2s or 1m30s
	Strings  Type = "strings"  // a list of texts
	Words    Type = "words"    // a list of texts and numbers, kept as written
	Pairs    Type = "pairs"    // a map from names to texts or numbers, kept as written
	PathType Type = "path"     // a file, relative to the file that names it
	Files    Type = "files"    // a path, or a map {default: PATH, GLOB: PATH}
	List     Type = "list"     // a list of maps; their keys are those that begin with KEY[]
	Map      Type = "map"      // a map of maps; their keys are those that begin with KEY.*
)

// A Key is a row of the table of keys.
type Key struct {
	// Name is the path of the key, with dots. "[]" stands for any element of a list
	// and "*" for any name, as in sections[].text and providers.*.base_url.
	Name string
	Type Type // of the value
	// Default is the value in YAML where there is one; empty: nothing, false or
	// zero, which then means what Otherwise says.
	Default   string
	Otherwise string   // what holds without a value
	Values    []string // the allowed values of a string; nil: any
	Min, Max  float64  // bounds of a number; both 0: any that is not negative
	Required  bool     // an element without it is a fault
	UserOnly  bool     // refused in a project's file
	// Inside says that the paths of a project's file must stay below its root, or
	// below the directory they are relative to.
	Inside  bool
	Meaning string // one line

	field func(owner any) any // from a pointer to the struct to a pointer to the field
}

// Keys returns the table of keys, in the order of the documentation. The keys of
// elements follow their list or map.
func Keys() []Key { return slices.Clone(table) }

// Variable returns the environment variable of a key, such as
// PROEM_PROJECT_MAX_BYTES, or an empty string for the keys of elements, which
// are set with their list. Keys of maps have variables too, see [Load].
func (k Key) Variable() string {
	if hasAny(k.Name) {
		return ""
	}
	return variable(k.Name)
}

// of makes a field of a function on a struct.
func of[T any](f func(*T) any) func(any) any {
	return func(owner any) any { return f(owner.(*T)) }
}
