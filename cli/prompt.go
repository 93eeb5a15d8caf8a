package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/inspect"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/wire"
)

func (c *command) promptCommand() *cobra.Command {
	var input, wireName, sessionID, model string
	var noStream, all bool
	cmd := &cobra.Command{
		Use:   "prompt",
		Short: "Show what the next model request would contain",
		Long: "Assembles the prompt and shows it with the source of every section. Sends nothing and writes nothing.\n" +
			"With --wire the exact body is printed, byte for byte what run sends. The last column of the table is the cost of a\n" +
			"section in tokens if every request that a turn may take (steps.max) is made.\n" +
			"--session ID@STEP shows a request that was sent, made again from what the session kept and compared with the record;\n" +
			"STEP counts the requests of the session from 1.",
		Example: c.own("  proem prompt\n  proem prompt --input 'fix the test' --wire openai-chat\n  proem prompt --json | jq .sections\n  proem prompt --session ID@3 --wire openai-chat"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unexpected %q: the user's message goes into --input", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if wireName != "" && !slices.Contains(dialects, wireName) {
				return usage(fmt.Errorf("--wire %s: this version speaks %s", wireName, strings.Join(dialects, ", ")))
			}
			o := options{model: model, noStream: noStream}
			if p, ok, err := parsePast(sessionID); err != nil {
				return err
			} else if ok {
				if input != "" || noStream {
					return usage(fmt.Errorf("--session %s shows what was sent: --input and --no-stream say what would be", sessionID))
				}
				return c.replay(cmd.Context(), p, o, wireName)
			}
			if sessionID != "" {
				if all {
					return usage(errors.New("--all-agents and --session: a session is of one agent"))
				}
				o.store = func(p place) (session.Store, error) { return c.readStore(cmd.Context(), p, sessionID) }
			} else {
				sessionID = "preview"
			}
			return c.each(all, func(c *command) error { return c.preview(cmd.Context(), o, sessionID, input, wireName) })
		},
	}
	f := cmd.Flags()
	addAllAgents(cmd, &all)
	f.StringVar(&input, "input", "", "the user's message")
	f.StringVar(&wireName, "wire", "", "print the exact request body in this dialect: "+strings.Join(dialects, ", "))
	f.StringVar(&sessionID, "session", "", "continue this session; ID@STEP shows a request that was sent")
	addModel(cmd, &model)
	f.BoolVar(&noStream, "no-stream", false, "the body without streaming")
	f.BoolVar(&c.full, "full", false, "do not fold long texts")
	_ = cmd.RegisterFlagCompletionFunc("session", cobra.NoFileCompletions)
	_ = cmd.RegisterFlagCompletionFunc("wire", cobra.FixedCompletions(dialects, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// preview shows what the next request would contain.
func (c *command) preview(ctx context.Context, o options, sessionID, input, wireName string) error {
	b, err := c.setup(ctx, o)
	if err != nil {
		return err
	}
	c.announce(b, o)
	p, err := b.agent.Preview(ctx, sessionID, agent.Input{Text: input})
	if err != nil {
		c.diagnose(b.diagnostics)
		return err
	}
	return c.showPrompt(b, p, wireName)
}

// readStore opens the store of recorded sessions if it has the session.
func (c *command) readStore(ctx context.Context, p place, id string) (session.Store, error) {
	if err := session.CheckID(id); err != nil {
		return nil, err
	}
	dir := filepath.Join(p.projectState(), "sessions")
	root, err := c.p.Env.Files.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) || p.projectState() == "" {
		return nil, fmt.Errorf("session %s: there are no sessions of %s", id, p.root)
	}
	if err != nil {
		return nil, err
	}
	root.Close()
	store, err := jsonl.Open(jsonl.Config{Dir: dir, Env: c.p.Env})
	if err != nil {
		return nil, err
	}
	for _, err := range store.Events(ctx, id) {
		return store, err
	}
	return nil, fmt.Errorf("session %s: %s has no such session", id, p.root)
}

// report describes a preview, and returns its body in every dialect.
func (c *command) report(b *bench, p agent.Preview) (inspect.Prompt, map[string]wire.Body, error) {
	bodies, err := b.bodies(p)
	if err != nil {
		return inspect.Prompt{}, nil, err
	}
	about := inspect.About{
		Preset: b.preset.Name, Agent: b.agentName, Model: b.model.spec, Cwd: b.place.cwd, Root: b.place.root, Workspace: b.place.workspace,
		Bodies: bodies, Counter: b.counter, IO: b.env.Count.Load(), Diagnostics: b.diagnostics,
	}
	if about.Model == "" {
		about.Model = b.model.name
	}
	return inspect.NewPrompt(p, about), bodies, nil
}

// showPrompt prints a preview in the form that the flags ask for.
func (c *command) showPrompt(b *bench, p agent.Preview, wireName string) error {
	report, bodies, err := c.report(b, p)
	if err != nil {
		return err
	}
	c.diagnose(report.Diagnostics)
	switch {
	case c.flags.json:
		return c.printJSON(report)
	case wireName != "":
		if wireName != b.model.dialect {
			for _, loss := range bodies[wireName].Losses {
				c.diagnose([]prompt.Diagnostic{loss.Diagnostic})
			}
		}
		body := bodies[wireName].JSON
		if isTerminal(c.p.Stdout) {
			body = append(slices.Clip(body), '\n') // for the shell's prompt; elsewhere not a byte more
		}
		_, err := c.p.Stdout.Write(body)
		return err
	}
	_, err = c.p.Stdout.Write([]byte(c.promptText(b, p, report)))
	return err
}

// promptText renders a report for people: a table of what the prompt is made of,
// what is absent and why, and the texts.
func (c *command) promptText(b *bench, p agent.Preview, r inspect.Prompt) string {
	var out strings.Builder
	fmt.Fprintf(&out, "preset %s · agent %s · model %s\nroot %s\n\n", r.Preset, visibleLine(r.Agent), visibleLine(r.Model), visibleLine(r.Root))
	c.sectionTable(&out, b, r)
	if len(r.Omitted) > 0 {
		out.WriteString("\n" + c.paint("1", "left out or changed") + "\n")
		for _, o := range r.Omitted {
			name := o.Name
			if o.Path != "" && !strings.Contains(name, ":") {
				name += " (" + c.short(b, o.Path) + ")"
			}
			fmt.Fprintf(&out, "  %s: %s [%s]\n", visibleLine(name), visibleLine(o.Reason), o.Stage)
		}
	}
	for ch := range prompt.Channels {
		if parts := p.Assembly.Parts(ch); len(parts) > 0 {
			fmt.Fprintf(&out, "\n%s\n", c.paint("1", "── "+ch.String()+" "+strings.Repeat("─", 60-len(ch.String()))))
			c.channel(&out, parts)
		}
	}
	return out.String()
}

// channel prints the parts of a channel; what proem generated is dimmed, and long
// parts are folded.
func (c *command) channel(out *strings.Builder, parts []prompt.Part) {
	for _, p := range parts {
		out.WriteString(visible(p.Sep))
		total := strings.Count(p.Text.String(), "\n") + 1
		fold := total > foldAbove && !c.full
		line := 0
		for _, s := range p.Text {
			for piece := range strings.Lines(s.Text) {
				switch {
				case !fold || line < foldHead || line >= total-foldTail:
					shown := visible(piece)
					if s.From != nil && strings.HasPrefix(s.From.Source, "generated:") {
						shown = c.paint("2", shown)
					}
					out.WriteString(shown)
				case line == foldHead:
					out.WriteString(c.paint("2", fmt.Sprintf("  ⋮ %d lines of %s folded; --full shows them", total-foldHead-foldTail, visibleLine(p.Name))) + "\n")
				}
				if strings.HasSuffix(piece, "\n") {
					line++
				}
			}
		}
	}
	if last := parts[len(parts)-1].Text; !strings.HasSuffix(last[len(last)-1].Text, "\n") {
		out.WriteByte('\n')
	}
}

// A part of more than foldAbove lines is shown by its first and last lines.
const (
	foldAbove = 60
	foldHead  = 30
	foldTail  = 5
)

func (c *command) sectionTable(out *strings.Builder, b *bench, r inspect.Prompt) {
	rows := [][]string{{"section", "channel", "order", "class", "trust", "source", "bytes", "tokens", fmt.Sprintf("×%d", b.cfg.Steps.Max)}}
	sum := 0
	for _, s := range r.Sections {
		sum += s.Tokens
		from := s.Source
		if s.Path != "" {
			from = c.short(b, s.Path)
		}
		rows = append(rows, []string{visibleLine(s.Name), s.Channel, fmt.Sprintf("%g", s.Order), s.Class, s.Trust.String(), visibleLine(from),
			fmt.Sprint(s.Bytes), fmt.Sprint(s.Tokens), fmt.Sprint(s.Tokens * b.cfg.Steps.Max)})
	}
	for _, t := range r.Tools {
		sum += t.Tokens
		rows = append(rows, []string{visibleLine(t.Name), "tools", "", "", "", t.Source, fmt.Sprint(len(t.Description) + len(t.Parameters)), fmt.Sprint(t.Tokens), fmt.Sprint(t.Tokens * b.cfg.Steps.Max)})
	}
	if rest := r.Tokens.Total - sum; rest > 0 {
		rows = append(rows, []string{"fences and separators", "", "", "", "", "generated", "", fmt.Sprint(rest), fmt.Sprint(rest * b.cfg.Steps.Max)})
	}
	about := "estimated"
	if r.Tokens.Exact {
		about = "exact"
	}
	rows = append(rows, []string{"total (" + about + ")", "", "", "", "", "", "", fmt.Sprint(r.Tokens.Total), fmt.Sprint(r.Tokens.Total * b.cfg.Steps.Max)})
	for i, line := range table(rows, 6) {
		if i == 0 {
			line = c.paint("1", line)
		}
		out.WriteString(line + "\n")
	}
}

// short returns a path relative to the project's root if it lies below it.
func (c *command) short(b *bench, p string) string {
	if rel, err := filepath.Rel(b.place.root, p); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return p
}
