package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/permit"
)

// deepseekName is the preset's name in the configuration.
const deepseekName = "deepseek"

// composeDeepSeek returns what the configuration makes of the preset deepseek.
func (b *bench) composeDeepSeek() (*registry.Registry, preset.Preset, error) {
	d := b.cfg.DeepSeek
	p, err := deepseek.New(deepseek.Config{
		NoIdentity: !d.Identity, NoRuntimeContext: !d.RuntimeContext, PersonaPrefix: d.PersonaPrefix,
		PersonaSuffix: d.PersonaSuffix, ContextHeading: d.ContextHeading, ToolOrder: b.cfg.Tools.Order,
	})
	if err != nil {
		return nil, preset.Preset{}, err
	}
	if err := deepseekVariables(b, p.Registry.Global()); err != nil {
		return nil, preset.Preset{}, err
	}
	made := p.Preset(visibility(b.cfg.Tools)...)
	if r := refresh(b.cfg.Refresh); r != nil {
		made.Refresh = *r
	}
	return p.Registry, made, nil
}

// deepseekVariables registers the variables that the original always has.
func deepseekVariables(b *bench, s *registry.Scope) error {
	prov, _, _ := strings.Cut(b.model.spec, ":")
	for _, v := range [][2]string{{"provider", prov}, {"model", b.model.name}, {"cwd", b.place.cwd}} {
		if slices.ContainsFunc(b.cfg.Variables, func(p config.Pair) bool { return p.Name == v[0] }) {
			continue
		}
		if _, err := s.Variable(v[0], v[1]); err != nil {
			return err
		}
	}
	return nil
}

// deepseekParts registers, under that preset, what the original says of tools and policies: of each
// tool that is shown how to use it, and as contexts where files may lie and which
// calls run.
func (b *bench) deepseekParts(s *registry.Scope, tools []tool.Tool) error {
	if b.preset.Name != deepseekName {
		return nil
	}
	shell := false
	for _, t := range tools {
		name := t.Spec().Name
		d, ok := deepseek.Guidance(name)
		if !shows(b.cfg.Tools, name) {
			continue
		}
		shell = shell || name == "shell"
		if !ok {
			continue
		}
		if _, err := s.Section(d); err != nil {
			return err
		}
	}
	if b.portable { // both are of the machine or its user
		return nil
	}
	for _, c := range []struct {
		name  string
		order float64
		text  func(permit.Terms) prompt.Fact
	}{
		{deepseek.SandboxContext, deepseek.SandboxPolicy.Order(), func(t permit.Terms) prompt.Fact {
			return prompt.Fact{Text: sandboxText(t.Mode, b.space().Describe(), shell), Trust: span.Project} // the names of folders come with the project
		}},
		{deepseek.ApprovalContext, deepseek.ApprovalPolicy.Order(), func(t permit.Terms) prompt.Fact {
			return prompt.Fact{Text: approvalText(t)}
		}},
	} {
		d := prompt.SectionDef{Name: c.name, Channel: prompt.Context, Order: c.order, Class: prompt.Turn, Source: deepseek.PolicySource}
		_, err := s.Dynamic(d, source.Func(func(ctx context.Context, _ source.Query) (prompt.Fact, error) {
			terms := permit.TermsOf(ctx)
			if terms.Mode == "" { // nothing judges the calls
				return prompt.Fact{None: true}, nil
			}
			return c.text(terms), nil
		}))
		if err != nil {
			return err
		}
	}
	return nil
}

// sandboxText says which files there are and what may become of them.
func sandboxText(m permit.Mode, space string, shell bool) string {
	text := strings.TrimRight(space, "\n")
	if m == permit.Plan {
		text += "\nFiles can be read, and none can be changed."
	} else {
		text += "\nFiles there can be read, and changed as far as calls are approved."
	}
	if shell {
		text += "\nCommands start in the first of them. What they reach is not confined to these places, so keep to them yourself."
	}
	return text
}

// approvalText says which calls run.
func approvalText(t permit.Terms) string {
	const (
		answer = " A refusal is an answer: do not look for another way to the same effect."
		nobody = " Nobody can be asked: what no rule allows is refused, so go on without it and say what is missing."
	)
	ask := " the user is asked first, unless a rule decides." + answer
	if t.Unattended {
		ask = " a rule must allow it." + nobody
	}
	switch t.Mode {
	case permit.Plan:
		return "Approval: nothing is changed at present. A call that would change something is refused, and nobody is asked; say what you would do instead." + answer
	case permit.AcceptEdits:
		return "Approval: files of the project are changed without a question. For commands, and for changes anywhere else," + ask
	case permit.Bypass:
		return "Approval: calls run without a question, but for what a rule denies or asks about." + answer
	}
	return "Approval: for a call that changes something," + ask
}
