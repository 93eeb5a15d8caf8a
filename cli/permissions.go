package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/search"
)

// permitFlags are what the command line says of permissions.
type permitFlags struct {
	mode        string
	allow, deny []string
}

func (f *permitFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.mode, "mode", "", "what no rule decides: plan (nothing is changed), default (ask), accept-edits, bypass")
	fs.StringArrayVar(&f.allow, "allow", nil, "calls that run without asking: TOOL, TOOL(path GLOB) or shell(WORD WORD *); may be repeated")
	fs.StringArrayVar(&f.deny, "deny", nil, "calls that never run, in the same form; may be repeated")
	_ = cmd.RegisterFlagCompletionFunc("mode", cobra.FixedCompletions([]string{"plan", "default", "accept-edits", "bypass"}, cobra.ShellCompDirectiveNoFileComp))
}

// rules returns the rules of the command line.
func (f *permitFlags) rules() ([]permit.Rule, error) {
	var out []permit.Rule
	for _, list := range []struct {
		flag   string
		action permit.Action
		rules  []string
	}{{"--deny", permit.Deny, f.deny}, {"--allow", permit.Allow, f.allow}} {
		for _, s := range list.rules {
			r, err := permit.ParseRule(s)
			if err != nil {
				return nil, usage(fmt.Errorf("%s: %w", list.flag, err))
			}
			r.Action = list.action
			out = append(out, r)
		}
	}
	return out, nil
}

// check reports what of the flags is wrong, before anything is read.
func (f *permitFlags) check() error {
	if _, err := permit.ParseMode(f.mode); err != nil {
		return usage(fmt.Errorf("--mode: %w", err))
	}
	_, err := f.rules()
	return err
}

// configured returns the rules of the configuration. A project can make them
// stricter, and nothing else: its list is added to the user's, and of it only what
// denies or asks counts.
func configured(user, all config.Config) ([]permit.Rule, []prompt.Diagnostic) {
	list := user.Permissions
	var notes []prompt.Diagnostic
	if o := all.Origin("permissions"); o.Layer == config.ProjectLayer {
		for i, p := range all.Permissions {
			if permit.Action(p.Action) != permit.Allow {
				list = append(list[:len(list):len(list)], p)
				continue
			}
			at := all.Origin(fmt.Sprintf("permissions[%d]", i))
			notes = append(notes, prompt.Diagnostic{Severity: prompt.Warning, Code: config.CodeUserOnly, Path: at.Path, Line: at.Line, Column: at.Column,
				Message: "a project cannot allow calls: this rule has no effect; to allow them, put it into your own configuration or pass --allow"})
		}
	}
	rules := make([]permit.Rule, len(list))
	for i, p := range list {
		rules[i] = permit.Rule{Action: permit.Action(p.Action), Tool: p.Tool, Path: p.Path, Command: p.Command}
	}
	return rules, notes
}

// policy returns what decides about calls.
func (c *command) policy(b *bench, f permitFlags) (*permit.Policy, error) {
	rules, err := f.rules()
	if err != nil {
		return nil, err
	}
	root, err := b.canonical()
	if err != nil {
		return nil, err
	}
	cfg := permit.Config{Mode: permit.Mode(f.mode), Rules: append(rules, b.rules...), Roots: []string{root}, Protected: permit.DefaultProtected()}
	if b.place.home != "" {
		if cfg.Home, err = env.Canonical(b.env.Files, b.place.home); err != nil {
			cfg.Home = ""
		}
	}
	for _, name := range []string{"agent.yaml", "agents", "subagents", "hooks"} {
		cfg.Protected = append(cfg.Protected, globOf(filepath.Join(b.place.workspace, name)))
	}
	if b.place.userConfig != "" {
		cfg.Protected = append(cfg.Protected, globOf(b.place.userConfig))
	}
	p, err := permit.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("permissions: %w", err)
	}
	return p, nil
}

// globOf returns the glob that matches one path.
func globOf(path string) string { return permit.Literal(filepath.ToSlash(path)) }

// allows returns what a tool that walks asks about each file that it finds.
func allows(p *permit.Policy, tool string) func(context.Context, string) error {
	return func(_ context.Context, path string) error {
		if p.Denies(tool, permit.Resolved{Literal: path, Real: path}) {
			return errors.New("a rule denies it")
		}
		return nil
	}
}

// finds returns what a search asks about each file that it finds. What a rule asks
// about is found only by a call that names it, since about that somebody is asked.
func finds(p *permit.Policy, tool string) func(context.Context, string) error {
	allow := allows(p, tool)
	return func(ctx context.Context, path string) error {
		start := search.Start(ctx)
		if p.Asks(tool, permit.Resolved{Literal: path, Real: path}) && !p.Asks(tool, permit.Resolved{Literal: start, Real: start}) {
			return errors.New("a rule asks about it")
		}
		return allow(ctx, path)
	}
}

// permissions returns what decides about the calls of a configured agent.
func (b *bench) permissions(unattended bool) *agent.Permissions {
	return &agent.Permissions{Policy: b.policy, Cwd: b.place.root, Unattended: unattended}
}
