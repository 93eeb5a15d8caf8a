package stage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
)

// A VisibilityRule hides tools, or shows some that an earlier rule hid. What is
// left empty matches everything.
type VisibilityRule struct {
	// Name tells people which rule it was, such as "plan mode". Empty: the rule's
	// patterns.
	Name string
	// Tool is the name of a tool; "*" stands for any run of characters.
	Tool string
	// Source is the kind of source that registered the tool, the Source of its
	// origin, likewise with "*".
	Source string
	// When says whether the rule holds for a request; nil: always. It is pure: it
	// looks at nothing but the input.
	When func(prompt.Input) bool
	// Show makes the rule one that shows instead of hiding.
	Show bool
}

// Visibility returns a stage that removes the specs of hidden tools. For each
// tool the last rule that matches decides; a tool that no rule matches is shown.
//
// Hidden is neither forbidden nor unknown: permission is decided elsewhere, and
// the names of hidden tools stay in Known, so that an order may list them and a
// call to one is told apart from a call to nothing. A note names the rule that
// hid a tool.
//
// The stage is marked PerStep if a rule has a predicate.
func Visibility(rules ...VisibilityRule) prompt.Stage {
	rules = slices.Clone(rules)
	always := !slices.ContainsFunc(rules, func(r VisibilityRule) bool { return r.When != nil })
	return prompt.Stage{
		Name:    "visibility",
		Doc:     "hides tools by rules; they stay known",
		Local:   always, // no section is looked at, but a predicate may look at any fact
		PerStep: !always,
		Apply: func(in prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			return hide(holding(rules, in), a), nil
		},
	}
}

// holding returns the rules that hold for the input. Each predicate is asked
// once.
func holding(rules []VisibilityRule, in prompt.Input) []VisibilityRule {
	for i := range rules {
		if rules[i].When == nil || rules[i].When(in) {
			continue
		}
		out := slices.Clone(rules[:i])
		for _, r := range rules[i+1:] {
			if r.When == nil || r.When(in) {
				out = append(out, r)
			}
		}
		return out
	}
	return rules
}

func hide(rules []VisibilityRule, a prompt.Assembly) prompt.Assembly {
	var kept []chat.ToolSpec
	hidden := false
	for i := range a.Tools {
		t := &a.Tools[i]
		r := deciding(rules, t)
		if r == nil || r.Show {
			if hidden {
				kept = append(kept, *t)
			}
			continue
		}
		if !hidden {
			hidden = true
			kept = append(make([]chat.ToolSpec, 0, len(a.Tools)-1), a.Tools[:i]...)
			a.Notes = slices.Clip(a.Notes)
		}
		a.Notes = append(a.Notes, prompt.Note{Name: t.Name, Path: path(t.From), Stage: "visibility", From: t.From,
			Reason: "the tool is hidden by the rule " + r.label()})
	}
	if hidden {
		a.Tools = kept
	}
	return a
}

// deciding returns the last rule that matches a tool, or nil.
func deciding(rules []VisibilityRule, t *chat.ToolSpec) *VisibilityRule {
	source := ""
	if t.From != nil {
		source = t.From.Source
	}
	for i := len(rules) - 1; i >= 0; i-- {
		if r := &rules[i]; matches(r.Tool, t.Name) && matches(r.Source, source) {
			return r
		}
	}
	return nil
}

func (r *VisibilityRule) label() string {
	switch {
	case r.Name != "":
		return fmt.Sprintf("%q", r.Name)
	case r.Tool != "" && r.Source != "":
		return fmt.Sprintf("tool %q of source %q", r.Tool, r.Source)
	case r.Source != "":
		return fmt.Sprintf("source %q", r.Source)
	}
	return fmt.Sprintf("tool %q", r.Tool)
}

// matches reports whether a name fits a pattern in which "*" stands for any run
// of characters. An empty pattern fits everything.
func matches(pattern, name string) bool {
	if pattern == "" {
		return true
	}
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, head)
	for ok {
		var part string
		part, rest, star = strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(name, part)
		}
		_, name, ok = strings.Cut(name, part)
	}
	return false
}
