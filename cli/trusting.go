package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	udiff "github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/myers"
	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/cli/trust"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/files"
)

// decide finds out whether the project's files are used: as the flag says; else
// by the record of the folder; else, if the agent will run, only after the user
// was asked. What is merely shown is shown as if the folder were trusted.
func (c *command) decide(b *bench, o options) error {
	switch {
	case c.flags.trust == "none":
		return nil
	case o.collect:
		b.trusted, b.guard = true, trust.Collect(b.place.root)
		return nil
	case c.flags.trust == "project":
		b.trusted = true
		return nil
	}
	record, ok, err := c.trusted(b)
	switch {
	case err != nil && o.run:
		return err
	case err != nil:
		c.say("warning trust: %v", err)
		b.trusted = true
	case ok:
		b.trusted, b.guard = true, record.Guard(b.place.root)
	default:
		b.trusted = !o.run
	}
	return nil
}

func (c *command) trustStore(b *bench) trust.Store {
	s := trust.Store{Env: b.env}
	if b.place.userState != "" {
		s.Dir = filepath.Join(b.place.userState, "trust")
	}
	return s
}

// trusted returns the record of the project's folder.
func (c *command) trusted(b *bench) (trust.Record, bool, error) {
	root, err := b.canonical()
	if err != nil {
		return trust.Record{}, false, err
	}
	return c.trustStore(b).Load(root)
}

// configTrusted reports whether the project's configuration may be read: the
// folder is trusted and no configuration file changed since.
func (b *bench) configTrusted(projectFile, name string) (bool, error) {
	if !b.trusted || b.guard == nil {
		return b.trusted, nil
	}
	paths := []string{projectFile}
	if name != "" {
		paths = append(paths, filepath.Join(filepath.Dir(projectFile), "agents", name+".yaml"))
	}
	ok := true
	for _, p := range paths {
		data, err := readFile(b.env, p, 1<<20)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return false, err
		}
		if d := b.guard.Check(p, data); d != nil {
			b.diagnostics = append(b.diagnostics, *d)
			ok = false
		}
	}
	return ok, nil
}

// grant trusts the project's files as they are now.
func (c *command) grant(b *bench) (int, error) {
	root, err := b.canonical()
	if err != nil {
		return 0, err
	}
	files := b.guard.Covered()
	r := trust.Record{Root: root, Since: b.env.Clock.Now().UTC().Format(time.RFC3339), Files: files}
	return len(files), c.trustStore(b).Save(r)
}

// review collects the project's files and shows them for what they are, then
// records the trust in them if that is wanted.
func (c *command) review(ctx context.Context) (*bench, agent.Preview, error) {
	d := *c
	d.flags.trust = ""
	b, err := d.setup(ctx, options{collect: true})
	if err != nil {
		return nil, agent.Preview{}, err
	}
	p, err := b.agent.Preview(ctx, "trust", agent.Input{})
	if err == nil {
		err = b.survey(ctx)
	}
	return b, p, err
}

// survey reads what a run reads only when it needs it, so that the trust covers
// it: instruction files below the working directory, the files of skills, and the
// other agents.
func (b *bench) survey(ctx context.Context) error {
	if s, ok := b.nested.(*files.Source); ok {
		if err := s.Survey(ctx); err != nil {
			return err
		}
	}
	if b.skills != nil {
		if err := b.skills.Survey(ctx, prompt.Who{}); err != nil {
			return err
		}
	}
	return b.surveyAgents()
}

// surveyAgents reads the project's agents. One that cannot be read is not
// covered.
func (b *bench) surveyAgents() error {
	root, err := b.env.Files.OpenRoot(b.place.root)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := root.ReadDir(".proem/agents")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		p := filepath.Join(filepath.Dir(b.place.projectFile()), "agents", e.Name())
		if filepath.Ext(p) != ".yaml" {
			continue
		}
		if data, err := readFile(b.env, p, 1<<20); err == nil {
			b.guard.Check(p, data)
		}
	}
	return nil
}

