package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
)

// A Finding is one fault at one place.
type Finding struct {
	Rule     string          `json:"rule"`
	Severity prompt.Severity `json:"severity"`
	Place
	Section string   `json:"section"` // of the prompt, where the text is one's own
	Message string   `json:"message"`
	Agents  []string `json:"agents"` // in whose prompts it is; empty: it does not depend on an agent
	Edits   []Edit   `json:"edits"`  // what repairs it; empty: there is not one right way
	// Reason says why the finding is suppressed.
	Reason string `json:"reason,omitempty"`
}

// A Place is a range of a file. Columns count bytes from 1, offsets bytes from 0;
// ends are exclusive. What is not known is 0.
type Place struct {
	Path      string `json:"path"` // absolute; empty: the text is of no file
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

// An Edit replaces bytes of the file that a finding is in.
type Edit struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// String returns the finding in the form of a diagnostic.
func (f Finding) String() string {
	return prompt.Diagnostic{Severity: f.Severity, Code: f.Rule, Path: f.Path, Line: f.Line, Column: f.Column, Message: f.Message}.String()
}

// A Report is what was found: the document of schema proem.lint/1.
type Report struct {
	Schema   string    `json:"schema"`
	Agents   []string  `json:"agents"`
	Findings []Finding `json:"findings"`
	// Suppressed are the findings that a comment suppresses, with its reason.
	Suppressed []Finding `json:"suppressed"`
	// Fixed are the findings that were repaired before this report was made.
	Fixed   []Finding `json:"fixed"`
	Summary Summary   `json:"summary"`

	texts map[string]string // of the files with findings, as they lie on disk
}

// Schema names the form of a Report.
const Schema = "proem.lint/1"

// A Summary counts the findings that are not suppressed.
type Summary struct {
	Errors     int `json:"errors"`
	Warnings   int `json:"warnings"`
	Infos      int `json:"infos"`
	Fixable    int `json:"fixable"` // that have edits
	Suppressed int `json:"suppressed"`
}

// Failed reports whether there is an error or a warning.
func (r Report) Failed() bool { return r.Summary.Errors+r.Summary.Warnings > 0 }

// Source returns the text of a line of a file with findings, without its end.
func (r Report) Source(path string, line int) (string, bool) {
	text, ok := r.texts[path]
	if !ok || line < 1 {
		return "", false
	}
	lo, hi, ok := lineOf(text, line)
	return text[lo:hi], ok
}

func (r *Report) count() {
	r.Summary = Summary{Suppressed: len(r.Suppressed)}
	for _, f := range r.Findings {
		switch f.Severity {
		case prompt.Error:
			r.Summary.Errors++
		case prompt.Warning:
			r.Summary.Warnings++
		default:
			r.Summary.Infos++
		}
		if len(f.Edits) > 0 {
			r.Summary.Fixable++
		}
	}
}

// key is what makes two findings the same, whichever agent they are of.
func (f *Finding) key() string {
	return fmt.Sprintf("%s\x00%s\x00%d:%d\x00%s\x00%s", f.Rule, f.Path, f.Line, f.Column, f.Section, f.Message)
}

// order sorts findings by place, then by rule.
func order(fs []Finding) {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.Section, b.Section), strings.Compare(a.Message, b.Message))
	})
}
