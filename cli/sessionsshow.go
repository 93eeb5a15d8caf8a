package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/session"
)

func (c *command) sessionsShow() *cobra.Command {
	var full bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show what was said and done in a session",
		Long: "Shows a session: inputs, answers, tool calls with their results folded, and how each turn ended. The numbers are\n" +
			"those of the events. With --json each event is a line.",
		Args:              usageArgs(one("the id of a session", c.own("proem sessions lists them"))),
		ValidArgsFunction: c.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withSession(cmd.Context(), args[0], func(r recorded, info session.Info) error {
				if c.flags.json {
					return c.printEvents(cmd.Context(), r.store, info.ID)
				}
				return c.printTranscript(cmd.Context(), r.store, info, full)
			})
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "fold nothing")
	return cmd
}

func (c *command) sessionsExport() *cobra.Command {
	var asMarkdown bool
	cmd := &cobra.Command{
		Use:   "export ID",
		Short: "Print a session as JSON lines or as Markdown",
		Long: "Prints every event of a session as a line of JSON, or with --markdown what was said and done as a document. Read\n" +
			"it before you pass it on: it holds whatever the tools have read.",
		Args:              usageArgs(one("the id of a session", c.own("proem sessions lists them"))),
		ValidArgsFunction: c.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			if asMarkdown && c.flags.json {
				return usage(errors.New("--markdown and --json exclude each other"))
			}
			return c.withSession(cmd.Context(), args[0], func(r recorded, info session.Info) error {
				if !asMarkdown {
					return c.printEvents(cmd.Context(), r.store, info.ID)
				}
				return c.printMarkdown(cmd.Context(), r.store, info.ID)
			})
		},
	}
	cmd.Flags().BoolVar(&asMarkdown, "markdown", false, "a document for people")
	return cmd
}

// withSession calls f with a session that exists.
func (c *command) withSession(ctx context.Context, id string, f func(recorded, session.Info) error) error {
	r, err := c.openSessions()
	if err != nil {
		return err
	}
	defer r.close()
	info, err := r.find(ctx, id)
	if err != nil {
		return err
	}
	return f(r, info)
}

// printEvents prints the events of a session, each on a line.
func (c *command) printEvents(ctx context.Context, store session.Store, id string) error {
	for e, err := range store.Events(ctx, id) {
		if err != nil {
			return err
		}
		if err := c.printEvent(e); err != nil {
			return err
		}
	}
	return nil
}

// printEvent prints an event as a line of JSON.
func (c *command) printEvent(e session.Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.p.Stdout, "%s\n", line)
	return err
}

// printTranscript prints a session for people. What can be read of a damaged one
// is printed before the error.
func (c *command) printTranscript(ctx context.Context, store session.Store, info session.Info, full bool) error {
	s, failed := session.Summarize(ctx, store, info.ID)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	t := &transcript{c: c, out: c.p.Stdout, full: full, zone: c.zone()}
	t.print(fmt.Sprintf("session %s · %s, %s, %s\nbegun %s, last used %s\n", info.ID, plural(s.Turns, "turn"), plural(s.Events, "event"),
		size(info.Bytes), moment(s.Begun, t.zone), moment(info.Updated, t.zone)))
	if s.Spent.Answers > s.Spent.Unreported {
		t.print(describeUsage(s.Spent.Usage) + "\n")
	}
	for e, err := range store.Events(ctx, info.ID) {
		if err != nil {
			break // as in the first reading
		}
		if t.event(e); t.err != nil {
			return t.err
		}
	}
	return failed
}

// printMarkdown prints a session as a document.
func (c *command) printMarkdown(ctx context.Context, store session.Store, id string) error {
	d := &document{zone: c.zone()}
	d.begin(id)
	var failed error
	for e, err := range store.Events(ctx, id) {
		if err != nil {
			failed = err
			break
		}
		d.event(e)
	}
	if _, err := io.WriteString(c.p.Stdout, visible(d.out.String())); err != nil {
		return err
	}
	return failed
}
