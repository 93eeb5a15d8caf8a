package agentscope

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/skills/bullets"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
)

// GeneralPurpose is the name of the subagent that is listed first.
const GeneralPurpose = "general-purpose"

// General returns the declaration of the subagent that every agent of the original
// has, for the Builtin of a [subagents.Config].
func General() subagents.Declaration {
	const text = "You do one task for another agent, which sees nothing but your answer. Work it through to its end with the tools that you have, " +
		"and answer with what was asked for, in full, with the paths and facts it rests on.\n"
	return subagents.Declaration{Name: GeneralPurpose, Description: "does a task of several steps that fits none of the others",
		Inherit: []string{subagents.Project}, Prompt: span.OfGenerated(text, span.Generated("subagent"))}
}

// A Task is what a subagent does, or did.
type Task struct {
	ID    string
	Agent string
	State string // such as running, completed, error
}

// maxTasks is how many tasks are listed.
const maxTasks = 10

const (
	idsHead   = "### Available agent ids\n\n"
	tasksHead = "\n\n### Async tasks (current session)\n\n"
)

// subagentList is the source of what there is to be listed: the ids and the tasks.
// The stage writes the rest of the block.
type subagentList struct {
	src     *subagents.Source
	running func(context.Context) []Task
}

func (l *subagentList) read(ctx context.Context, _ source.Query) (prompt.Fact, error) {
	c, err := l.src.Catalog(ctx)
	if err != nil {
		return prompt.Fact{}, err
	}
	f := prompt.Fact{Class: prompt.Turn, Notes: c.Notes, Diagnostics: c.Diagnostics}
	var items []bullets.Item
	for _, e := range c.Entries {
		if e.ShadowedBy != "" || !e.Listed() {
			continue
		}
		items = append(items, bullets.Item{Name: escaped(e.Name, nil), Text: escaped(frontmatter.OneLine(e.Description), nil),
			From:    &span.Origin{Section: "subagent:" + e.Name, Source: "subagent", Path: e.Path, Trust: e.Trust},
			NameOff: span.NoOffset, TextOff: span.NoOffset})
		f.Trust = max(f.Trust, e.Trust)
	}
	if len(items) == 0 {
		f.None = true
		return f, nil
	}
	slices.SortStableFunc(items, func(a, b bullets.Item) int { return b2i(b.Name == GeneralPurpose) - b2i(a.Name == GeneralPurpose) })
	text, lost := bullets.Section(items, idsHead, "", 0, subagents.DefaultListMaxBytes, "subagents")
	if lost != "" {
		f.Diagnostics = append(f.Diagnostics[:len(f.Diagnostics):len(f.Diagnostics)], prompt.Diagnostic{
			Severity: prompt.Warning, Code: "subagent.list_truncated", Path: items[0].From.Path, Message: lost})
	}
	if l.running != nil {
		text = span.Concat(text, tasksText(l.running(ctx)))
	}
	f.Spans, f.Text = text, text.String()
	return f, nil
}

func tasksText(tasks []Task) span.Text {
	if len(tasks) == 0 {
		return nil
	}
	var b strings.Builder
	for i, t := range tasks {
		if i == maxTasks {
			fmt.Fprintf(&b, "- … and %d more\n", len(tasks)-maxTasks)
			break
		}
		line := frontmatter.OneLine(t.ID) + " (" + frontmatter.OneLine(t.Agent) + "): " + frontmatter.OneLine(t.State)
		b.WriteString("- " + escaped(line, nil) + "\n")
	}
	return tagged(tasksHead + strings.TrimSuffix(b.String(), "\n"))
}

// subagents returns the stage that writes the block around the list and puts it to
// its place.
func (cfg Config) subagents() prompt.Stage {
	return prompt.Stage{
		Name: "subagents",
		Doc:  "writes the block of the subagents, in front of everything or behind it",
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			i := section(&a, SubagentsSection)
			if i < 0 || a.Sections[i].Order != OrderSubagents {
				return a, nil
			}
			t := namedOf(a.Tools)
			if !slices.ContainsFunc(t.agents, isSpawn) {
				return drop(a, SubagentsSection, "subagents", "no tool is shown that starts one"), nil
			}
			s := a.Sections[i]
			s.Text = span.Concat(tagged(t.delegation()), s.Text)
			if cfg.SubagentsAfter {
				a.Sections = slices.Clone(a.Sections)
				a.Sections[i] = s
				return a, nil
			}
			first := slices.IndexFunc(a.Sections, func(s prompt.Section) bool { return s.Channel == prompt.System })
			// What was first has a separator of its own only to what stood before it.
			a.Sections = slices.Insert(without(a.Sections, i), first, s)
			return a, nil
		},
	}
}
