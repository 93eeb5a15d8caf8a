package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/inspect/explain"
	"github.com/proemhq/proem/inspect/explain/page"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/wire"
)

// explainFlags are what explain is asked.
type explainFlags struct {
	section, file, tool, whyNot string
	offset                      int
	wire, stage, html           string
	input, session, model       string
	against                     []string
}

func (c *command) explainCommand() *cobra.Command {
	var f explainFlags
	cmd := &cobra.Command{
		Use:   "explain [QUERY]",
		Short: "Where each byte came from, and why what is absent is absent",
		Long: "Says of a section, a file, a tool, a byte of the request or any text that the prompt holds where it came from: file and\n" +
			"bytes in it, what was done to it, the rule that let it in, what it keeps out, and what it costs in a request and in all\n" +
			"that a turn may take (steps.max). QUERY is the first of these that it fits: the name of a section, a tool, a file, a text.\n" +
			"Without a query the whole prompt is explained. Sends nothing and starts nothing.",
		Example: c.own("  proem explain\n  proem explain 'Use tabs'\n  proem explain --file AGENTS.md\n  proem explain --why-not CLAUDE.md\n" +
			"  proem explain --wire anthropic --offset 1200\n  proem explain --html prompt.html"),
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := explain.Query{Section: f.section, Tool: f.tool, File: f.file}
			if len(args) > 0 {
				q.Any = args[0]
			}
			if cmd.Flags().Changed("offset") {
				q.Offset = &f.offset
			}
			if err := f.check(q); err != nil {
				return err
			}
			return c.explain(cmd.Context(), f, q)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.section, "section", "", "explain the section of this name")
	fl.StringVar(&f.file, "file", "", "explain what was read from this file")
	fl.StringVar(&f.tool, "tool", "", "explain the tool of this name")
	fl.IntVar(&f.offset, "offset", 0, "explain this byte of the request body")
	fl.StringVar(&f.whyNot, "why-not", "", "say why this file is not in the prompt")
	fl.StringVar(&f.wire, "wire", "", "the body of this dialect: "+strings.Join(dialects, ", "))
	fl.StringVar(&f.stage, "stage", "", "explain the prompt as it is after this stage")
	fl.StringVar(&f.html, "html", "", "write one HTML file that needs nothing else")
	fl.StringVar(&f.input, "input", "", "the user's message")
	fl.StringVar(&f.session, "session", "", "continue this session; ID@STEP explains a request that was sent")
	fl.StringArrayVar(&f.against, "against", nil, "a request that was sent, as ID@STEP, to compare with on the page; may be repeated")
	fl.BoolVar(&c.full, "full", false, "do not fold long texts")
	addModel(cmd, &f.model)
	_ = cmd.RegisterFlagCompletionFunc("session", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("wire", cobra.FixedCompletions(dialects, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.MarkFlagFilename("html", "html")
	return cmd
}

// check refuses questions that contradict each other.
func (f *explainFlags) check(q explain.Query) error {
	var asked []string
	for _, a := range []struct {
		is   bool
		name string
	}{{q.Any != "", "QUERY"}, {q.Section != "", "--section"}, {q.File != "", "--file"}, {q.Tool != "", "--tool"},
		{q.Offset != nil, "--offset"}, {f.whyNot != "", "--why-not"}} {
		if a.is {
			asked = append(asked, a.name)
		}
	}
	if len(asked) > 1 {
		return usage(fmt.Errorf("%s: ask one thing at a time", strings.Join(asked, " and ")))
	}
	if len(f.against) > 0 && f.html == "" {
		return usage(errors.New("--against belongs to --html: the page compares"))
	}
	if f.wire != "" && !slices.Contains(dialects, f.wire) {
		return usage(fmt.Errorf("--wire %s: this version speaks %s", f.wire, strings.Join(dialects, ", ")))
	}
	return nil
}

func (c *command) explain(ctx context.Context, f explainFlags, q explain.Query) error {
	b, step, err := c.stepOf(ctx, f)
	if err != nil {
		return err
	}
	r, err := c.explained(b, step, f.wire, f.stage)
	if err != nil {
		return err
	}
	if f.html != "" {
		others, err := c.others(ctx, f)
		if err != nil {
			return err
		}
		if err := c.writePage(f.html, page.Page{Report: r, Steps: others}); err != nil {
			return err
		}
	}
	switch {
	case f.whyNot != "":
		path := c.pathOf(b, f.whyNot)
		return c.showWhyNot(b, r.WhyNot(path, b.rulesFor(path)))
	case q != explain.Query{}:
		return c.showMatches(b, r, q)
	case f.html != "":
		c.say("info explain: wrote %s", f.html)
		return nil
	case c.flags.json:
		return c.printJSON(r)
	}
	c.diagnose(r.Diagnostics)
	_, err = fmt.Fprint(c.p.Stdout, c.explainText(b, r))
	return err
}

// stepOf returns the request to explain: the next one, or one of a session that
// was sent.
func (c *command) stepOf(ctx context.Context, f explainFlags) (*bench, agent.Step, error) {
	o, id := options{model: f.model}, "preview"
	if p, ok, err := parsePast(f.session); err != nil {
		return nil, agent.Step{}, err
	} else if ok {
		if f.input != "" {
			return nil, agent.Step{}, usage(fmt.Errorf("--session %s explains what was sent: --input says what would be", f.session))
		}
		b, r, err := c.replayed(ctx, p, o, "")
		return b, r.Step, err
	}
	if f.session != "" {
		id = f.session
		o.store = func(p place) (session.Store, error) { return c.readStore(ctx, p, id) }
	}
	b, err := c.setup(ctx, o)
	if err != nil {
		return nil, agent.Step{}, err
	}
	c.announce(b, o)
	p, err := b.agent.Preview(ctx, id, agent.Input{Text: f.input})
	if err != nil {
		c.diagnose(b.diagnostics)
	}
	return b, p.Step, err
}

// others returns the requests to compare with on a page.
func (c *command) others(ctx context.Context, f explainFlags) ([]page.View, error) {
	var out []page.View
	for _, name := range f.against {
		p, ok, err := parsePast(name)
		if err == nil && !ok {
			err = usage(fmt.Errorf("--against %s: write SESSION@STEP, the number of a request of a session", name))
		}
		if err != nil {
			return nil, err
		}
		_, r, err := c.replayed(ctx, p, options{model: f.model}, "")
		if err != nil {
			return nil, err
		}
		out = append(out, page.View{Label: fmt.Sprintf("request %d of %s", p.n, p.id),
			Doc: fmt.Sprintf("as it was sent in turn %d, step %d", r.Turn, r.Step.Step), Assembly: r.Assembly})
	}
	return out, nil
}

// explained returns the report of a request, of the assembly after one of its
// stages if a stage is named.
func (c *command) explained(b *bench, step agent.Step, dialect, stage string) (*explain.Report, error) {
	frames, err := step.Trace()
	if err != nil {
		return nil, err
	}
	s := explain.Subject{Step: step, Frames: frames, Dialect: b.model.dialect, Counter: b.counter, StepsMax: b.cfg.Steps.Max, Diagnostics: b.diagnostics,
		About: explain.About{Preset: b.preset.Name, Agent: b.agentName, Model: b.model.spec, Root: b.place.root, Record: step.Request.Capability.Source}}
	if s.About.Model == "" {
		s.About.Model = b.model.name
	}
	if rate, ok := b.rate(); ok {
		s.Rates = explain.Rates{Input: rate.Input, Cached: rate.Cached, Source: rate.Source, Date: rate.Date}
	}
	dialect = cmp.Or(dialect, b.cfg.Dialect) // also where no model is configured
	if dialect != "" && dialect != b.model.dialect {
		bodies, err := b.bodies(agent.Preview{Step: step})
		if err != nil {
			return nil, err
		}
		body := bodies[dialect]
		s.Dialect, s.Body = dialect, &body
	}
	if stage != "" {
		i := slices.IndexFunc(frames, func(f prompt.Frame) bool { return f.Stage == stage })
		if i < 0 {
			names := make([]string, len(frames))
			for i, f := range frames {
				names[i] = f.Stage
			}
			return nil, usage(fmt.Errorf("--stage %s: the stages are %s", stage, strings.Join(names, ", ")))
		}
		s.Step.Assembly, s.Frames, s.Dialect, s.Body = frames[i].Assembly, frames[:i+1], "", &wire.Body{}
	}
	r := explain.New(s)
	r.Check(func(path string) ([]byte, bool) {
		data, err := readFile(b.env, path, maxPart)
		return data, err == nil && data != nil
	})
	return &r, nil
}

// writePage writes a report as an HTML file.
func (c *command) writePage(name string, p page.Page) error {
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		return err
	}
	path := c.absolute(name)
	root, err := c.p.Env.Files.OpenRoot(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	defer root.Close()
	f, err := root.OpenFile(filepath.Base(path), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	_, err = f.Write(out.Bytes())
	return errors.Join(err, f.Close())
}
