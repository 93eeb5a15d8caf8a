package subagents

import (
	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills/bullets"
	"github.com/proemhq/proem/span"
)

// DefaultListMaxBytes is the budget of the list in the prompt.
const DefaultListMaxBytes = 4000

// frame returns what stands around the lines.
func (c *Config) frame() (head, foot string) {
	if c.Head != "" || c.Foot != "" {
		return c.Head, c.Foot
	}
	with := ""
	if c.Tool != "" {
		with = " with " + c.Tool
	}
	return "## Subagents\n\nA subagent does a task on its own, with a history of its own, and reports back. Hand over" + with +
		" what one of these is for and what can be told in a few words; do the rest yourself.\n\n", ""
}

// fact makes the list.
func (s *Source) fact(c *Catalog) prompt.Fact {
	f := prompt.Fact{Class: prompt.Session, Notes: c.Notes, Diagnostics: c.Diagnostics}
	var items []bullets.Item
	for i := range c.Entries {
		e := &c.Entries[i]
		if e.ShadowedBy != "" || !e.Listed() {
			continue
		}
		from := &span.Origin{Section: "subagent:" + e.Name, Source: "subagent", Path: e.Path, Trust: e.Trust}
		items = append(items, bullets.Item{Name: e.Name, Text: frontmatter.OneLine(e.Description), From: from,
			NameOff: span.NoOffset, TextOff: span.NoOffset})
		f.Trust = max(f.Trust, e.Trust)
	}
	if len(items) == 0 {
		f.None = true
		return f
	}
	head, foot := s.cfg.frame()
	text, lost := bullets.Section(items, head, foot, s.cfg.ListMaxBytes, DefaultListMaxBytes, "subagents")
	f.Spans, f.Text = text, text.String()
	f.None = f.Text == ""
	if lost != "" {
		f.Diagnostics = append(f.Diagnostics[:len(f.Diagnostics):len(f.Diagnostics)], prompt.Diagnostic{
			Severity: prompt.Warning, Code: "subagent.list_truncated", Path: c.path, Message: lost})
	}
	return f
}
