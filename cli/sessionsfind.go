package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/inspect/find"
	"github.com/proemhq/proem/session"
)

func (c *command) sessionsFind() *cobra.Command {
	var o find.Options
	cmd := &cobra.Command{
		Use:   "find ID TEXT",
		Short: "Say at which request a text appeared, and at which it was gone",
		Long: c.own("Makes every request of a session again, compares each with the record, and says in which of them the text\n" +
			"appeared or was gone, where it stood, and where it came from. Looked at are the sections of the prompt, the tools\n" +
			"and the conversation. proem prompt --session ID@N shows the request N."),
		Example:           c.own("  proem sessions find ID 'Use tabs'\n  proem sessions find ID --ignore-case password --json"),
		Args:              usageArgs(cobra.ExactArgs(2)),
		ValidArgsFunction: c.completeSession,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.find(cmd.Context(), args[0], args[1], o)
		},
	}
	cmd.Flags().BoolVar(&o.FoldCase, "ignore-case", false, "small and capital letters are the same")
	return cmd
}

// A findReport is what find prints with --json.
type findReport struct {
	Schema   string        `json:"schema"`
	Session  string        `json:"session"`
	Text     string        `json:"text"`
	Requests int           `json:"requests"`
	Changes  []find.Change `json:"changes"`
	Present  []find.Place  `json:"present"` // in the last request that could be made again
	Skipped  []skipped     `json:"skipped"` // requests that could not
}

// A skipped request could not be made again as it was sent.
type skipped struct {
	Request int    `json:"request"`
	Why     string `json:"why"`
	// Before says that it was looked at as it was before hooks changed it.
	Before bool `json:"before,omitempty"`
}

func (c *command) find(ctx context.Context, id, text string, o find.Options) error {
	s, err := find.New(text, o)
	if err != nil {
		return usage(err)
	}
	b, err := c.pastAgent(ctx, id)
	if err != nil {
		return err
	}
	report := findReport{Schema: "proem.find/1", Session: id, Text: text, Changes: []find.Change{}, Skipped: []skipped{}}
	for r, err := range b.agent.Replays(ctx, id, protocols...) {
		if _, ok := errors.AsType[*agent.ReplayError](err); !ok && err != nil {
			return err
		}
		report.Requests++
		switch {
		case err != nil:
			report.Skipped = append(report.Skipped, skipped{Request: r.Number, Why: c.hinted(err).Error()})
			continue
		case !r.Whole:
			why := fmt.Sprintf("the hooks %s changed it, and what they did is recorded nowhere", strings.Join(r.Recorded.ChangedBy, ", "))
			report.Skipped = append(report.Skipped, skipped{Request: r.Number, Why: why, Before: true})
		}
		report.Changes = append(report.Changes, s.Add(r)...)
	}
	report.Present = s.Present()
	return c.printFind(b, report)
}

// pastAgent sets up the agent that the first request of a session was recorded by.
func (c *command) pastAgent(ctx context.Context, id string) (*bench, error) {
	s, err := c.openSessions()
	if err != nil {
		return nil, err
	}
	_, err = s.find(ctx, id)
	s.close()
	if err != nil {
		return nil, err
	}
	var first session.Request
	return c.setup(ctx, options{recorded: &first, store: func(at place) (session.Store, error) {
		store, err := c.readStore(ctx, at, id)
		if err != nil {
			return nil, err
		}
		first, err = nthRequest(ctx, store, past{id, 1})
		return store, err
	}})
}

func (c *command) printFind(b *bench, r findReport) error {
	looked := r.Requests
	for _, s := range r.Skipped {
		if s.Before {
			c.say("warning replay.hooks: request %d is looked at as it was before the last hooks: %s", s.Request, s.Why)
		} else {
			looked--
			c.say("warning find.skipped: request %d is left out: %s", s.Request, s.Why)
		}
	}
	if c.flags.json {
		return c.printJSON(r)
	}
	if len(r.Changes) == 0 {
		c.say("info find: the text stands in none of %s of %s", plural(looked, "request"), r.Session)
		return nil
	}
	var out strings.Builder
	last := 0
	for _, ch := range r.Changes {
		if ch.Request != last {
			fmt.Fprintf(&out, "request %d (turn %d, step %d)\n", ch.Request, ch.Turn, ch.Step)
			last = ch.Request
		}
		sign := "  + "
		if !ch.Appeared {
			sign = "  - "
		}
		out.WriteString(sign + c.placeLine(b, ch.Place) + "\n")
		if ch.Appeared {
			out.WriteString("      " + visibleLine(ch.Place.Excerpt) + "\n")
		}
	}
	if n := len(r.Present); n == 0 {
		fmt.Fprintf(&out, "It is not in the last request, which is %d.\n", r.Requests)
	} else {
		fmt.Fprintf(&out, "In the last request, which is %d, it stands in %s.\n", r.Requests, plural(n, "place"))
	}
	_, err := fmt.Fprint(c.p.Stdout, out.String())
	return err
}

// placeLine describes a place in a line.
func (c *command) placeLine(b *bench, p find.Place) string {
	var line string
	switch p.Kind {
	case find.Tool:
		line = "tool " + p.Name
	case find.Message:
		line = "message: " + p.Name
		if p.Event > 0 {
			line += fmt.Sprintf(", event %d", p.Event)
		}
	default:
		line = p.Kind + " section " + p.Name
	}
	switch {
	case p.Path != "":
		line += ", from " + c.short(b, p.Path)
	case p.Source != "":
		line += ", from " + p.Source
	}
	if p.Path != "" && p.Offset >= 0 {
		line += fmt.Sprintf(" at byte %d", p.Offset)
	}
	if p.Stage != "" {
		line += ", by " + p.Stage
	}
	if p.Count > 1 {
		line += fmt.Sprintf(", %d times", p.Count)
	}
	return visibleLine(line)
}
