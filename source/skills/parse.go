package skills

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

// Bounds of the Agent Skills specification. What exceeds them is told and
// nevertheless used, up to the last.
const (
	maxName        = 64
	maxDescription = 1024
	maxNameBytes   = 256 // a longer name is none
)

// parser makes a skill of a file.
type parser struct {
	file  *load.File
	skill Skill
	diags []prompt.Diagnostic
}

// parse reads a SKILL.md that lies in a folder of the given name.
func parse(f *load.File, folder string, trust span.Trust) (Skill, []prompt.Diagnostic, bool) {
	p := &parser{file: f, skill: Skill{Path: f.Path, SHA256: f.SHA256, Trust: trust}}
	p.diags = append(p.diags, f.Diagnostics...)
	doc, err := frontmatter.Parse(f.Text)
	var bad *frontmatter.Error
	switch {
	case errors.As(err, &bad):
		p.say(prompt.Error, "skill.invalid", bad.Line, bad.Column, "%s; the skill is left out", bad.Message)
		return p.skill, p.diags, false
	case !doc.Present:
		p.say(prompt.Error, "skill.invalid", 1, 0, "begins without front matter, which names and describes a skill; the skill is left out")
		return p.skill, p.diags, false
	}
	for _, s := range doc.Slips {
		p.say(prompt.Warning, "skill.lenient", s.Line, 0, "%s", s.Message)
	}
	p.skill.Fields = fields(doc.Fields)
	if !p.name(&doc, folder) || !p.description(&doc) {
		return p.skill, p.diags, false
	}
	if strings.TrimSpace(f.Text[doc.Body:]) == "" {
		p.say(prompt.Info, "skill.empty_body", min(doc.Line, lines(f.Text)), 0, "the skill has no text but its description")
	}
	if f.Partial {
		p.say(prompt.Warning, "doc.truncated", 0, 0, "only the first %d of %d bytes of the skill are used", len(f.Text), f.Size)
	}
	return p.skill, p.diags, true
}

// lines returns the number of the last line.
func lines(s string) int { return 1 + strings.Count(strings.TrimSuffix(s, "\n"), "\n") }

// name finds the skill's name: the one that is written, else the folder's.
func (p *parser) name(doc *frontmatter.Document, folder string) bool {
	v, there := doc.Get("name")
	written, ok := v.Scalar()
	name := frontmatter.OneLine(written)
	line := max(v.Line, 1)
	switch {
	case !ok || name == "":
		name = frontmatter.OneLine(folder)
		if there && !ok && v.Kind != frontmatter.Null {
			p.say(prompt.Warning, "skill.name", line, 0, "name is %s, not a text; the folder's name %s is used", v.Kind, name)
		} else {
			p.say(prompt.Warning, "skill.name", line, 0, "there is no name; the folder's name %s is used", name)
		}
		ok = false
	case name != frontmatter.OneLine(folder):
		p.say(prompt.Warning, "skill.name", line, 0, "the name %.80q is not that of its folder, %q", name, folder)
	}
	if len(name) > maxNameBytes || name == "" {
		p.say(prompt.Error, "skill.invalid", line, 0, "a name of %d bytes; it must be 1 to %d; the skill is left out", len(name), maxNameBytes)
		return false
	}
	if why := nameFault(name); why != "" {
		p.say(prompt.Warning, "skill.name", line, 0, "the name %q %s", name, why)
	}
	p.skill.Name = name
	if ok {
		p.skill.nameAt = p.offset(v.Line, name)
	}
	return true
}

// nameFault says how a name breaks the rules of the specification.
func nameFault(name string) string {
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-') {
			return "should have lower-case letters, digits and hyphens only"
		}
	}
	switch {
	case len(name) > maxName:
		return fmt.Sprintf("should have at most %d characters", maxName)
	case strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-") || strings.Contains(name, "--"):
		return "should have single hyphens, and none at its ends"
	}
	return ""
}

func (p *parser) description(doc *frontmatter.Document) bool {
	v, _ := doc.Get("description")
	text, ok := v.Scalar()
	text = strings.TrimSpace(text)
	if !ok || text == "" {
		p.say(prompt.Error, "skill.invalid", max(v.Line, 1), 0, "there is no description, by which a model chooses; the skill is left out")
		return false
	}
	if n := utf8.RuneCountInString(text); n > maxDescription {
		p.say(prompt.Warning, "skill.description", v.Line, 0, "the description has %d characters; it should have at most %d", n, maxDescription)
	}
	p.skill.Description = text
	p.skill.textAt = p.offset(v.Line, frontmatter.OneLine(text))
	return true
}

// offset returns one more than the offset in the file at which a text stands on a
// line, or 0.
func (p *parser) offset(line int, s string) int32 {
	text, at := p.file.Text, 0
	for ; line > 1; line-- {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return 0
		}
		at += i + 1
	}
	row, _, _ := strings.Cut(text[at:], "\n")
	i := strings.LastIndex(row, s) // behind the key, which may hold the same text
	if i < 0 {
		return 0
	}
	found := p.file.Spans(span.Origin{}).Slice(at+i, at+i+len(s))
	if len(found) != 1 || found[0].From.Stage != "" {
		return 0 // reading changed it
	}
	return found[0].Off + 1
}

func (p *parser) say(severity prompt.Severity, code string, line, column int, format string, args ...any) {
	p.diags = append(p.diags, prompt.Diagnostic{Severity: severity, Code: code, Path: p.file.Path, Line: line, Column: column,
		Message: fmt.Sprintf(format, args...)})
}

// fields returns front matter in the package's own terms.
func fields(in []frontmatter.Field) []Field {
	out := make([]Field, 0, len(in))
	for _, f := range in {
		out = append(out, Field{f.Name, value(f.Value)})
	}
	return out
}

func value(v frontmatter.Value) Value {
	switch v.Kind {
	case frontmatter.List:
		out := Value{Items: []Value{}}
		for _, i := range v.Items {
			out.Items = append(out.Items, value(i))
		}
		return out
	case frontmatter.Map:
		return Value{Fields: fields(v.Fields)}
	}
	return Value{Text: v.Text}
}
