package prompt

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/span"
)

// Severity says how much a diagnostic matters.
type Severity uint8

// The severities.
const (
	Info Severity = iota
	Warning
	Error
)

var severityNames = [...]string{"info", "warning", "error"}

// String returns the name used in output, such as "warning".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "unknown"
}

// MarshalText implements [encoding.TextMarshaler].
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *Severity) UnmarshalText(b []byte) error {
	for i, n := range severityNames {
		if n == string(b) {
			*s = Severity(i)
			return nil
		}
	}
	return fmt.Errorf("unknown severity %q", b)
}

// A Diagnostic is what a person should know about a prompt: a stable code for
// machines and a sentence for people.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"`   // such as "doc.truncated"
	Path     string   `json:"path"`   // the file, or empty
	Line     int      `json:"line"`   // from 1; 0: not known
	Column   int      `json:"column"` // in bytes from 1; 0: not known
	Offset   int      `json:"offset"` // in bytes from 0
	Message  string   `json:"message"`
}

// String returns the form in which the command line prints a diagnostic:
// severity, code, place, message.
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.Severity.String())
	b.WriteByte(' ')
	b.WriteString(d.Code)
	if d.Path != "" {
		b.WriteByte(' ')
		b.WriteString(d.Path)
		if d.Line > 0 {
			fmt.Fprintf(&b, ":%d", d.Line)
			if d.Column > 0 {
				fmt.Fprintf(&b, ":%d", d.Column)
			}
		}
	}
	b.WriteString(": ")
	b.WriteString(d.Message)
	return b.String()
}

// A Note says why something is absent or was changed: one receipt for one
// section, tool or file.
type Note struct {
	Name   string // the section, tool or document
	Path   string // its file, or empty
	Stage  string // the stage or source that decided; "resolve" for Resolve
	Reason string
	From   *span.Origin // nil: not known
	// Tokens is what leaving it out saved, where a budget decided.
	Tokens int
}

// A Fault is one reason why a prompt cannot be assembled.
type Fault struct {
	Code    string // such as "var.missing"; a stable name
	Stage   string // where it was found
	Section string // the section at fault, or empty
	Channel Channel
	Path    string // the file of the section, or empty
	Line    int    // from 1, in Path or in the section's text; 0: not known
	Column  int    // in bytes from 1
	Message string
	Err     error // the cause, or nil
}

// Error returns the fault as one line.
func (f Fault) Error() string {
	var b strings.Builder
	b.WriteString(f.Code)
	b.WriteString(": ")
	switch {
	case f.Path != "":
		b.WriteString(f.Path)
	case f.Section != "":
		fmt.Fprintf(&b, "%s section %q", f.Channel, f.Section)
	}
	if f.Line > 0 {
		fmt.Fprintf(&b, ":%d", f.Line)
		if f.Column > 0 {
			fmt.Fprintf(&b, ":%d", f.Column)
		}
	}
	if f.Path != "" || f.Section != "" {
		b.WriteString(": ")
	}
	b.WriteString(f.Message)
	return b.String()
}

// Unwrap returns the cause.
func (f Fault) Unwrap() error { return f.Err }

// Diagnostic returns the fault as a diagnostic of severity error.
func (f Fault) Diagnostic() Diagnostic {
	d := Diagnostic{Severity: Error, Code: f.Code, Path: f.Path, Line: f.Line, Column: f.Column, Message: f.Message}
	if f.Section != "" {
		d.Message = fmt.Sprintf("%s section %q: %s", f.Channel, f.Section, f.Message)
		if f.Path == "" && f.Line > 0 {
			d.Message = fmt.Sprintf("%s section %q, line %d, column %d: %s", f.Channel, f.Section, f.Line, f.Column, f.Message)
		}
	}
	return d
}

// Faults is the error of an assembly: every reason at once, in the order in
// which they were found.
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
