package cli

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool/skill"
)

// A tier is a folder of skills with what it is called.
type tier struct {
	scope  string
	dir    string // absolute
	folder *skills.Folder
	trust  span.Trust
}

// skillTiers returns the folders of skills, from low to high precedence. By
// default they are the user's, those that several tools share, and proem's own.
func (b *bench) skillTiers(l *load.Loader) []tier {
	var tiers []tier
	add := func(scope, root, dir string, trust span.Trust) {
		f := skills.NewFolder(skills.FolderConfig{Env: b.env, Loader: l, Root: root, Dir: dir, Trust: trust})
		tiers = append(tiers, tier{scope, filepath.Join(root, filepath.FromSlash(dir)), f, trust})
	}
	user := func() {
		if b.place.userConfig != "" {
			add("user", b.place.userConfig, "skills", span.User)
		}
	}
	if b.cfg.Skills.Roots == nil {
		user()
		add("agents", b.place.root, ".agents/skills", span.Project)
		add("project", b.place.root, ".proem/skills", span.Workspace)
		if at, ok := b.ownHome(); ok {
			add("workspace", at.root, path.Join(at.dir, "skills"), span.Workspace)
		}
		return tiers
	}
	user()
	for i := len(b.cfg.Skills.Roots) - 1; i >= 0; i-- { // the first one named wins
		dir := b.cfg.Skills.Roots[i]
		switch {
		case dir == ".proem/skills":
			add("project", b.place.root, dir, span.Workspace)
		case dir == ".agents/skills":
			add("agents", b.place.root, dir, span.Project)
		case filepath.IsAbs(dir):
			add(dir, filepath.Dir(dir), filepath.Base(dir), span.User)
		default:
			add(dir, b.place.root, filepath.ToSlash(filepath.Clean(dir)), span.Project)
		}
	}
	return tiers
}

// skillSet returns the skills that this command may use.
func (b *bench) skillSet(l *load.Loader) *skills.Set {
	c := skills.Config{ListMaxBytes: budget(b.cfg.Skills.ListMaxBytes), Tool: skill.Name}
	for _, t := range b.skillTiers(l) {
		if b.trusted || t.trust == span.User {
			c.Tiers = append(c.Tiers, skills.Tier{Scope: t.scope, Repo: t.folder})
		}
	}
	return skills.New(c)
}

func (c *command) skillsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "skills",
		Short: "List the skills that are found, from where, and what shadows what",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := options{}
			b, err := c.setup(cmd.Context(), o)
			if err != nil {
				return err
			}
			if b.skills == nil {
				return errors.New("this agent is built in Go; its skills are its own")
			}
			cat, err := b.skills.Catalog(cmd.Context(), prompt.Who{})
			if err != nil {
				return err
			}
			c.announce(b, o)
			c.diagnose(append(b.diagnostics, cat.Diagnostics...))
			rows := []listed{}
			for _, e := range cat.Entries {
				rows = append(rows, listed{Name: e.Name, Scope: e.Scope, Path: e.Path, Description: e.Description, ShadowedBy: e.ShadowedBy, Trust: e.Trust})
			}
			return c.showListed(b, "skill", rows)
		},
	}
}

// listed is a row of `proem skills` and `proem agents`.
type listed struct {
	Name        string     `json:"name"`
	Scope       string     `json:"scope"`
	Trust       span.Trust `json:"trust"`
	Path        string     `json:"path"`
	Description string     `json:"description"`
	ShadowedBy  string     `json:"shadowedBy"`
}

func (c *command) showListed(b *bench, what string, rows []listed) error {
	if c.flags.json {
		return c.printJSON(rows)
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintf(c.p.Stdout, "no %ss are found here\n", what)
		return err
	}
	cells := [][]string{{what, "scope", "trust", "from", "description"}}
	for _, r := range rows {
		about := oneLine(r.Description, 80)
		if r.ShadowedBy != "" {
			about = "(shadowed by " + r.ShadowedBy + ") " + about
		}
		cells = append(cells, []string{visibleLine(r.Name), visibleLine(r.Scope), r.Trust.String(), visibleLine(c.short(b, r.Path)), visibleLine(about)})
	}
	for i, line := range table(cells, len(cells[0])) {
		if i == 0 {
			line = c.paint("1", line)
		}
		fmt.Fprintln(c.p.Stdout, line)
	}
	return nil
}

func (c *command) agentsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List the agents and subagents that are found, from where, and what shadows what",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o := options{}
			b, err := c.setup(cmd.Context(), o)
			if err != nil {
				return err
			}
			rows, err := c.agentRows(cmd, b)
			if err != nil {
				return err
			}
			c.announce(b, o)
			c.diagnose(b.diagnostics)
			return c.showListed(b, "agent", rows)
		},
	}
	cmd.AddCommand(c.agentsShow())
	return cmd
}

// agentRows lists the agents built in Go, those of the configuration, and the
// declared subagents.
func (c *command) agentRows(cmd *cobra.Command, b *bench) ([]listed, error) {
	rows := []listed{}
	for _, a := range c.app.Agents {
		rows = append(rows, listed{Name: a.Name, Scope: "built in", Description: a.Description})
	}
	rows = append(rows, listed{Name: b.cfg.Name, Scope: b.cfg.Origin("name").Layer, Trust: b.cfg.Origin("name").Trust,
		Path: b.cfg.Origin("name").Path, Description: b.cfg.Description})
	if b.trusted {
		file := filepath.Join(b.place.root, ".proem", "agent.yaml")
		names, err := config.Agents(b.env, file)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			rows = append(rows, listed{Name: n, Scope: "project", Trust: span.Workspace, Path: filepath.Join(b.place.root, ".proem", "agents", n+".yaml"),
				Description: "chosen by --agent " + n})
		}
	}
	cat, err := b.declarations(b.loader(options{})).Catalog(cmd.Context())
	if err != nil {
		return nil, err
	}
	b.diagnostics = append(b.diagnostics, cat.Diagnostics...)
	for _, e := range cat.Entries {
		rows = append(rows, listed{Name: e.Name, Scope: "subagent, " + e.Scope, Trust: e.Trust, Path: e.Path, Description: e.Description, ShadowedBy: e.ShadowedBy})
	}
	return rows, nil
}
