package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/inspect/diff"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/source/skills/gitrepo"
)

// sideForms says what a side of a difference may be.
const sideForms = "a folder, git:REVISION, a configuration file (.yaml), SESSION@STEP, KEY=VALUE, or preset:, agent:, model: or dialect: and a name"

func (c *command) diffCommand() *cobra.Command {
	var model, input, format string
	var exit, all bool
	cmd := &cobra.Command{
		Use:   "diff A [B]",
		Short: "Show how two prompts differ, and what the difference costs",
		Long: c.own("Assembles two prompts and shows what differs: sections that came, went, moved or changed, their text, tools, tokens,\n" +
			"and what a provider's cache has to read anew.\n" +
			"A side is " + sideForms + ".\n" +
			"Without B it is what is here now. Date and paths are left out but for steps of a session.\n" +
			"Files count as they are, trusted or not, unless --trust none is given. Nothing is sent or written."),
		Example: c.own("  proem diff git:HEAD\n  proem diff git:main . --format markdown\n  proem diff preset:standard preset:deepseek\n" +
			"  proem diff project.max_bytes=1000\n  proem diff s_abc@1 s_abc@9"),
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "markdown" {
				return usage(fmt.Errorf("--format %s: must be text or markdown", format))
			}
			specs := [2]string{args[0], "."}
			if len(args) == 2 {
				specs[1] = args[1]
			} else if !strings.HasPrefix(args[0], "git:") && !isPast(args[0]) {
				specs = [2]string{".", args[0]} // what would be, behind what is
			}
			return c.each(all, func(c *command) error { return c.diff(cmd.Context(), specs, model, input, format, exit) })
		},
	}
	f := cmd.Flags()
	addAllAgents(cmd, &all)
	addModel(cmd, &model)
	f.StringVar(&input, "input", "", "the user's message on both sides")
	f.StringVar(&format, "format", "text", "text or markdown")
	f.BoolVar(&exit, "exit-code", false, "exit 3 if something differs")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "markdown"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (c *command) diff(ctx context.Context, specs [2]string, model, input, format string, exit bool) error {
	var sides [2]diff.Side
	var faults [2][]prompt.Diagnostic
	var counter interface{ Count(string) int }
	for i, spec := range specs {
		s, b, err := c.side(ctx, spec, model, input)
		if err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
		sides[i], faults[i], counter = s, b.diagnostics, b.counter
	}
	c.diagnoseSides(specs, faults)
	report, err := diff.New(sides[0], sides[1], counter.Count)
	if err != nil {
		return err
	}
	switch {
	case c.flags.json:
		err = c.printJSON(report)
	case format == "markdown":
		_, err = fmt.Fprint(c.p.Stdout, diffMarkdown(report))
	default:
		_, err = fmt.Fprint(c.p.Stdout, c.diffText(report))
	}
	if err == nil && exit && !report.Equal() {
		return statusError{code: ExitFound}
	}
	return err
}

// side assembles one prompt.
func (c *command) side(ctx context.Context, spec, model, input string) (diff.Side, *bench, error) {
	d := *c
	d.flags.set = append([]string{}, c.flags.set...)
	d.flags.json = false
	o := options{model: model, portable: true}
	if isPast(spec) {
		p, _, err := parsePast(spec)
		if err != nil {
			return diff.Side{}, nil, err
		}
		return d.pastSide(ctx, spec, p, o)
	}
	if d.flags.trust == "" {
		d.flags.trust = "project" // all of it: a record of trust knows neither the edits nor the revisions to compare
	}
	if err := d.aim(ctx, spec, &o); err != nil {
		return diff.Side{}, nil, err
	}
	b, err := d.setup(ctx, o)
	if err != nil {
		return diff.Side{}, nil, err
	}
	p, err := b.agent.Preview(ctx, "diff", agent.Input{Text: input})
	if err != nil {
		return diff.Side{}, nil, err
	}
	return d.sideOf(spec, b, p)
}

func (c *command) sideOf(spec string, b *bench, p agent.Preview) (diff.Side, *bench, error) {
	report, _, err := c.report(b, p)
	side := diff.Side{Label: spec, Prompt: report, Dialect: b.model.dialect}
	if rate, ok := b.rate(); ok {
		side.Rates = diff.Rates{Input: rate.Input, Cached: rate.Cached}
	}
	b.diagnostics = slices.Concat(b.diagnostics, p.Diagnostics)
	return side, b, err
}

