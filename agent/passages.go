package agent

import (
	"fmt"
	"slices"

	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/tool"
)

// passages are the texts of tools that need tools to be shown, by the scope, the
// channel and the name of their sections.
type passages map[passageKey][]string

type passageKey struct {
	channel prompt.Channel
	name    string
}

// addPassages registers the texts of a tool.
func (a *Agent) addPassages(t tool.Tool) error {
	speaker, ok := t.(tool.Speaker)
	if !ok {
		return nil
	}
	for _, p := range speaker.Passages() {
		d := p.Section
		if d.Order == 0 && d.Channel == prompt.System {
			d.Order = a.preset.Order(d.Name, standard.OrderToolTexts)
		}
		var err error
		if p.Source != nil {
			_, err = a.scope.Dynamic(d, p.Source)
		} else {
			_, err = a.scope.Section(d)
		}
		if err != nil {
			return fmt.Errorf("a text of the tool %s: %w", t.Spec().Name, err)
		}
		if len(p.Needs) > 0 {
			if a.passages == nil {
				a.passages = passages{}
			}
			a.passages[passageKey{d.Channel, d.Name}] = p.Needs
		}
	}
	return nil
}

// stage leaves out the texts whose tools are not shown. It stands behind all other
// stages, which may hide tools.
func (ps passages) stage() prompt.Stage {
	return prompt.Stage{
		Name: "tool-texts",
		Doc:  "leaves out what tools say that are not shown",
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			shown := map[string]bool{}
			for i := range a.Tools {
				shown[a.Tools[i].Name] = true
			}
			missing := func(s *prompt.Section) string {
				for _, name := range ps[passageKey{s.Channel, s.Name}] {
					if !shown[name] {
						return name
					}
				}
				return ""
			}
			var kept []prompt.Section
			for i := range a.Sections {
				s := &a.Sections[i]
				name := missing(s)
				if name != "" && kept == nil {
					kept = slices.Clone(a.Sections[:i])
					a.Notes = slices.Clip(a.Notes)
				}
				if name != "" {
					a.Notes = append(a.Notes, prompt.Note{Name: s.Name, Stage: "tool-texts", From: s.From, Reason: "the tool " + name + " is not shown"})
				} else if kept != nil {
					kept = append(kept, *s)
				}
			}
			if kept != nil {
				a.Sections = kept
			}
			return a, nil
		},
	}
}
