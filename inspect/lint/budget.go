package lint

import (
	"fmt"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/stage"
)

// shareFrom is how long a prompt is, in tokens, before the share of a section
// matters.
const shareFrom = 8000

// budget looks at what the prompt costs: in a turn of all its steps, and by section.
func (l *linter) budget(p *Prompt) {
	count := p.Count
	if count == nil {
		count = func(s string) int { return (len(s) + 3) / 4 }
	}
	a := &p.Preview.Assembly
	system, instructions := count(a.Render(prompt.System)), count(a.Render(prompt.Instructions))
	if total := (system + instructions) * p.Steps; total > l.in.TurnTokens {
		l.say(ruleTurnBudget, Place{}, "", fmt.Sprintf("system (about %d tokens) and instructions (%d) are sent with each of up to %d steps: %d tokens a turn, more than %d",
			system, instructions, p.Steps, total, l.in.TurnTokens))
	}
	if system+instructions < shareFrom {
		return
	}
	for i := range a.Sections {
		s := &a.Sections[i]
		if s.Channel != prompt.System && s.Channel != prompt.Instructions || s.Text.Len() == 0 {
			continue
		}
		if n := count(s.Text.String()); 2*n > system+instructions {
			t := newText(s.Name, stage.Content(*s))
			at := Place{}
			if len(t.spans) > 0 && isFile(t.spans[0]) {
				at.Path = t.spans[0].From.Path
			}
			l.say(ruleShare, at, s.Name, fmt.Sprintf("the section %s is about %d of %d tokens", s.Name, n, system+instructions))
		}
	}
}
