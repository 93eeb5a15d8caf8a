package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/env"
)

// addAllAgents adds --all-agents to a command.
func addAllAgents(cmd *cobra.Command, all *bool) {
	cmd.Flags().BoolVar(all, "all-agents", false, "for each agent of the project, one after the other; with --json one document each")
}

// each calls f once, or for each agent of the binary and the project. A check that
// finds something in one looks at the others all the same.
func (c *command) each(all bool, f func(*command) error) error {
	if !all {
		return f(c)
	}
	if c.flags.agent != "" {
		return usage(errors.New("--all-agents and --agent: choose one of them"))
	}
	p, err := c.findPlace(env.OrSystem(c.p.Env), []string{".git"})
	if err != nil {
		return err
	}
	names, err := c.lockedAgents(p)
	if err != nil {
		return err
	}
	var found error
	for i, name := range names {
		d := *c
		d.flags.agent = name
		if !c.flags.json {
			if i > 0 {
				fmt.Fprintln(c.p.Stdout)
			}
			shown := name
			if shown == "" {
				shown = "(the project's own)"
			}
			fmt.Fprintf(c.p.Stdout, "%s\n", c.paint("1", "agent "+visibleLine(shown)))
		}
		err := f(&d)
		var status statusError
		switch {
		case errors.As(err, &status) && status.code == ExitFound:
			found = err
		case err != nil:
			return err
		}
	}
	return found
}
