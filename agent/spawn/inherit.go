package spawn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/subagents"
)

const (
	// OwnSection is the section with the body of the declaration.
	OwnSection = "subagent"
	// InheritStage is the Stage of the notes on what is not inherited.
	InheritStage = "inherit"
)

// Inherit returns the stage that leaves a subagent its own prompt and the sections
// that its declaration names. What no name stands for is never inherited. A note
// says of each that is left out, why.
func Inherit(d *subagents.Declaration) prompt.Stage {
	return prompt.Stage{
		Name: InheritStage,
		Doc:  "what the declaration of a subagent does not name is left out",
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			var kept []prompt.Section
			for _, s := range a.Sections {
				if why := missing(d, s); why != "" {
					path := ""
					if s.From != nil {
						path = s.From.Path
					}
					a.Notes = append(slices.Clip(a.Notes), prompt.Note{Name: s.Name, Path: path, Stage: InheritStage, From: s.From, Reason: why})
					continue
				}
				kept = append(kept, s)
			}
			a.Sections = kept
			return a, nil
		},
	}
}

// missing returns why a section is not inherited, or "".
func missing(d *subagents.Declaration, s prompt.Section) string {
	what := Kind(s)
	switch {
	case what == OwnSection || inherits(d, what):
		return ""
	case what == "":
		return "a subagent never inherits it"
	case d.Inherit == nil:
		return fmt.Sprintf("the declaration has no inherit, which could name %s", what)
	case len(d.Inherit) == 0:
		return fmt.Sprintf("inherit is empty: it does not name %s", what)
	}
	return fmt.Sprintf("inherit names %s, and not %s", strings.Join(d.Inherit, ", "), what)
}

// Why returns why a subagent sees a section.
func Why(d *subagents.Declaration, s prompt.Section) string {
	switch what := Kind(s); {
	case what == OwnSection:
		return "its own prompt"
	case d.Inherit == nil:
		return "the declaration has no inherit: it has " + what
	default:
		return "inherit names " + what
	}
}

// inherits reports whether a declaration names something. One that does not say
// has what the runtime says of itself.
func inherits(d *subagents.Declaration, what string) bool {
	if d.Inherit == nil {
		return what == subagents.Runtime
	}
	return slices.Contains(d.Inherit, what)
}

// Kind returns the name by which a declaration inherits a section: [OwnSection] for
// its own prompt, or "" for what it cannot.
func Kind(s prompt.Section) string {
	section := s.Name
	if s.From != nil && s.From.Section != "" && s.Doc != nil {
		section = s.From.Section
	}
	switch {
	case s.Name == OwnSection:
		return OwnSection
	case strings.HasPrefix(s.Name, "project:"):
		return subagents.Project
	case strings.HasPrefix(s.Name, "user:"):
		return subagents.User
	case strings.HasPrefix(s.Name, "workspace:"):
		return subagents.Workspace
	}
	if s.From != nil && (s.From.Source == deepseek.GuidanceSource || s.From.Source == deepseek.PolicySource) {
		return subagents.Runtime
	}
	switch section {
	case standard.BaseSection, standard.InstructionsSection:
		return subagents.Base
	case standard.FilesSection:
		return subagents.Project
	case standard.SkillsSection:
		return subagents.Skills
	case standard.WorkspaceSection:
		return subagents.Workspace
	case standard.RuntimeSection, standard.DateSection, standard.EnvironmentSection:
		return subagents.Runtime
	}
	return ""
}
