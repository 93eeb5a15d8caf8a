package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/inspect/lock"
	"github.com/proemhq/proem/prompt"
)

// lockName is the name of the file at the project's root.
const lockName = "proem.lock"

// maxLock is how long a lock may be.
const maxLock = 4 << 20

func (c *command) lockCommand() *cobra.Command {
	var check, all bool
	cmd := &cobra.Command{
		Use:   "lock",
		Short: "Pin what the prompts of this project are made of",
		Long: c.own("Writes proem.lock at the project's root: of each agent the names, order, sizes and hashes of sections, tools and\n" +
			"request bodies. Kept with the project, it shows in review when a prompt changes. What belongs to a user or a machine\n" +
			"(your own instruction file and configuration, date, paths) is left out, so that every checkout gives the same file.\n\n" +
			"proem lock --check compares and exits 3 if something is different."),
		Example: c.own("  proem lock\n  proem lock --check\n  proem lock --agent reviewer --preset deepseek"),
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all && c.flags.agent != "" {
				return usage(errors.New("--all-agents and --agent: choose one of them"))
			}
			return c.lock(cmd.Context(), check)
		},
	}
	cmd.Flags().BoolVar(&all, "all-agents", false, "all agents, which is so without --agent")
	cmd.Flags().BoolVar(&check, "check", false, "compare, write nothing, and exit 3 if something is different")
	return cmd
}

// portable returns the command as every machine would run it: without the user's
// files and environment, and in the project's root.
func (c *command) portable() (*command, place, error) {
	d := *c
	d.p.Environ = nil
	d.flags.trust, d.flags.json = "project", false
	p, err := d.findPlace(env.OrSystem(d.p.Env), []string{".git"})
	if err != nil {
		return nil, p, err
	}
	d.flags.config = c.absolute(c.flags.config)
	d.flags.cwd = p.root
	return &d, p, nil
}

// lockedAgents are the agents to lock: the named one, or all.
func (c *command) lockedAgents(p place) ([]string, error) {
	if c.flags.agent != "" {
		return []string{c.flags.agent}, nil
	}
	var names []string
	for _, a := range c.app.Agents {
		names = append(names, a.Name)
	}
	if len(names) == 0 {
		names = append(names, "")
	}
	more, err := config.Agents(env.OrSystem(c.p.Env), p.projectFile())
	return append(names, more...), err
}

func (c *command) lock(ctx context.Context, check bool) error {
	d, p, err := c.portable()
	if err != nil {
		return err
	}
	names, err := d.lockedAgents(p)
	if err != nil {
		return err
	}
	var entries []lock.Entry
	said := make(map[string]bool) // most is the same for all agents
	for _, name := range names {
		one := *d
		one.flags.agent = name
		e, err := one.lockEntry(ctx, said)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	path := filepath.Join(p.root, lockName)
	old, err := c.readLock(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && check:
		return fmt.Errorf("%s: there is no lock; %s lock writes it", path, c.app.Name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	now := lock.New(entries...)
	if c.flags.agent != "" || c.flags.preset != "" {
		now = old.With(entries...) // the others stay as they are
	}
	if check {
		return c.checkLock(old, now)
	}
	if err := c.writeLock(p.root, now.Encode()); err != nil {
		return err
	}
	if c.flags.json {
		_, err := c.p.Stdout.Write(now.Encode())
		return err
	}
	fmt.Fprintf(c.p.Stdout, "%s: %s pinned\n", lockName, plural(len(entries), "prompt"))
	return nil
}

// lockEntry assembles the prompt of an agent for the lock, and tells what is wrong
// with it: what was left out is pinned as left out.
func (c *command) lockEntry(ctx context.Context, said map[string]bool) (lock.Entry, error) {
	b, err := c.setup(ctx, options{portable: true})
	if err != nil {
		return lock.Entry{}, err
	}
	p, err := b.agent.Preview(ctx, "lock", agent.Input{})
	if err != nil {
		return lock.Entry{}, err
	}
	report, _, err := c.report(b, p)
	if err != nil {
		return lock.Entry{}, err
	}
	for _, d := range slices.Concat(b.diagnostics, p.Diagnostics) {
		if line := d.String(); d.Severity >= prompt.Warning && !said[line] {
			said[line] = true
			c.diagnose([]prompt.Diagnostic{d})
		}
	}
	return lock.NewEntry(report, b.place.root), nil
}

func (c *command) readLock(path string) (lock.File, error) {
	data, err := readFile(env.OrSystem(c.p.Env), path, maxLock)
	if err != nil {
		return lock.File{}, err
	}
	f, err := lock.Decode(data)
	if err != nil {
		return lock.File{}, fmt.Errorf("%s: %w; remove it, and %s lock writes it anew", path, err, c.app.Name)
	}
	return f, nil
}

// checkLock prints the differences.
func (c *command) checkLock(old, now lock.File) error {
	diffs := lock.Compare(old, now)
	if c.flags.json {
		err := c.printJSON(struct {
			Schema      string            `json:"schema"`
			Differences []lock.Difference `json:"differences"`
		}{"proem.lock-check/1", append([]lock.Difference{}, diffs...)})
		if err != nil {
			return err
		}
	} else {
		for _, d := range diffs {
			fmt.Fprintln(c.p.Stdout, visibleLine(d.String()))
		}
	}
	if len(diffs) == 0 {
		c.say("info lock: %s is up to date", lockName)
		return nil
	}
	c.say("error lock.changed: the prompts are not as %s pins them: %s; %s lock accepts the change, %s diff git:HEAD shows it", lockName, plural(len(diffs), "difference"), c.app.Name, c.app.Name)
	return statusError{code: ExitFound}
}

// writeLock replaces the file as a whole; one that is the same already stays.
func (c *command) writeLock(root string, data []byte) error {
	e := env.OrSystem(c.p.Env)
	dir, err := e.Files.OpenRoot(root)
	if err != nil {
		return err
	}
	defer dir.Close()
	if info, err := dir.Lstat(lockName); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s: it is not a regular file, and is not replaced", filepath.Join(root, lockName))
	}
	temp := "." + e.IDs.New("lock")
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(root, lockName), err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = dir.Rename(temp, lockName)
	}
	if err != nil {
		return errors.Join(err, dir.Remove(temp))
	}
	return nil
}
