package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/env"
)

// flags are those that every command takes.
type flags struct {
	cwd, config, agent, preset string
	set                        []string
	trust, now                 string
	json, quiet, noColor       bool

	clock time.Time // from now; zero: the machine's clock
}

func (f *flags) add(root *cobra.Command) {
	p := root.PersistentFlags()
	p.StringVar(&f.cwd, "cwd", ".", "work in this directory")
	p.StringVar(&f.config, "config", "", "read this configuration file too")
	p.StringVar(&f.agent, "agent", "", "use this agent")
	p.StringVar(&f.preset, "preset", "", "use this composition model: "+strings.Join(presetNames(), " or "))
	p.StringArrayVar(&f.set, "set", nil, "set a configuration key, as KEY=VALUE with VALUE in YAML; may be repeated")
	p.StringVar(&f.trust, "trust", "", "none or project: whether to use the project's own files")
	p.StringVar(&f.now, "now", "", "pretend that it is this time, as in 2026-01-02T03:04:05Z")
	p.BoolVar(&f.json, "json", false, "print the result as JSON")
	p.BoolVar(&f.quiet, "quiet", false, "print results and errors only")
	p.BoolVar(&f.noColor, "no-color", false, "print without colour")
	complete := func(flag string, values ...string) {
		_ = root.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	complete("trust", "none", "project")
	complete("preset", presetNames()...)
	_ = root.MarkPersistentFlagDirname("cwd")
	_ = root.MarkPersistentFlagFilename("config", "yaml", "yml")
}

// addModel adds --model to a command. Its completion offers the providers.
func addModel(cmd *cobra.Command, model *string) {
	cmd.Flags().StringVar(model, "model", "", "the model, as PROVIDER:NAME")
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.name + ":"
	}
	_ = cmd.RegisterFlagCompletionFunc("model", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
}

// completeAgents offers the agents of the binary and those of the project.
func (c *command) completeAgents(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, a := range c.app.Agents {
		names = append(names, a.Name+"\t"+a.Description)
	}
	e := env.OrSystem(c.p.Env)
	if p, err := c.findPlace(e, []string{".git"}); err == nil {
		more, _ := config.Agents(e, p.projectFile())
		names = append(names, more...)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func (f *flags) check() error {
	switch f.trust {
	case "", "none", "project":
	default:
		return usage(fmt.Errorf("--trust %s: must be none or project", f.trust))
	}
	if f.preset != "" && !slices.Contains(presetNames(), f.preset) {
		return usage(fmt.Errorf("--preset %s: must be %s", f.preset, strings.Join(presetNames(), " or ")))
	}
	if f.now != "" {
		t, err := time.Parse(time.RFC3339, f.now)
		if err != nil {
			return usage(fmt.Errorf("--now %s: not a time like 2026-01-02T03:04:05Z", f.now))
		}
		f.clock = t
	}
	return nil
}
