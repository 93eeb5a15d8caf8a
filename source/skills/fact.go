package skills

import (
	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills/bullets"
	"github.com/proemhq/proem/span"
)

// DefaultListMaxBytes is the budget of the list in the prompt.
const DefaultListMaxBytes = 8000

// frame returns what stands around the lines.
func (c *Config) frame() (head, foot string) {
	if c.Head != "" || c.Foot != "" {
		return c.Head, c.Foot
	}
	with := ""
	if c.Tool != "" {
		with = " with " + c.Tool
	}
	return "## Skills\n\nA skill says how to do one kind of task. Before a task that one of these is for, load it" + with +
		" and do as it says.\n\n", ""
}

// fact makes the list.
func (s *Set) fact(c *Catalog) prompt.Fact {
	f := prompt.Fact{Class: prompt.Session, Notes: c.Notes, Diagnostics: c.Diagnostics}
	var items []bullets.Item
	for _, e := range c.Entries {
		if e.ShadowedBy != "" {
			continue
		}
		items = append(items, item(&e))
		f.Trust = max(f.Trust, e.Trust)
	}
	if len(items) == 0 {
		f.None = true
		return f
	}
	head, foot := s.cfg.frame()
	text, lost := bullets.Section(items, head, foot, s.cfg.ListMaxBytes, DefaultListMaxBytes, "skills")
	f.Spans, f.Text = text, text.String()
	f.None = f.Text == ""
	if lost != "" {
		f.Diagnostics = append(f.Diagnostics[:len(f.Diagnostics):len(f.Diagnostics)], prompt.Diagnostic{
			Severity: prompt.Warning, Code: "skill.list_truncated", Path: c.path, Message: lost})
	}
	return f
}

func item(e *Entry) bullets.Item {
	return bullets.Item{
		Name:    e.Name,
		Text:    frontmatter.OneLine(e.Description),
		From:    &span.Origin{Section: "skill:" + e.Name, Source: "skill", Path: e.Path, Trust: e.Trust},
		NameOff: e.nameAt - 1,
		TextOff: e.textAt - 1,
	}
}
