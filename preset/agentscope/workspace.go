package agentscope

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/span"
)

// workspace returns the stage that writes the workspace context around what was
// read.
func (cfg Config) workspace() prompt.Stage {
	return prompt.Stage{
		Name: "workspace",
		Doc:  "writes the guidance and the blocks of the workspace's files around what was read of it",
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			if at := section(&a, SessionSection); at < 0 || a.Sections[at].Order != OrderSession {
				return a, nil
			}
			return cfg.context(a), nil
		},
	}
}

// context writes the workspace context.
func (cfg Config) context(a prompt.Assembly) prompt.Assembly {
	t := namedOf(a.Tools)
	remembers := t.search != "" || t.get != "" || t.save != "" || cfg.Extracts
	a.Notes = slices.Clip(a.Notes)
	b := blocks{notes: a.Notes}
	kept := make([]prompt.Section, 0, len(a.Sections)+10)
	for i := range a.Sections {
		if s := a.Sections[i]; isOwn(&s) && s.Order == OrderDocs {
			b.add(s, remembers)
		} else {
			kept = append(kept, s)
		}
	}
	a.Sections = kept
	if !joinBase(a.Sections) { // there is nothing that it could follow on the next line
		a.Sections[section(&a, SessionSection)].Sep = ""
	}
	for _, g := range []struct {
		name  string
		order float64
		text  string
	}{
		{KnowledgeSection, OrderKnowledge, t.knowledge()},
		{RecallSection, OrderRecall, t.recall()},
		{PersistenceSection, OrderPersistence, t.persistence(cfg.Extracts)},
		{WorkspaceSection, OrderWorkspace, cfg.Place.paragraph(t)},
	} {
		if g.text != "" {
			put(&a, own(g.name, g.order, g.text))
		}
	}
	for _, s := range b.write(remembers, t) {
		put(&a, s)
	}
	a.Notes = b.notes
	return a
}

// joinBase takes one line end from the end of the base: the workspace context
// begins on a new line, and with no more than that. It reports whether there is a base.
func joinBase(sections []prompt.Section) bool {
	for i := len(sections) - 1; i >= 0; i-- {
		s := &sections[i]
		if s.Channel != prompt.System || isOwn(s) || s.Text.Len() == 0 {
			continue
		}
		if text := s.Text.String(); strings.HasSuffix(text, "\n") && len(text) > 1 {
			s.Text = s.Text.Slice(0, len(text)-1)
		}
		return true
	}
	return false
}

// Tags of the blocks.
const (
	agentsTag    = "agents_context"
	memoryTag    = "memory_context"
	knowledgeTag = "domain_knowledge_context"
)

// A block is what stands in one tag.
type block struct {
	tag  string
	docs []prompt.Section
}

// blocks are the blocks of the files, in order.
type blocks struct {
	agents, memory, knowledge []prompt.Section
	extra                     []block
	notes                     []prompt.Note
}

// add takes a document in.
func (b *blocks) add(s prompt.Section, remembers bool) {
	switch name, ok := strings.CutPrefix(s.Name, "workspace:"); {
	case !ok || name == memory.Persona:
		b.agents = append(b.agents, s)
	case name == memory.Memory || name == memory.Notes:
		if !remembers {
			b.notes = append(b.notes, prompt.Note{Name: s.Name, Path: s.From.Path, Stage: "workspace", From: s.From,
				Reason: "no tool works on the memory, and nothing is extracted to it"})
			return
		}
		b.memory = append(b.memory, s)
	case name == memory.Knowledge:
		b.knowledge = append(b.knowledge, s)
	default:
		b.extra = append(b.extra, block{tagOf(name), []prompt.Section{s}})
	}
}

// tagOf returns the tag of an extra file: its path in lower case, with "_" for
// every character that a tag cannot have.
func tagOf(name string) string {
	tag := strings.Map(func(r rune) rune {
		if isTagRune(r) {
			return r
		}
		return '_'
	}, strings.ToLower(path.Clean(name)))
	if slices.Contains(formatTags, tag) || tag == "" {
		tag += "_file"
	}
	return tag
}

// write returns the sections of the files.
func (b *blocks) write(remembers bool, t named) []prompt.Section {
	all := []block{{agentsTag, b.agents}}
	if remembers {
		all = append(all, block{memoryTag, b.memory})
	}
	all = append(append(all, block{knowledgeTag, b.knowledge}), b.extra...)
	var more, origins []string
	for _, x := range all {
		more = append(more, x.tag)
		for _, d := range x.docs {
			origins = append(origins, escaped(fmt.Sprintf("%s: %s, trust %s", x.tag, d.Name, d.Trust()), nil))
		}
	}
	out := []prompt.Section{own(FilesSection, OrderFiles, notice(remembers, origins)+"\n\n<loaded_context>")}
	order := float64(OrderDocs)
	for _, x := range all {
		if len(x.docs) == 0 {
			s := own("agentscope:"+x.tag, order, b.empty(x.tag, t))
			s.Sep = "\n"
			out = append(out, s)
			continue
		}
		for i, s := range x.docs {
			s.Order, s.Sep = order, "\n"
			text := indented(s.Text, more)
			if i == 0 {
				text = span.Concat(tagged(indent+"<"+x.tag+">\n"), text)
			} else {
				s.Sep = "\n" + indent + "\n"
			}
			if i == len(x.docs)-1 {
				text = span.Concat(text, tagged("\n"+indent+"</"+x.tag+">"))
			}
			s.Text = text
			out = append(out, s)
		}
	}
	end := own(FilesEndSection, OrderFilesEnd, "</loaded_context>")
	end.Sep = "\n"
	return append(out, end)
}

func tagged(s string) span.Text { return span.OfGenerated(s, written) }

// empty is a block without a document: that of a memory for which there was no
// room says so.
func (b *blocks) empty(tag string, t named) string {
	open, end := indent+"<"+tag+">", "</"+tag+">"
	lost := ""
	for _, n := range b.notes {
		if tag == memoryTag && n.Stage == memory.Stage && n.Name == "workspace:"+memory.Memory {
			lost = "[MEMORY.md is left out: " + n.Reason
			if t.search != "" {
				lost += "; search it with " + t.search
			}
			lost += "]"
		}
	}
	if lost == "" {
		return open + end
	}
	return open + "\n" + indent + escaped(lost, nil) + "\n" + indent + end
}
