package stage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// InterpolateConfig says how references are treated. The zero value is strict:
// every {{name}} must name a variable that has a value.
type InterpolateConfig struct {
	// Optional allows {{name?}}, which is empty if the variable is not registered
	// or has no value. Without it that form is malformed.
	Optional bool
	// Keep leaves references to unknown variables in the text, each with a warning
	// var.missing, instead of refusing the prompt.
	Keep bool
}

// Interpolate replaces references by the values of variables, in one pass: a
// value is never scanned again. Only spans marked as templates are looked at, so
// braces in a user's files can neither fail nor inject. The form of references
// is described at [prompt.Template].
//
// Faults: template.name (what stands between the braces is not a name),
// template.open (braces that open no reference), var.missing, var.no_value. All
// faults of all sections are reported together.
func Interpolate(cfg InterpolateConfig) prompt.Stage {
	return prompt.Stage{
		Name:  "interpolate",
		Doc:   "replaces {{references}} in template sections by the values of variables",
		Local: true,
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) { return interpolate(cfg, a) },
	}
}

func interpolate(cfg InterpolateConfig, a prompt.Assembly) (prompt.Assembly, error) {
	if !slices.ContainsFunc(a.Sections, templated) {
		return a, nil
	}
	var room [64]prompt.Ref
	var counts [32]int
	spans, found, per := measure(a.Sections, room[:0], counts[:0])
	if spans == 0 {
		return a, nil
	}
	w := interpolator{cfg: cfg, vars: a.Vars, out: make(span.Text, 0, spans)}
	sections := make([]prompt.Section, len(a.Sections))
	copy(sections, a.Sections)
	for i := range sections { // from the first text on, as they were measured
		found, per = w.section(&sections[i], found, per)
	}
	a.Sections = sections
	if len(w.diagnostics) > 0 {
		a.Diagnostics = append(a.Diagnostics[:len(a.Diagnostics):len(a.Diagnostics)], w.diagnostics...)
	}
	if len(w.faults) > 0 {
		return a, w.faults
	}
	return a, nil
}

func templated(s prompt.Section) bool {
	return slices.ContainsFunc(s.Text, func(p span.Span) bool { return p.Template })
}

type interpolator struct {
	cfg         InterpolateConfig
	vars        []prompt.Var
	out         span.Text // the expanded sections share it
	faults      prompt.Faults
	diagnostics []prompt.Diagnostic
}

// measure returns how many spans the sections that hold references have at most
// when they are expanded. References in texts that were not parsed before are
// appended to found, and how many each text has to per, so that they are looked
// for once. Both travel by value, which keeps their room on the stack.
func measure(sections []prompt.Section, found []prompt.Ref, per []int) (int, []prompt.Ref, []int) {
	spans := 0
	for i := range sections {
		s := &sections[i]
		refs := 0
		for j := range s.Text {
			if !s.Text[j].Template {
				continue
			}
			if known, ok := s.Refs(j); ok {
				refs += len(known)
				continue
			}
			before := len(found)
			found = prompt.AppendRefs(found, s.Text[j].Text)
			per = append(per, len(found)-before)
			refs += len(found) - before
		}
		if refs > 0 {
			spans += len(s.Text) + 2*refs
		}
	}
	return spans, found, per
}

// section replaces the text of a section that holds references, and returns what
// is left of what measure found.
func (w *interpolator) section(s *prompt.Section, found []prompt.Ref, per []int) ([]prompt.Ref, []int) {
	start, done := len(w.out), 0 // done: spans that were written
	for j := range s.Text {
		if !s.Text[j].Template {
			continue
		}
		refs, ok := s.Refs(j)
		if !ok {
			refs, found, per = found[:per[0]], found[per[0]:], per[1:]
		}
		if len(refs) == 0 {
			continue
		}
		w.out = append(w.out, s.Text[done:j]...)
		w.expand(s, j, refs)
		done = j + 1
	}
	if done > 0 {
		w.out = append(w.out, s.Text[done:]...)
		s.Text = w.out[start:len(w.out):len(w.out)]
	}
	return found, per
}

