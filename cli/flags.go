package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
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
	p.StringVar(&f.preset, "preset", "", "use this composition model")
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

func (f *flags) check() error {
	switch f.trust {
	case "", "none", "project":
	default:
		return usage(fmt.Errorf("--trust %s: must be none or project", f.trust))
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
