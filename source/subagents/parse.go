package subagents

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/memory/home"
	"github.com/proemhq/proem/span"
)

const maxNameBytes = 256 // a longer name is none

// parser makes a declaration of a file.
type parser struct {
	file  *load.File
	doc   frontmatter.Document
	d     Declaration
	diags []prompt.Diagnostic
}

// parse reads a file; stem is its name without the extension.
func parse(f *load.File, stem string, trust span.Trust) (Declaration, []prompt.Diagnostic, bool) {
	p := &parser{file: f, d: Declaration{Path: f.Path, Trust: trust, SHA256: f.SHA256}}
	p.diags = append(p.diags, f.Diagnostics...)
	var err error
	p.doc, err = frontmatter.Parse(f.Text)
	var bad *frontmatter.Error
	switch {
	case errors.As(err, &bad):
		p.say(prompt.Error, "subagent.invalid", bad.Line, "%s; the subagent is left out", bad.Message)
		return p.d, p.diags, false
	case !p.doc.Present:
		p.say(prompt.Error, "subagent.invalid", 1, "begins without front matter, which names and describes a subagent; it is left out")
		return p.d, p.diags, false
	}
	for _, s := range p.doc.Slips {
		p.say(prompt.Warning, "subagent.lenient", s.Line, "%s", s.Message)
	}
	if !p.name(stem) || !p.description() {
		return p.d, p.diags, false
	}
	p.keys()
	from := span.Origin{Section: "subagent:" + p.d.Name, Source: "subagent", Path: f.Path, Trust: trust}
	p.d.Prompt = f.Spans(from).Slice(p.doc.Body, len(f.Text))
	if p.d.Prompt.IsBlank() {
		p.say(prompt.Info, "subagent.empty_body", 0, "the subagent has no prompt of its own")
	}
	if f.Partial {
		p.say(prompt.Warning, "doc.truncated", 0, "only the first %d of %d bytes are used", len(f.Text), f.Size)
	}
	return p.d, p.diags, true
}

func (p *parser) name(stem string) bool {
	v, _ := p.doc.Get("name")
	written, _ := v.Scalar()
	name := frontmatter.OneLine(written)
	if name == "" {
		name = frontmatter.OneLine(stem)
	}
	if len(name) > maxNameBytes || name == "" {
		p.say(prompt.Error, "subagent.invalid", max(v.Line, 1), "a name of %d bytes; it must be 1 to %d; the subagent is left out", len(name), maxNameBytes)
		return false
	}
	if !home.IsID(name) {
		p.say(prompt.Warning, "subagent.name", max(v.Line, 1), "the name %q should have letters, digits, hyphens and underscores only, at most 64", name)
	}
	p.d.Name = name
	return true
}

func (p *parser) description() bool {
	v, _ := p.doc.Get("description")
	text, ok := v.Scalar()
	p.d.Description = strings.TrimSpace(text)
	if !ok || p.d.Description == "" {
		p.say(prompt.Error, "subagent.invalid", max(v.Line, 1), "there is no description, by which a model chooses; the subagent is left out")
		return false
	}
	return true
}

// keys reads the keys that may be missing. A value that makes no sense counts as
// not written.
func (p *parser) keys() {
	if v, ok := p.doc.Get("inherit"); ok {
		p.d.Inherit = p.inherit(v)
	}
	if v, ok := p.doc.Get("tools"); ok {
		p.d.Tools = p.list("tools", v)
	}
	if v, ok := p.doc.Get("model"); ok {
		if s, ok := v.Scalar(); ok && s != "inherit" {
			p.d.Model = frontmatter.OneLine(s)
		} else if v.Kind > frontmatter.Text {
			p.ignored("model", v, "a text")
		}
	}
	for _, key := range []string{"steps", "maxIters"} {
		if v, ok := p.doc.Get(key); ok && p.d.Steps == 0 {
			p.d.Steps = p.number(key, v)
		}
	}
	if v, ok := p.doc.Get("hidden"); ok {
		s, _ := v.Scalar()
		hidden, err := strconv.ParseBool(strings.ToLower(s))
		if err != nil {
			p.ignored("hidden", v, "true or false")
		}
		p.d.Hidden = hidden
	}
	if v, ok := p.doc.Get("mode"); ok {
		switch s, _ := v.Scalar(); s {
		case "primary", "subagent":
			p.d.Mode = Mode(s)
		case "all":
		default:
			p.ignored("mode", v, "primary, subagent or all")
		}
	}
}

func (p *parser) inherit(v frontmatter.Value) []string {
	known := []string{Base, Project, User, Workspace, Skills, Runtime}
	names := p.list("inherit", v)
	return slices.DeleteFunc(names, func(n string) bool {
		unknown := !slices.Contains(known, n)
		if unknown {
			p.say(prompt.Warning, "subagent.value", v.Line, "inherit: %.80q is not there; the names are %s", n, strings.Join(known, ", "))
		}
		return unknown
	})
}

func (p *parser) list(key string, v frontmatter.Value) []string {
	out, ok := v.Strings()
	if !ok {
		p.ignored(key, v, "a list of texts")
		return []string{} // what was meant to be narrow does not become wide
	}
	return out
}

func (p *parser) number(key string, v frontmatter.Value) int {
	s, _ := v.Scalar()
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		p.ignored(key, v, "a whole number above 0")
		return 0
	}
	return n
}

func (p *parser) ignored(key string, v frontmatter.Value, want string) {
	what := v.Kind.String()
	if s, ok := v.Scalar(); ok {
		what = fmt.Sprintf("%.80q", s)
	}
	p.say(prompt.Warning, "subagent.value", v.Line, "%s is %s; it must be %s", key, what, want)
}

func (p *parser) say(severity prompt.Severity, code string, line int, format string, args ...any) {
	p.diags = append(p.diags, prompt.Diagnostic{Severity: severity, Code: code, Path: p.file.Path, Line: line, Message: fmt.Sprintf(format, args...)})
}
