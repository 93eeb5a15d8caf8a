package lint

import (
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// templates looks for references in texts that are no templates. In files braces
// are common, so there only the names of variables count.
func (l *linter) templates(p *Prompt, texts []*text) {
	a := &p.Preview.Assembly
	reported := func(section, name string) bool {
		return slices.ContainsFunc(p.Preview.Diagnostics, func(d prompt.Diagnostic) bool {
			return d.Code == "var.missing" && strings.Contains(d.Message, `"`+section+`"`) && strings.Contains(d.Message, `"`+name+`"`)
		})
	}
	for _, t := range texts {
		for _, r := range prompt.AppendRefs(nil, t.body) {
			if r.Fault != prompt.RefOK || t.inCode(r.Lo) || isValue(a, t.spans.At(r.Lo)) || reported(t.name, r.Name) {
				continue
			}
			exists := slices.ContainsFunc(a.Vars, func(v prompt.Var) bool { return v.Name == r.Name })
			file := t.section.Doc != nil
			switch {
			case exists && file:
				l.reportAs(ruleUndeclared, prompt.Info, t, r.Lo, r.Hi, "%s is sent as it is: files are no templates, though there is a variable of that name", t.body[r.Lo:r.Hi])
			case exists:
				l.report(ruleUndeclared, t, r.Lo, r.Hi, "%s is sent as it is: this text is no template; declare it as a section with template: true", t.body[r.Lo:r.Hi])
			case !file:
				l.reportAs(ruleUndeclared, prompt.Info, t, r.Lo, r.Hi, "%s looks like a reference and is sent as it is: this text is no template, and there is no such variable", t.body[r.Lo:r.Hi])
			}
		}
	}
}

// isValue reports whether a span is the value of a variable.
func isValue(a *prompt.Assembly, s span.Span) bool {
	return s.From != nil && slices.ContainsFunc(a.Vars, func(v prompt.Var) bool { return v.From == s.From })
}
