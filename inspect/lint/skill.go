package lint

import (
	"strings"

	"github.com/proemhq/proem/internal/near"
)

// skills looks for skills that a model cannot tell apart, and for hidden ones.
func (l *linter) skills() {
	tools := map[string]bool{}
	for _, p := range l.in.Prompts {
		for _, t := range p.Preview.Assembly.Tools {
			tools[t.Name] = true
		}
	}
	first := map[string]string{} // by description
	for _, s := range l.in.Skills {
		at := Place{Path: s.Path}
		if s.ShadowedBy != "" {
			l.say(ruleSkillShadow, at, "", near.Show(s.Ref())+" is shadowed by "+near.Show(s.ShadowedBy))
			continue
		}
		if tools[s.Name] {
			l.say(ruleSkill, at, "", "the skill "+near.Show(s.Name)+" is called like a tool")
		}
		about := strings.ToLower(strings.Join(strings.Fields(s.Description), " "))
		if about == "" {
			continue
		}
		if other, ok := first[about]; ok {
			l.say(ruleSkill, at, "", "the skills "+near.Show(other)+" and "+near.Show(s.Name)+" have the same description")
			continue
		}
		first[about] = s.Name
	}
}
