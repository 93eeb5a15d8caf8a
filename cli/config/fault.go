package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/proemhq/proem/prompt"
)

// Codes of faults and warnings.
const (
	CodeSyntax     = "config.syntax"      // not YAML, or YAML of a kind that is refused
	CodeUnknownKey = "config.unknown_key" // a key that is not in the table
	CodeType       = "config.type"        // a value of another type than the key's
	CodeValue      = "config.value"       // a value that the key does not take
	CodeUserOnly   = "config.user_only"   // a key of the user's in a project's file
	CodeRead       = "config.read"        // a file that cannot be read
	CodeAgent      = "config.agent"       // an agent that does not exist
	CodeUnknownEnv = "config.unknown_env" // a warning: a variable that no key belongs to
)

// A Fault is one thing that is wrong with a configuration.
type Fault struct {
	Code    string // one of the codes above; a stable name
	Path    string // the file, "--set" or the variable
	Line    int    // from 1; 0: not known
	Column  int    // in bytes from 1
	Key     string // the key at fault, or empty
	Message string // what is wrong, beginning with the key
	Err     error  // the cause, or nil
}

// Error returns the fault as one line: path:line:column: message.
func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.Path)
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(f.Message)
	return b.String()
}

// Unwrap returns the cause.
func (f Fault) Unwrap() error { return f.Err }

// Diagnostic returns the fault as the command line prints it.
func (f Fault) Diagnostic() prompt.Diagnostic {
	return prompt.Diagnostic{Severity: prompt.Error, Code: f.Code, Path: f.Path,
		Line: f.Line, Column: f.Column, Message: f.Message}
}

// Faults is the error of [Load]: all that is wrong, in the order of the layers
// and of the lines.
type Faults []Fault

// Error returns one line per fault.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the faults for [errors.Is] and [errors.As].
func (fs Faults) Unwrap() []error {
	out := make([]error, len(fs))
	for i, f := range fs {
		out[i] = f
	}
	return out
}

// Diagnostics returns the faults as the command line prints them.
func (fs Faults) Diagnostics() []prompt.Diagnostic {
	out := make([]prompt.Diagnostic, len(fs))
	for i, f := range fs {
		out[i] = f.Diagnostic()
	}
	return out
}

// visible writes what a terminal would act upon, or nobody can see, as an escape.
// Messages repeat what a file says, and a file may be a stranger's.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}
