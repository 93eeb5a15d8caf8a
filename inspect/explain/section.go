package explain

import (
	"fmt"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

// unused returns the ranges of sources that lie between the pieces of a text.
func unused(t span.Text) []Place {
	out := []Place{}
	ends := map[string]int{} // by path: where the last piece ended
	for i, s := range t {
		if s.From == nil || s.From.Path == "" || s.Off < 0 || s.From.Source == "config" {
			continue
		}
		off, end := int(s.Off), int(s.Off)+len(s.Text)
		if s.From.Stage == load.Stage {
			end = rewrittenEnd(t[i:])
		}
		if last, ok := ends[s.From.Path]; (ok || s.From.Source == "file") && off > last {
			out = append(out, Place{Path: s.From.Path, Start: last, End: off})
		}
		ends[s.From.Path] = max(ends[s.From.Path], end)
	}
	return out
}

// channel adds the sections of a channel and its text.
func (r *Report) channel(a prompt.Assembly, ch prompt.Channel, m meter, changed map[key][]Change) {
	text := a.Text(ch)
	if len(text) == 0 {
		return
	}
	r.Texts = append(r.Texts, Text{Name: ch.String(), Text: text.String(), Ranges: pieces(text, 0)})
	var sections []*prompt.Section
	for i := range a.Sections {
		if s := &a.Sections[i]; s.Channel == ch && s.Text.Len() > 0 {
			sections = append(sections, s)
		}
	}
	parts := a.Parts(ch)
	head := len(parts) - len(sections) // the channel's heading is no section
	at := 0
	for i, p := range parts {
		at += len(p.Sep)
		if i >= head {
			r.Sections = append(r.Sections, r.section(sections[i-head], at, m, changed))
		}
		at += p.Text.Len()
	}
}

// section explains a section that begins at a byte of its channel.
func (r *Report) section(s *prompt.Section, at int, m meter, changed map[key][]Change) Section {
	content := stage.Content(*s)
	out := Section{Name: s.Name, Channel: s.Channel.String(), Order: s.Order, Class: s.Class.String(), Trust: s.Trust(), Aliases: []string{},
		Start: at, End: at + s.Text.Len(), Content: [2]int{at, at + s.Text.Len()}, Cost: m.cost(content.String()), Unused: unused(content)}
	if len(content) != len(s.Text) {
		out.Content[0] += len(s.Text[0].Text)
		out.Content[1] -= len(s.Text[len(s.Text)-1].Text)
	}
	if s.From != nil {
		out.Source, out.Scope, out.Path = s.From.Source, s.From.Scope, s.From.Path
	}
	if s.Doc != nil {
		out.Aliases = append(out.Aliases, s.Doc.Aliases...)
	}
	out.Rule = rule(s)
	out.Changes = append(append([]Change{}, rewritten(content, s.Name, out.Channel, r.Frames)...), changed[key{"section", s.Name}]...)
	out.Won = r.won(&out)
	return out
}

// rule says why a section is there.
func rule(s *prompt.Section) string {
	if s.Doc != nil && s.Doc.Rule != "" {
		return s.Doc.Rule
	}
	if s.From == nil {
		return "a stage wrote it"
	}
	switch {
	case s.From.Stage != "":
		return "the stage " + s.From.Stage + " wrote it"
	case s.From.Source == "literal":
		return "registered as a literal in " + scope(s.From.Scope)
	case s.From.Source == "config":
		return "a key of the configuration says it"
	}
	return fmt.Sprintf("registered in %s; its source (%s) has a text", scope(s.From.Scope), s.From.Source)
}

// scope names a layer.
func scope(key string) string {
	if key == "" {
		return "the global layer"
	}
	return fmt.Sprintf("the layer of scope %q", key)
}
