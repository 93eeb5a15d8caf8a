package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/spawn"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
)

// An inherited is a section that a subagent sees or does not see, and why.
type inherited struct {
	Section string     `json:"section"`
	Channel string     `json:"channel,omitempty"`
	In      bool       `json:"in"`
	Why     string     `json:"why"`
	Path    string     `json:"path,omitempty"`
	Trust   span.Trust `json:"trust"`
	Bytes   int        `json:"bytes"`
	Text    string     `json:"text,omitempty"`
}

// A shownAgent is what agents show prints with --json.
type shownAgent struct {
	Schema      string      `json:"schema"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Path        string      `json:"path,omitempty"`
	Model       string      `json:"model"`
	Steps       int         `json:"steps,omitempty"`
	Mode        string      `json:"mode,omitempty"`
	Inherit     []string    `json:"inherit"` // null: the declaration does not say
	Tools       []string    `json:"tools"`
	Sections    []inherited `json:"sections"`
}

func (c *command) agentsShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show what a subagent sees of its parent's prompt, and why",
		Long: "Shows the sections that a declared subagent would be sent, and those of its parent's that it would not, each with\n" +
			"the reason. Nothing is sent.",
		Args: usageArgs(one("the name of an agent", c.own("proem agents lists them"))),
		RunE: func(cmd *cobra.Command, args []string) error {
			o := options{}
			b, err := c.setup(cmd.Context(), o)
			if err != nil {
				return err
			}
			loader := b.loader(o)
			src := b.declarations(loader)
			d, err := src.Find(cmd.Context(), args[0])
			if errors.Is(err, subagents.ErrUnknown) {
				if cat, err := src.Catalog(cmd.Context()); err == nil {
					c.diagnose(cat.Diagnostics) // it may be held back
				}
				return fmt.Errorf("there is no subagent %q; %s agents lists what there is", args[0], c.app.Name)
			}
			if err != nil {
				return err
			}
			b.subagents = src
			s, err := c.spawning(b, o, loader, storeOf(b), b.permissions(true))
			if err != nil {
				return err
			}
			p, notes, err := s.Preview(cmd.Context(), args[0], "")
			if err != nil {
				return err
			}
			c.announce(b, o)
			c.diagnose(append(append(b.diagnostics, notes...), p.Diagnostics...))
			return c.showAgent(b, d, p)
		},
	}
}

// showAgent prints a subagent.
func (c *command) showAgent(b *bench, d *subagents.Declaration, p agent.Preview) error {
	out := shownAgent{Schema: "proem.agent/1", Name: d.Name, Description: d.Description, Path: d.Path, Model: p.Request.Model,
		Steps: d.Steps, Mode: string(d.Mode), Inherit: d.Inherit, Tools: []string{}, Sections: sectionsOf(d, p.Assembly)}
	for _, t := range p.Request.Tools {
		out.Tools = append(out.Tools, t.Name)
	}
	if c.flags.json {
		return c.printJSON(out)
	}
	fmt.Fprintf(c.p.Stdout, "%s: %s\n", visibleLine(d.Name), visibleLine(oneLine(d.Description, 200)))
	cells := [][]string{{"section", "", "from", "why", "bytes"}}
	for _, s := range out.Sections {
		in := "out"
		if s.In {
			in = "in"
		}
		cells = append(cells, []string{visibleLine(s.Section), in, visibleLine(c.short(b, s.Path)), visibleLine(s.Why), fmt.Sprint(s.Bytes)})
	}
	for i, line := range table(cells, 4) {
		if i == 0 {
			line = c.paint("1", line)
		}
		fmt.Fprintln(c.p.Stdout, line)
	}
	fmt.Fprintf(c.p.Stdout, "tools: %s\n", orNone(out.Tools))
	return nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	text := names[0]
	for _, n := range names[1:] {
		text += ", " + n
	}
	return text
}

// sectionsOf lists what a subagent sees and then what it does not.
func sectionsOf(d *subagents.Declaration, a prompt.Assembly) []inherited {
	out := []inherited{}
	for _, s := range a.Sections {
		i := inherited{Section: s.Name, Channel: s.Channel.String(), In: true, Why: spawn.Why(d, s), Trust: s.Trust(), Bytes: s.Text.Len(), Text: s.Text.String()}
		if s.From != nil {
			i.Path = s.From.Path
		}
		out = append(out, i)
	}
	for _, n := range a.Notes {
		if n.Stage != spawn.InheritStage {
			continue
		}
		i := inherited{Section: n.Name, Why: n.Reason, Path: n.Path}
		if n.From != nil {
			i.Trust = n.From.Trust
		}
		out = append(out, i)
	}
	return out
}
