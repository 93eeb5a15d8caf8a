package deepseek

import (
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// RenderPrompt returns the system text of an assembly: its sections with
// references replaced, empty ones left out, joined by one blank line.
func RenderPrompt(a prompt.Assembly) (string, error) {
	a, err := interpolated(a, prompt.System)
	if err != nil {
		return "", err
	}
	return a.Render(prompt.System), nil
}

// A ContextSection is one rendered context.
type ContextSection struct {
	Name string
	Text string
}

// RenderContextSections returns the contexts of an assembly with references
// replaced, in order, without the empty ones.
func RenderContextSections(a prompt.Assembly) ([]ContextSection, error) {
	a, err := interpolated(a, prompt.Context)
	if err != nil {
		return nil, err
	}
	var out []ContextSection
	for _, p := range a.Parts(prompt.Context) {
		out = append(out, ContextSection{p.Name, p.Text.String()})
	}
	return out, nil
}

// JoinContextSections returns the snapshot of rendered contexts: a heading line,
// a blank line, and the texts joined by blank lines. An empty heading is
// DefaultContextHeading. Of nothing it is empty.
func JoinContextSections(heading string, sections []ContextSection) string {
	texts := make([]string, 0, len(sections)+1)
	if heading == "" {
		heading = DefaultContextHeading
	}
	texts = append(texts, heading)
	for _, s := range sections {
		if s.Text != "" {
			texts = append(texts, s.Text)
		}
	}
	if len(texts) == 1 {
		return ""
	}
	return strings.Join(texts, prompt.DefaultSep)
}

// RenderContextSnapshot returns the snapshot of an assembly's contexts under the
// default heading, or "" if there are none.
func RenderContextSnapshot(a prompt.Assembly) (string, error) {
	sections, err := RenderContextSections(a)
	if err != nil {
		return "", err
	}
	return JoinContextSections("", sections), nil
}

// interpolated returns the sections of one channel with references replaced.
func interpolated(a prompt.Assembly, ch prompt.Channel) (prompt.Assembly, error) {
	var only []prompt.Section
	for _, s := range a.Sections {
		if s.Channel == ch {
			only = append(only, s)
		}
	}
	a.Sections = only
	a = markTemplates(a)
	return stage.Interpolate(stage.InterpolateConfig{}).Apply(prompt.Input{}, a)
}

// templates marks the texts that are templates although they were not declared
// as such: in this preset everything that a program registers or a hook adds is
// one. What comes from files never is.
var templates = prompt.Stage{
	Name:  "templates",
	Doc:   "marks what programs and hooks wrote as templates",
	Local: true,
	Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) { return markTemplates(a), nil },
}

func markTemplates(a prompt.Assembly) prompt.Assembly {
	copied := false
	for i := range a.Sections {
		if !slices.ContainsFunc(a.Sections[i].Text, undeclared) {
			continue
		}
		if !copied {
			a.Sections, copied = slices.Clone(a.Sections), true
		}
		s := &a.Sections[i]
		s.Text = slices.Clone(s.Text)
		for j := range s.Text {
			s.Text[j].Template = s.Text[j].Template || undeclared(s.Text[j])
		}
	}
	return a
}

func undeclared(s span.Span) bool {
	return !s.Template && (s.From == nil || s.From.Trust == span.Builtin && s.From.Path == "")
}
