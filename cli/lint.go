package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/inspect/lint"
	"github.com/proemhq/proem/inspect/lint/sarif"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/token"
)

// lintFlags are those of `proem lint`.
type lintFlags struct {
	format, input, session, model string
	fix, rules, all               bool
	tokens                        int
}

// lintFormats are the forms of the result.
var lintFormats = []string{"text", "json", "sarif"}

func (c *command) lintCommand() *cobra.Command {
	var lf lintFlags
	cmd := &cobra.Command{
		Use:   "lint",
		Short: "Find faults in the prompt's sources and in the composed prompt",
		Long: c.own("Composes the prompt and looks for faults: imports of files that are not there, files that nobody reads or that do not\n" +
			"fit, text that is there twice, tools that do not exist, invisible characters, credentials, what breaks a cache. Nested\n" +
			"instruction files and skills are looked at too. Nothing is sent. Exits 3 if there is an error or a warning.\n\n" +
			"A comment suppresses a fault in the block that follows, and says why:\n" +
			"  <!-- proem-lint-ignore RULE: reason -->\n" +
			"proem-lint-ignore-file does so for the whole file. --fix repairs what has one right repair and shows the difference."),
		Example: c.own("  proem lint\n  proem lint --all-agents --format sarif > lint.sarif\n  proem lint --fix\n  proem lint --rules"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.flags.json && !cmd.Flags().Changed("format") {
				lf.format = "json"
			}
			switch {
			case !slices.Contains(lintFormats, lf.format):
				return usage(fmt.Errorf("--format %s: must be text, json or sarif", lf.format))
			case lf.all && c.flags.agent != "":
				return usage(errors.New("--all-agents and --agent: choose one of them"))
			case lf.tokens < 0:
				return usage(fmt.Errorf("--turn-tokens %d: must not be negative", lf.tokens))
			case lf.rules:
				return c.lintRules(lf.format)
			}
			return c.lint(cmd.Context(), lf)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&lf.fix, "fix", false, "repair what has one right repair, in files of the project")
	f.StringVar(&lf.format, "format", "text", strings.Join(lintFormats, ", "))
	f.BoolVar(&lf.rules, "rules", false, "list the rules and exit")
	f.BoolVar(&lf.all, "all-agents", false, "look at the prompts of all agents")
	f.StringVar(&lf.input, "input", "", "the user's message")
	f.StringVar(&lf.session, "session", "", "look at the next request of this session")
	f.IntVar(&lf.tokens, "turn-tokens", lint.DefaultTurnTokens, "what system and instructions may cost in a turn of all its steps")
	addModel(cmd, &lf.model)
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(lintFormats, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("session", cobra.NoFileCompletions)
	return cmd
}

// maxFixes is how often a repair may make another one possible.
const maxFixes = 4

func (c *command) lint(ctx context.Context, lf lintFlags) error {
	report, at, err := c.lintOnce(ctx, lf)
	if err != nil {
		return err
	}
	var fixed []lint.Finding
	for i := 0; lf.fix && i < maxFixes; i++ {
		done, err := c.repair(at, report.Fixes())
		if err != nil {
			return err
		}
		if len(done) == 0 {
			break
		}
		fixed = append(fixed, done...)
		if report, at, err = c.lintOnce(ctx, lf); err != nil {
			return err
		}
	}
	report.Fixed = append(report.Fixed, fixed...)
	switch lf.format {
	case "json":
		err = c.printJSON(report)
	case "sarif":
		err = c.printJSON(sarif.New(report, sarif.Tool{Name: c.app.Name, Version: c.build().Version, Root: at.root}))
	default:
		_, err = fmt.Fprint(c.p.Stdout, c.lintText(report, at))
	}
	if err != nil {
		return err
	}
	c.lintSummary(report, lf.fix)
	if report.Failed() {
		return statusError{code: ExitFound}
	}
	return nil
}

// lintSummary says on one line what there was.
func (c *command) lintSummary(r lint.Report, fix bool) {
	s := r.Summary
	line := fmt.Sprintf("info lint: %s, %s, %s", plural(s.Errors, "error"), plural(s.Warnings, "warning"), plural(s.Infos, "info"))
	if s.Suppressed > 0 {
		line += fmt.Sprintf(", %d suppressed", s.Suppressed)
	}
	if n := len(r.Fixed); n > 0 {
		line += fmt.Sprintf(", %d repaired", n)
	}
	if s.Fixable > 0 && !fix {
		line += fmt.Sprintf("; %s lint --fix repairs %d of them", c.app.Name, s.Fixable)
	}
	c.say("%s", line)
}

// lintInput is the message of the user that prompts are previewed with; nothing else
// says it.
const lintInput = "a message of the user that lint looks for"

// later is a clock that can be set forward.
type later struct {
	env.Clock
	by time.Duration
}

// Now returns the other clock's time, set forward.
func (l *later) Now() time.Time { return l.Clock.Now().Add(l.by) }

// lintOnce composes the prompts and looks at them. What keeps one from being
// composed is a finding.
func (c *command) lintOnce(ctx context.Context, lf lintFlags) (lint.Report, place, error) {
	at, err := c.findPlace(env.OrSystem(c.p.Env), []string{".git"})
	if err != nil {
		return lint.Report{}, at, err
	}
	names, all, err := c.lintedAgents(at, lf)
	if err != nil {
		return lint.Report{}, at, err
	}
	in := lint.Input{Root: at.root, TurnTokens: lf.tokens, Partial: !all, Reader: lintFiles{env.OrSystem(c.p.Env), at.root}}
	looked := false
	for _, name := range names {
		d := *c
		d.flags.agent = name
		b, p, err := d.lintPrompt(ctx, lf)
		var wrong config.Faults
		var faults prompt.Faults
		switch {
		case errors.As(err, &wrong):
			in.Diagnostics = append(in.Diagnostics, wrong.Diagnostics()...)
		case errors.As(err, &faults):
			for _, f := range faults {
				in.Diagnostics = append(in.Diagnostics, f.Diagnostic())
			}
		case err != nil:
			return lint.Report{}, at, err
		default:
			in.Prompts = append(in.Prompts, p)
		}
		if b == nil {
			continue
		}
		at, in.Root, in.Reader = b.place, b.place.root, lintFiles{b.env, b.place.root}
		if err != nil {
			in.Diagnostics = append(in.Diagnostics, b.diagnostics...)
		} else if !looked {
			looked = true
			if err := c.lintAround(ctx, b, &in); err != nil {
				return lint.Report{}, at, err
			}
		}
	}
	return lint.Check(in), at, nil
}

// lintedAgents returns the agents to look at, and whether they are all there are.
func (c *command) lintedAgents(p place, lf lintFlags) (names []string, all bool, err error) {
	d := *c
	d.flags.agent = ""
	every, err := d.lockedAgents(p)
	if err != nil || lf.all {
		return every, true, err
	}
	return []string{c.flags.agent}, len(every) <= 1, nil
}

// lintPrompt composes the prompt of one agent twice: as it is now, and on another
// day, in another session, with another message.
func (c *command) lintPrompt(ctx context.Context, lf lintFlags) (*bench, lint.Prompt, error) {
	machine := *c.p.Env
	clock := &later{Clock: env.OrSystem(&machine).Clock}
	if !c.flags.clock.IsZero() {
		clock.Clock = env.Fixed(c.flags.clock)
		c.flags.clock = time.Time{}
	}
	machine.Clock = clock
	c.p.Env = &machine
	o := options{model: lf.model}
	id := "lint"
	if lf.session != "" {
		id = lf.session
		o.store = func(p place) (session.Store, error) { return c.readStore(ctx, p, id) }
	}
	b, err := c.setup(ctx, o)
	if err != nil {
		return nil, lint.Prompt{}, err
	}
	silent := *c
	silent.flags.quiet = true
	silent.announce(b, o)
	input := lf.input
	if input == "" {
		input = lintInput
	}
	out := lint.Prompt{Agent: b.agentName, Text: input, Steps: b.cfg.Steps.Max, Count: token.Estimate.Count}
	if out.Preview, err = b.agent.Preview(ctx, id, agent.Input{Text: input}); err != nil {
		return b, out, err
	}
	out.Diagnostics = append(b.diagnostics, b.contradictions(out.Preview.Assembly)...)
	if b.model.spec == "" { // no model is known, so none is another than the session's
		out.Preview.Diagnostics = slices.DeleteFunc(slices.Clone(out.Preview.Diagnostics), func(d prompt.Diagnostic) bool {
			return d.Code == "cache.break" && strings.HasPrefix(d.Message, "cause=model.changed:")
		})
	}
	if lf.session != "" {
		return b, out, nil
	}
	clock.by = 25 * time.Hour
	again, err := b.agent.Preview(ctx, "lint-again", agent.Input{Text: "another " + input})
	if err != nil {
		return b, out, err
	}
	out.Again = &again
	return b, out, nil
}

// lintAround adds what lies around the prompts: nested files, skills, and files that
// nobody reads.
func (c *command) lintAround(ctx context.Context, b *bench, in *lint.Input) error {
	if src, ok := b.nested.(*files.Source); ok {
		v, err := src.Inventory(ctx)
		if err != nil {
			return err
		}
		in.Docs, in.Notes = v.Docs, v.Notes
		in.Diagnostics = append(in.Diagnostics, v.Diagnostics...)
		names := strings.Join(append(slices.Clip(b.cfg.Project.Names), b.cfg.Project.Fallbacks...), ", ")
		for _, u := range v.Unread {
			in.Unread = append(in.Unread, lint.Unread{Path: u.Path, Beside: u.Beside, Names: names})
		}
	}
	if b.skills == nil {
		return nil
	}
	cat, err := b.skills.Catalog(ctx, prompt.Who{})
	if err != nil {
		return err
	}
	for _, e := range cat.Entries {
		s := lint.Skill{Entry: e}
		if l, err := b.skills.Load(ctx, prompt.Who{}, e.Ref()); err == nil {
			s.Loaded = l
			in.Diagnostics = append(in.Diagnostics, l.Diagnostics...)
		}
		in.Skills = append(in.Skills, s)
	}
	return nil
}