// expand writes span j of a section with its references replaced.
func (w *interpolator) expand(s *prompt.Section, j int, refs []prompt.Ref) {
	sp, at := s.Text[j], 0
	for i := range refs {
		r := &refs[i]
		value, from, ok := w.value(s, j, r)
		if !ok {
			continue // the reference stays in the text
		}
		w.literal(&sp, at, r.Lo)
		if value != "" {
			w.out = append(w.out, span.Span{Text: value, From: from})
		}
		at = r.Hi
	}
	w.literal(&sp, at, len(sp.Text))
}

func (w *interpolator) literal(sp *span.Span, lo, hi int) {
	if lo >= hi {
		return
	}
	piece := span.Span{Text: sp.Text[lo:hi], From: sp.From, Off: sp.Off}
	if sp.Off >= 0 {
		piece.Off += int32(lo)
	}
	w.out = append(w.out, piece)
}

func (w *interpolator) value(s *prompt.Section, j int, r *prompt.Ref) (string, *span.Origin, bool) {
	sp := &s.Text[j]
	optional := r.Optional && w.cfg.Optional
	if r.Fault == prompt.RefOK && (optional || !r.Optional) {
		if v := w.variable(r.Name); v != nil {
			if v.None && !optional {
				w.fault(s, j, r, "var.no_value", fmt.Sprintf("the variable %q has no value at present", r.Name))
				return "", nil, false
			}
			return v.Value, v.From, true
		}
		if optional {
			return "", nil, true
		}
	}
	switch {
	case r.Fault == prompt.RefBadOpen:
		w.fault(s, j, r, "template.open", fmt.Sprintf("%q opens no reference: write {{name}}", r.Excerpt(sp.Text)))
	case r.Fault == prompt.RefBadName || r.Optional:
		name := sp.Text[r.Lo+2 : r.Hi-2]
		w.fault(s, j, r, "template.name", fmt.Sprintf("%q is not the name of a variable: a lower-case letter followed by lower-case letters, digits and underscores, without spaces", name))
	case w.cfg.Keep:
		line, column, offset := position(s.Text, j, r.Lo)
		w.diagnostics = append(w.diagnostics, prompt.Diagnostic{
			Severity: prompt.Warning, Code: "var.missing", Path: filePath(sp.From), Line: line, Column: column, Offset: offset,
			Message: fmt.Sprintf("section %q refers to the variable %q, which is not registered; the reference is sent as it is", s.Name, r.Name),
		})
	default:
		w.fault(s, j, r, "var.missing", fmt.Sprintf("the variable %q is not registered; %s", r.Name, w.names()))
	}
	return "", nil, false
}

// variable returns the variable of a name, or nil. Names of variables tend to
// differ at their ends, so that is where the comparison begins.
func (w *interpolator) variable(name string) *prompt.Var {
	end := name[len(name)-1]
	for i := range w.vars {
		v := &w.vars[i]
		if len(v.Name) == len(name) && v.Name[len(name)-1] == end && v.Name == name {
			return v
		}
	}
	return nil
}

func (w *interpolator) fault(s *prompt.Section, j int, r *prompt.Ref, code, message string) {
	line, column, _ := position(s.Text, j, r.Lo)
	w.faults = append(w.faults, prompt.Fault{
		Code: code, Stage: "interpolate", Section: s.Name, Channel: s.Channel,
		Path: filePath(s.Text[j].From), Line: line, Column: column, Message: message,
	})
}

// position returns the place of an offset in span j of a text: line and column,
// in bytes and from 1, and the offset in the text.
func position(t span.Text, j, lo int) (line, column, offset int) {
	before := t[:j].String() + t[j].Text[:lo]
	return 1 + strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n'), len(before)
}

// filePath returns the path of a text that is a whole file, so that a line of
// the text is a line of the file.
func filePath(from *span.Origin) string {
	if from == nil || from.Source != "file" {
		return ""
	}
	return from.Path
}

func path(from *span.Origin) string {
	if from == nil {
		return ""
	}
	return from.Path
}

// names lists the registered variables for a message, in their order.
func (w *interpolator) names() string {
	if len(w.vars) == 0 {
		return "there are no variables"
	}
	names := make([]string, len(w.vars))
	for i := range w.vars {
		names[i] = w.vars[i].Name
	}
	return "there are: " + strings.Join(names, ", ")
}
