package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
)

func (c *command) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sessions",
		Short: "List, show, search, export, fork and delete the sessions of this project",
		Long: "Without a further word lists the sessions of this project, the newest first. They lie in user state, never in\n" +
			"the repository. run --resume ID and chat --resume ID go on with one.",
		Example: c.own("  proem sessions\n  proem sessions show ID\n  proem sessions find ID 'some words'\n  proem sessions export ID --markdown > talk.md\n  proem sessions fork ID --at 12"),
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return fmt.Errorf("unknown command %q; there are show, find, export, fork and delete", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := c.openSessions()
			if err != nil {
				return err
			}
			defer s.close()
			rows, err := s.rows(cmd.Context())
			if err != nil {
				return err
			}
			if c.flags.json {
				return c.printJSON(sessionList{Schema: "proem.sessions/1", Root: s.place.root, Sessions: rows})
			}
			if len(rows) == 0 {
				c.say("info sessions: there are none of %s", s.place.root)
				return nil
			}
			for i, line := range sessionTable(rows, c.zone()) {
				if i == 0 {
					line = c.paint("1", line)
				}
				fmt.Fprintln(c.p.Stdout, line)
			}
			return nil
		},
	}
	cmd.AddCommand(c.sessionsShow(), c.sessionsFind(), c.sessionsExport(), c.sessionsFork(), c.sessionsDelete())
	return cmd
}

// recorded are the sessions of a project.
type recorded struct {
	place place
	env   *env.Env
	store *jsonl.Store // nil: there are none
}

func (r recorded) close() {
	if r.store != nil {
		r.store.Close()
	}
}

// openSessions opens the recorded sessions of the project without making a
// directory for them. Of the configuration it reads only what says where the
// project is, so it works beside a faulty agent.
func (c *command) openSessions() (recorded, error) {
	e := env.OrSystem(c.p.Env)
	opt := config.Options{Env: e, ConfigFile: c.absolute(c.flags.config), Environ: c.p.Environ, Set: c.flags.set, Cwd: c.absolute(c.flags.cwd)}
	if dir, _ := c.userPlace(); dir != "" {
		opt.UserFile = filepath.Join(dir, "config.yaml")
	}
	cfg, _, err := config.Load(opt)
	if err != nil {
		return recorded{}, err
	}
	r := recorded{env: e}
	if r.place, err = c.findPlace(e, cfg.Project.RootMarkers); err != nil || r.place.projectState() == "" {
		return r, err
	}
	dir := filepath.Join(r.place.projectState(), "sessions")
	root, err := e.Files.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	root.Close()
	r.store, err = jsonl.Open(jsonl.Config{Dir: dir, Env: e, Report: func(d prompt.Diagnostic) { c.diagnose([]prompt.Diagnostic{d}) }})
	return r, err
}

// find checks that there is such a session and returns what the store says of
// it.
func (r recorded) find(ctx context.Context, id string) (session.Info, error) {
	if err := session.CheckID(id); err != nil {
		return session.Info{}, err
	}
	infos, err := r.list(ctx)
	if err != nil {
		return session.Info{}, err
	}
	for _, i := range infos {
		if i.ID == id {
			return i, nil
		}
	}
	return session.Info{}, fmt.Errorf("session %s: %s has no such session", id, r.place.root)
}

// list returns the sessions, the newest first.
func (r recorded) list(ctx context.Context) ([]session.Info, error) {
	if r.store == nil {
		return nil, nil
	}
	return newest(ctx, r.store)
}

// newest lists the sessions of a store, the newest first.
func newest(ctx context.Context, l session.Lister) ([]session.Info, error) {
	infos, err := l.List(ctx)
	slices.SortStableFunc(infos, func(a, b session.Info) int { return b.Updated.Compare(a.Updated) })
	return infos, err
}

// A sessionList is what sessions prints with --json.
type sessionList struct {
	Schema   string       `json:"schema"`
	Root     string       `json:"root"`
	Sessions []sessionRow `json:"sessions"`
}

// A sessionRow is a line of `proem sessions`.
type sessionRow struct {
	ID      string         `json:"id"`
	Begun   time.Time      `json:"begun,omitzero"`
	Updated time.Time      `json:"updated,omitzero"`
	Turns   int            `json:"turns"`
	Events  int            `json:"events"`
	Input   string         `json:"input"`            // how the first input begins
	Parent  string         `json:"parent,omitempty"` // whose subagent it is
	Agent   string         `json:"agent,omitempty"`  // which one
	Bytes   int64          `json:"bytes"`
	Usage   *session.Usage `json:"usage,omitempty"` // of all answers
	Damage  []string       `json:"damage,omitempty"`
	Error   string         `json:"error,omitempty"` // why it was not read to its end
}

func (r recorded) rows(ctx context.Context) ([]sessionRow, error) {
	infos, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := sessionRows(ctx, r.store, infos)
	return families(rows), err
}

// sessionRows reads sessions and describes them. One that cannot be read has a
// row that says so.
func sessionRows(ctx context.Context, store session.Store, infos []session.Info) ([]sessionRow, error) {
	rows := make([]sessionRow, len(infos))
	for i, info := range infos {
		s, err := session.Summarize(ctx, store, info.ID)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		row := sessionRow{ID: info.ID, Begun: s.Begun.UTC(), Updated: info.Updated.UTC(), Turns: s.Turns, Events: s.Events, Input: oneLine(s.First, 200), Bytes: info.Bytes}
		if s.Parent != nil {
			row.Parent, row.Agent = s.Parent.Session, s.Parent.Agent
		}
		if s.Spent.Answers > s.Spent.Unreported {
			row.Usage = &s.Spent.Usage
		}
		for _, l := range s.Losses {
			row.Damage = append(row.Damage, l.String())
		}
		if err != nil {
			row.Error = err.Error()
		}
		rows[i] = row
	}
	return rows, nil
}

// sessionTable renders rows for people.
func sessionTable(rows []sessionRow, zone *time.Location) []string {
	cells := [][]string{{"session", "last used", "first words", "turns", "size"}}
	for _, r := range rows {
		words := oneLine(r.Input, 50)
		if r.Parent != "" {
			words = oneLine("└ "+r.Agent+": "+r.Input, 50)
		}
		switch {
		case r.Error != "":
			words = cmp.Or(words, "–") + " (cannot be read to its end)"
		case len(r.Damage) > 0:
			words = cmp.Or(words, "–") + " (damaged)"
		}
		cells = append(cells, []string{r.ID, moment(r.Updated, zone), visibleLine(words), fmt.Sprint(r.Turns), size(r.Bytes)})
	}
	return table(cells, 3)
}

// zone returns the time zone to show times in.
func (c *command) zone() *time.Location {
	if !c.flags.clock.IsZero() {
		return c.flags.clock.Location()
	}
	return env.OrSystem(c.p.Env).Clock.Now().Location()
}

// moment shows a time to the minute.
func moment(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return "–"
	}
	return t.In(zone).Format("2006-01-02 15:04")
}

// size shows a number of bytes.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f KB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// completeSessions offers the sessions of the project, the newest first.
func (c *command) completeSessions(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	r, err := c.openSessions()
	if err != nil {
		return nil, directive
	}
	defer r.close()
	infos, _ := r.list(cmd.Context())
	var ids []string
	for _, i := range infos {
		if !slices.Contains(args, i.ID) {
			ids = append(ids, i.ID+"\t"+moment(i.Updated, c.zone()))
		}
	}
	return ids, directive
}

// completeSession is completeSessions for commands that take one.
func (c *command) completeSession(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return c.completeSessions(cmd, args, word)
}
