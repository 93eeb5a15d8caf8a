package agent

import (
	"fmt"
	"strings"

	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// tell adds what the model is told of the set.
func (d *decider) tell(empty bool) {
	name := "tools:" + d.set.Name
	if text := d.set.Instructions; text != "" {
		d.sections = append(d.sections, prompt.Doc{Name: name, Text: text, Class: prompt.Session, Trust: span.Tool})
	}
	if text := d.set.Later; text != "" && !empty {
		d.changes = append(d.changes, prompt.Doc{Name: name, Text: text, Class: prompt.Session, Trust: span.Tool})
	}
	line := func(names []string, one, many string) {
		if len(names) == 1 {
			d.told = append(d.told, fmt.Sprintf("The tool %s of the set %s %s", names[0], d.set.Name, one))
		} else if len(names) > 1 {
			d.told = append(d.told, fmt.Sprintf("The tools %s of the set %s %s", strings.Join(names, ", "), d.set.Name, many))
		}
	}
	line(d.joined, "joined and can be used.", "joined and can be used.")
	line(d.waiting, "joined and can be used in the next session, not in this one.", "joined and can be used in the next session, not in this one.")
	line(d.held, "changed and is held back. Do not call it.", "changed and are held back. Do not call them.")
	if empty {
		d.told = append(d.told, fmt.Sprintf("The set of tools %s is gone. What it said holds no longer; do not call its tools.", d.set.Name))
	} else {
		line(d.gone, "is gone. Do not call it.", "are gone. Do not call them.")
	}
}

// finish puts the lines about all sets into one section.
func (o *offer) finish() {
	if len(o.told) > 0 {
		o.changes = append(o.changes, prompt.Doc{Name: standard.ToolChangesSection, Text: "Since this session began, the tools have changed.\n" + strings.Join(o.told, "\n"),
			Class: prompt.Session})
	}
}

// docsFact returns documents as a fact.
func docsFact(docs []prompt.Doc) prompt.Fact {
	return prompt.Fact{Docs: docs, None: len(docs) == 0, Class: prompt.Session}
}

// toolsFact returns the shown tools as a fact.
func (o *offer) toolsFact() prompt.Fact {
	return prompt.Fact{Tools: o.specs, Diagnostics: o.diagnostics}
}
