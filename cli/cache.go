package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/inspect/cache"
	"github.com/proemhq/proem/inspect/scenario"
	"github.com/proemhq/proem/token"
)

func (c *command) cacheCommand() *cobra.Command {
	var play string
	var least float64
	cmd := &cobra.Command{
		Use:   "cache [SESSION|DIR|FILE|-]",
		Short: "Say what a provider's cache finds of a run, and what broke it",
		Long: "Looks at the requests of a run: how much of each the next one begins with, what the caches of three kinds of\n" +
			"providers find of it, and what that costs. For each break it names the first byte that differs, its section and the\n" +
			"cause. A folder holds bodies in files that end in .json or .jsonl, in the order of their names; a file holds a body\n" +
			"per line, of any program that speaks openai-chat, openai-responses or anthropic; - reads such lines from standard input.\n\n" +
			"With --scenario a run that is written down is played with each preset, without a provider. With --min the exit\n" +
			"status is 3 if less is retained.",
		Example: c.own("  proem cache --scenario default\n  proem cache --scenario default --preset standard --min 1\n  proem cache bodies.jsonl --json"),
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkCache(args, play, least, c.flags.preset); err != nil {
				return usage(err)
			}
			var out cache.File
			var err error
			if play != "" {
				out, err = c.playScenario(cmd.Context(), play)
			} else {
				out, err = c.recordedCache(cmd.Context(), args[0])
			}
			if err != nil {
				return err
			}
			out.Schema = cache.Schema
			if c.flags.json {
				err = c.printJSON(out)
			} else {
				_, err = c.p.Stdout.Write([]byte(c.cacheText(out)))
			}
			if err != nil {
				return err
			}
			return retains(out.Presets, least)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
			ids, _ := c.completeSession(cmd, args, word)
			return ids, cobra.ShellCompDirectiveKeepOrder // files as well
		},
	}
	f := cmd.Flags()
	f.StringVar(&play, "scenario", "", "play the run of this file, or the one called default, with each preset")
	f.Float64Var(&least, "min", 0, "exit with status 3 if less than this part is retained; 1 is all")
	_ = cmd.RegisterFlagCompletionFunc("scenario", cobra.FixedCompletions([]string{"default"}, cobra.ShellCompDirectiveDefault))
	return cmd
}

func checkCache(args []string, play string, least float64, preset string) error {
	switch {
	case play == "" && len(args) == 0:
		return errors.New("name a session, a folder or a file of bodies, or play a run with --scenario default")
	case play != "" && len(args) > 0:
		return fmt.Errorf("%s and --scenario exclude each other", args[0])
	case play == "" && preset != "":
		return errors.New("--preset chooses what --scenario plays; what was recorded has its own")
	case !(least >= 0 && least <= 1):
		return fmt.Errorf("--min %g: must be from 0 to 1", least)
	}
	return nil
}

// retains returns an error if one of the runs retains less than it must.
func retains(reports []cache.Report, least float64) error {
	var short []error
	for _, r := range reports {
		if r.Retained < least {
			short = append(short, fmt.Errorf("cache.min: %s retains %.4f, less than %g", r.Preset, r.Retained, least))
		}
	}
	if short == nil {
		return nil
	}
	return statusError{ExitFound, errors.Join(short...)}
}

// playScenario plays a scenario with the presets.
func (c *command) playScenario(ctx context.Context, name string) (cache.File, error) {
	s := scenario.Default()
	if name != "default" {
		data, err := readFile(env.OrSystem(c.p.Env), c.absolute(name), scenario.MaxFile)
		if err != nil {
			return cache.File{}, err
		}
		if s, err = scenario.Parse(data, name); err != nil {
			return cache.File{}, err
		}
	}
	designs := scenario.Designs()
	if p := c.flags.preset; p != "" {
		designs = slices.DeleteFunc(designs, func(d scenario.Design) bool { return d.Name != p })
	}
	counter := token.Estimate
	reports, bound, err := scenario.Compare(ctx, s, designs, counter.Count)
	return cache.File{Counter: counter.Name(), Presets: reports, Bound: &bound}, err
}

// cacheText renders what was found for people.
func (c *command) cacheText(f cache.File) string {
	var out strings.Builder
	rows := [][]string{{"", "requests", "tokens", "retained", "append-only", "misses", "openai", "", "anthropic", "", "deepseek", ""}}
	reports := f.Presets
	if f.Bound != nil {
		reports = append(slices.Clip(reports), *f.Bound)
	}
	times := func(x float64) string { return fmt.Sprintf("×%.2f", x) }
	for _, r := range reports {
		h, cost := r.Hit, r.CostOverBound
		rows = append(rows, []string{visibleLine(r.Preset), grouped(r.Requests), grouped(r.Input), percent(r.Retained),
			fmt.Sprintf("%d/%d", r.AppendOnly, max(0, r.Requests-1)), grouped(r.Misses), percent(h.OpenAI), times(cost.OpenAI),
			percent(h.Anthropic), times(cost.Anthropic), percent(h.DeepSeek), times(cost.DeepSeek)})
	}
	for i, line := range table(rows, 1) {
		if i == 0 {
			line = c.paint("1", line)
		}
		out.WriteString(line + "\n")
	}
	against := "if each request had begun with the whole of the one before"
	if f.Bound != nil {
		against = "of the bound: the same work, and nothing changes"
	}
	fmt.Fprintf(&out, "\nOf each kind of cache: which part of the input it finds, and the cost of the input as a multiple of that\n%s.\n", against)
	for _, r := range f.Presets {
		c.breaks(&out, r)
	}
	return out.String()
}

// breaks renders the breaks of a run; those with the same cause in the same
// section are told once.
func (c *command) breaks(out *strings.Builder, r cache.Report) {
	told := map[string]bool{}
	for i, b := range r.Breaks {
		id := b.Section + "\x00" + b.Cause
		if told[id] {
			continue
		}
		told[id] = true
		fmt.Fprintf(out, "\n%s\n", c.paint("1", visibleLine(fmt.Sprintf("%s, request %d: %s in %s", r.Preset, b.Request, b.Cause, b.Section))))
		fmt.Fprintf(out, "  %s\n", visibleLine(b.Message))
		fmt.Fprintf(out, "  from byte %d of the body on: %s tokens are read anew, where the request before had %s\n",
			b.Offset, grouped(b.Tokens), grouped(b.Lost))
		if b.Was != "" || b.Is != "" {
			fmt.Fprintf(out, "  %s %s\n  %s %s\n", c.paint("31", "-"), visibleLine(b.Was), c.paint("32", "+"), visibleLine(b.Is))
		}
		var more []string
		for _, o := range r.Breaks[i+1:] {
			if o.Section == b.Section && o.Cause == b.Cause {
				more = append(more, fmt.Sprint(o.Request))
			}
		}
		if len(more) > 0 {
			fmt.Fprintf(out, "  the same at request %s\n", strings.Join(more, ", "))
		}
	}
	if r.MoreBreaks > 0 {
		fmt.Fprintf(out, "\n%s: %d more breaks are not shown\n", visibleLine(r.Preset), r.MoreBreaks)
	}
}

// percent shows a ratio; only all of it is 100 %.
func percent(r float64) string { return fmt.Sprintf("%.1f %%", float64(int(r*1000))/10) }
