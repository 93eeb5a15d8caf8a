package cli

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/session"
)

func (c *command) sessionsFork() *cobra.Command {
	var at uint64
	cmd := &cobra.Command{
		Use:   "fork ID",
		Short: "Begin a new session with the events of another",
		Long: "Begins a new session with the events of another, up to a number that sessions show prints, and prints its id. The\n" +
			"original is not changed. A fork that ends within a turn is gone on with like one that was interrupted there.",
		Args:              usageArgs(one("the id of a session", c.own("proem sessions lists them"))),
		ValidArgsFunction: c.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at == 0 && cmd.Flags().Changed("at") {
				return usage(errors.New("--at 0: events are numbered from 1"))
			}
			r, err := c.openSessions()
			if err != nil {
				return err
			}
			defer r.close()
			id := args[0]
			if _, err := r.find(cmd.Context(), id); err != nil {
				return err
			}
			fork := env.OrSystem(c.p.Env).IDs.New("s")
			last, err := session.Fork(cmd.Context(), r.store, id, fork, at)
			if err != nil {
				return err
			}
			if c.flags.json {
				return c.printJSON(struct {
					Schema  string `json:"schema"`
					Session string `json:"session"`
					From    string `json:"from"`
					Events  uint64 `json:"events"`
				}{"proem.fork/1", fork, id, last})
			}
			fmt.Fprintln(c.p.Stdout, fork)
			c.say("info session: %s has the first %s of %s; go on with %s chat --resume %s", fork, plural(int(last), "event"), id, c.app.Name, fork)
			return nil
		},
	}
	cmd.Flags().Uint64Var(&at, "at", 0, "up to this event; by default all")
	return cmd
}

func (c *command) sessionsDelete() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:               "delete ID…",
		Short:             "Delete sessions and everything that belongs to them",
		Long:              "Deletes sessions with those of their subagents, what was set aside when they were repaired, and their long results. Asks first in a terminal; elsewhere --yes is needed.",
		Args:              usageArgs(cobra.MinimumNArgs(1)),
		ValidArgsFunction: c.completeSessions,
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := c.openSessions()
			if err != nil {
				return err
			}
			defer r.close()
			rows := make([]session.Info, len(args)) // none is deleted if one does not exist
			for i, id := range args {
				if rows[i], err = r.find(cmd.Context(), id); err != nil {
					return err
				}
			}
			if rows, err = r.withChildren(cmd.Context(), rows); err != nil {
				return err
			}
			if !yes && !c.asks() {
				return usage(errors.New("nothing was deleted: there is no terminal to ask in; --yes deletes without asking"))
			}
			if !yes {
				described, err := sessionRows(cmd.Context(), r.store, rows)
				if err != nil {
					return err
				}
				for _, line := range sessionTable(described, c.zone()) {
					fmt.Fprintln(c.p.Stderr, line)
				}
				if !c.ask(cmd.Context(), "Delete "+plural(len(rows), "session")+" for good?") {
					return statusError{code: ExitFailure, err: errors.New("nothing was deleted")}
				}
			}
			for _, info := range rows {
				id := info.ID
				if err := r.store.Delete(cmd.Context(), id); err != nil {
					return err
				}
				if err := r.forget(id); err != nil {
					return err
				}
				c.say("info session: %s is deleted", id)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// forget removes the long results of a session.
func (r recorded) forget(id string) error {
	root, err := r.env.Files.OpenRoot(r.place.results())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := root.ReadDir(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := root.Remove(id + "/" + e.Name()); err != nil {
			return err
		}
	}
	return root.Remove(id)
}