// diagnoseSides tells what is wrong with the sides, such as a file that is missing
// in one because it cannot be read. What holds for one only says for which.
func (c *command) diagnoseSides(specs [2]string, faults [2][]prompt.Diagnostic) {
	for i := range faults {
		for _, d := range faults[i] {
			both := slices.ContainsFunc(faults[1-i], func(o prompt.Diagnostic) bool { return o.String() == d.String() })
			if d.Severity < prompt.Warning || both && i == 1 {
				continue
			}
			if !both {
				d.Message += " (" + specs[i] + ")"
			}
			c.diagnose([]prompt.Diagnostic{d})
		}
	}
}

// isPast reports whether a side is a request of a session. A revision (git:@), a
// value and the path of a folder (./v@2) may have an @ as well.
func isPast(spec string) bool {
	return strings.Contains(spec, "@") && !strings.ContainsAny(spec, `=/\`) && !strings.HasPrefix(spec, "git:")
}

// pastSide makes a recorded request again.
func (c *command) pastSide(ctx context.Context, spec string, p past, o options) (diff.Side, *bench, error) {
	var rec session.Request
	o.recorded, o.portable = &rec, false
	o.store = func(at place) (session.Store, error) {
		store, err := c.readStore(ctx, at, p.id)
		if err == nil {
			rec, err = nthRequest(ctx, store, p)
		}
		return store, err
	}
	b, err := c.setup(ctx, o)
	if err != nil {
		return diff.Side{}, nil, err
	}
	r, err := b.agent.Replay(ctx, p.id, p.n, protocols...)
	if err != nil {
		return diff.Side{}, nil, c.hinted(err)
	}
	b.model = resolved{name: rec.Model, dialect: rec.Dialect}
	return c.sideOf(spec, b, agent.Preview{Step: r.Step})
}

// aim points the command at what a side names.
func (c *command) aim(ctx context.Context, spec string, o *options) error {
	kind, name, _ := strings.Cut(spec, ":")
	switch {
	case kind == "git" && name != "":
		return c.atRevision(ctx, name)
	case kind == "preset" && name != "":
		c.flags.preset = name
		return c.flags.check()
	case kind == "agent" && name != "":
		c.flags.agent = name
		return nil
	case kind == "model" && name != "":
		o.model = name
		return nil
	case kind == "dialect" && name != "":
		c.flags.set = append(c.flags.set, "dialect="+quoted(name))
		return nil
	case strings.Contains(spec, "=") && !strings.ContainsAny(kind, "/\\"):
		c.flags.set = append(c.flags.set, spec)
		return nil
	}
	at := c.absolute(spec)
	root, err := env.OrSystem(c.p.Env).Files.OpenRoot(at)
	if err == nil {
		root.Close()
		if spec != "." {
			c.flags.cwd = at
		}
		return nil
	}
	if ext := filepath.Ext(spec); ext == ".yaml" || ext == ".yml" {
		c.flags.config = at
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return usage(fmt.Errorf("%s: there is no such folder; a side is %s", spec, sideForms))
	}
	return err
}

// atRevision reads the project as a commit has it. Git itself is asked, with
// nothing of the repository's configuration that makes it run something.
func (c *command) atRevision(ctx context.Context, ref string) error {
	e := env.OrSystem(c.p.Env)
	p, err := c.findPlace(e, []string{".git"})
	if err != nil {
		return err
	}
	repo, err := files.FindRoot(e, p.cwd, []string{".git"})
	if err != nil {
		return err
	}
	tree, _, problems, err := gitrepo.Tree(ctx, gitrepo.Config{Env: c.p.Env, Repo: repo, Ref: ref})
	if err != nil {
		return err
	}
	for _, problem := range problems {
		c.say("warning diff.revision: git:%s: %s", ref, problem)
	}
	machine := *c.p.Env
	machine.Files = revision{e.Files, env.FromFS(repo, tree), filepath.ToSlash(repo)}
	c.p.Env = &machine
	return nil
}

// A revision is the file system with a repository as a commit has it. All else,
// such as the user's own files, is as it is.
type revision struct {
	env.Files
	past env.Files
	repo string
}

// OpenRoot implements [env.Files].
func (r revision) OpenRoot(dir string) (env.Root, error) {
	if at := path.Clean(filepath.ToSlash(dir)); at == r.repo || strings.HasPrefix(at, r.repo+"/") {
		return r.past.OpenRoot(dir)
	}
	return r.Files.OpenRoot(dir)
}