func (c *command) trustCommand() *cobra.Command {
	var grant, revoke bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Show or change whether this project's files are used",
		Long: "run uses the files of a project (instruction files, .proem, skills) only if its folder is trusted. The trust\n" +
			"covers the files as they are now: what changes later is held back until it is confirmed here. Without a flag the\n" +
			"state is shown and, in a terminal, a change offered.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.trust(cmd.Context(), grant, revoke) },
	}
	cmd.Flags().BoolVar(&grant, "grant", false, "trust the files as they are now")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "do not trust this folder any more")
	cmd.MarkFlagsMutuallyExclusive("grant", "revoke")
	return cmd
}

func (c *command) trust(ctx context.Context, grant, revoke bool) error {
	now, p, err := c.review(ctx)
	if err != nil {
		return err
	}
	root, err := now.canonical()
	if err != nil {
		return err
	}
	if revoke {
		if err := c.trustStore(now).Forget(root); err != nil {
			return err
		}
		if c.flags.json {
			return c.printJSON(newTrustState(root, trust.Record{}, now))
		}
		fmt.Fprintf(c.p.Stdout, "%s is not trusted any more\n", visibleLine(root))
		return nil
	}
	record, ok, err := c.trustStore(now).Load(root)
	if err != nil && !grant {
		return err
	}
	changes := differences(record, now.guard.Seen(), now.place.root)
	if !c.flags.json {
		c.showTrust(now, root, record, ok, changes)
	}
	c.diagnose(p.Diagnostics)
	if !grant && !c.flags.json && (!ok || len(changes) > 0) {
		grant = c.ask(ctx, "Use these files in prompts from now on?")
	}
	if grant {
		n, err := c.grant(now)
		if err != nil {
			return err
		}
		if !c.flags.json {
			fmt.Fprintf(c.p.Stdout, "trusted: %s of %s as they are now\n", plural(n, "file"), visibleLine(root))
			return nil
		}
		if record, _, err = c.trustStore(now).Load(root); err != nil {
			return err
		}
	}
	if c.flags.json {
		return c.printJSON(newTrustState(root, record, now))
	}
	return nil
}

// showTrust prints what is trusted, and what changed since.
func (c *command) showTrust(now *bench, root string, record trust.Record, ok bool, changes []trust.Change) {
	switch {
	case !ok:
		fmt.Fprintf(c.p.Stdout, "%s is not trusted\n", visibleLine(root))
		for _, f := range now.guard.Seen() {
			fmt.Fprintf(c.p.Stdout, "  %s\n", visibleLine(f.Path))
		}
	case len(changes) == 0:
		fmt.Fprintf(c.p.Stdout, "%s is trusted since %s, %s as they were\n", visibleLine(root), record.Since, plural(len(record.Files), "file"))
	default:
		fmt.Fprintf(c.p.Stdout, "%s is trusted since %s; changed since:\n", visibleLine(root), record.Since)
		c.showChanges(c.p.Stdout, now, changes)
	}
}

// A trustState is what trust prints with --json.
type trustState struct {
	Schema  string      `json:"schema"`
	Root    string      `json:"root"`
	Trusted bool        `json:"trusted"`
	Since   string      `json:"since,omitempty"`
	Files   []trustFile `json:"files"` // that are there, ascending by path
}

// A trustFile is a file of a project.
type trustFile struct {
	Path  string `json:"path"`  // below the root
	State string `json:"state"` // "trusted", "changed", or "new" since the folder was trusted
}

func newTrustState(root string, r trust.Record, now *bench) trustState {
	out := trustState{Schema: "proem.trust/1", Root: root, Trusted: r.Root != "", Since: r.Since, Files: []trustFile{}}
	changed := map[string]string{}
	for _, ch := range differences(r, now.guard.Seen(), now.place.root) {
		changed[ch.Path] = "changed"
		if ch.New {
			changed[ch.Path] = "new"
		}
	}
	for _, f := range now.guard.Seen() {
		state, ok := changed[filepath.Join(now.place.root, filepath.FromSlash(f.Path))]
		if !ok {
			state = "trusted"
		}
		out.Files = append(out.Files, trustFile{f.Path, state})
	}
	return out
}

