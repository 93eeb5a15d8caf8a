package skills

import (
	"fmt"

	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills/bullets"
	"github.com/proemhq/proem/span"
)

// DefaultListMaxBytes is the budget of the list in the prompt.
const DefaultListMaxBytes = 8000

// fence is what is kept free of the budget for the lines that a preset puts
// around a section.
const fence = 128

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
	budget := s.cfg.ListMaxBytes
	switch {
	case budget == 0:
		budget = DefaultListMaxBytes
	case budget < 0:
		budget = 0
	}
	head, foot := s.cfg.frame()
	r := bullets.Fit(items, head, foot, budget-min(fence, budget/8))
	f.Spans, f.Text = r.Text, r.Text.String()
	f.None = f.Text == ""
	if r.Shortened+r.Left > 0 {
		f.Diagnostics = append(f.Diagnostics[:len(f.Diagnostics):len(f.Diagnostics)], prompt.Diagnostic{
			Severity: prompt.Warning, Code: "skill.list_truncated", Path: c.path, Message: lost(r, len(items), budget)})
	}
	return f
}

// lost says what did not fit.
func lost(r bullets.Result, n, budget int) string {
	s := fmt.Sprintf("%d of %d descriptions were shortened to %d characters", r.Shortened, n, r.Runes)
	if r.Runes == 0 {
		s = fmt.Sprintf("%d of %d descriptions were left out", r.Shortened, n)
	}
	if r.Left > 0 {
		s += fmt.Sprintf(" and %d skills are not listed", r.Left)
	}
	return s + fmt.Sprintf(", to keep the list within %d bytes", budget)
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