// differences compares a record with the files of this moment.
func differences(r trust.Record, seen []trust.File, root string) []trust.Change {
	var out []trust.Change
	for _, f := range seen {
		c := trust.Change{Path: filepath.Join(root, filepath.FromSlash(f.Path)), New: true, Text: f.Text}
		same := false
		for _, old := range r.Files {
			if old.Path == f.Path {
				c.New, c.Old, same = false, old.Text, old.SHA256 == f.SHA256
			}
		}
		if !same {
			out = append(out, c)
		}
	}
	return out
}

// showChanges prints what changed as unified differences.
func (c *command) showChanges(w interface{ Write([]byte) (int, error) }, b *bench, changes []trust.Change) {
	for _, ch := range changes {
		name := visibleLine(c.short(b, ch.Path))
		from := "a/" + name
		if ch.New {
			from = "/dev/null"
		}
		text, err := udiff.ToUnified(from, "b/"+name, ch.Old, edits(ch.Old, ch.Text), 3)
		if err != nil || text == "" {
			text = name + ": changed\n"
		}
		fmt.Fprint(w, visible(text))
	}
}

// maxShortest is up to how many lines the shortest difference is looked for,
// which takes their square in time and room.
const maxShortest = 1000

// edits returns what turns one text into the other.
func edits(before, after string) []udiff.Edit {
	if strings.Count(before, "\n")+strings.Count(after, "\n") > maxShortest {
		return udiff.Lines(before, after)
	}
	//lint:ignore SA1019 the library's other differences are several times as long
	return myers.ComputeEdits(before, after)
}

// asks reports whether there is somebody to ask.
func (c *command) asks() bool { return isTerminal(c.p.Stdin) && isTerminal(c.p.Stderr) }

// ask asks a question in a terminal; elsewhere, and if Ctrl-C is the answer, it
// is no.
func (c *command) ask(ctx context.Context, question string) bool {
	if !c.asks() {
		return false
	}
	fmt.Fprintf(c.p.Stderr, "%s [y/N] ", question)
	line, err := (&lineReader{in: c.p.Stdin}).next(ctx)
	if err != nil {
		fmt.Fprintln(c.p.Stderr)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true
	}
	return false
}

// settle deals with the trust in a project before its agent runs: it shows what
// changed since the folder was trusted, and asks about what is held back. It
// reports whether the answer calls for a setup anew.
func (c *command) settle(ctx context.Context, b *bench) (again bool, err error) {
	switch {
	case b.guard != nil:
		// An assembly that fails is the run's to report.
		_, _ = b.agent.Preview(ctx, "trust", agent.Input{})
		changes := b.guard.Changes()
		if len(changes) == 0 {
			return false, nil
		}
		if c.asks() || !c.flags.quiet {
			fmt.Fprintln(c.p.Stderr, "info trust: what changed since this folder was trusted:")
			c.showChanges(c.p.Stderr, b, changes)
		}
		if !c.ask(ctx, "Use the changed files?") {
			return false, nil
		}
		_, err = c.grant(b) // what was shown, not what is there by now
		return err == nil, err
	case !b.trusted && len(b.held) > 0 && c.flags.trust == "":
		if !c.asks() {
			return false, nil
		}
		for _, h := range b.held {
			c.say("  %s", c.short(b, h))
		}
		if !c.ask(ctx, "Use these files of the project, those of its skills and the instruction files in its folders, now and until one changes?") {
			return false, nil
		}
	default:
		return false, nil
	}
	now, _, err := c.review(ctx)
	if err != nil {
		return false, err
	}
	_, err = c.grant(now)
	return err == nil, err
}
