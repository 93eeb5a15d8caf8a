package cli

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
)

//go:embed demo/shop
var demoFiles embed.FS

// demoQuestion is what the demo asks.
const demoQuestion = "龙井多少钱一壶？"

func (c *command) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Run a sample agent with a scripted model: no key, no network, no file",
		Long: "Runs an agent in an embedded sample project with a scripted model and shows what its model was sent. Nothing\n" +
			"is read from your disk or written to it, and nothing is sent.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.demo(cmd.Context()) },
	}
}

// demo is the main job with every door of the machine replaced: it goes the same
// way as run and prompt.
func (c *command) demo(ctx context.Context) error {
	root := "/shop"
	if runtime.GOOS == "windows" {
		root = `C:\shop`
	}
	shop, err := fs.Sub(demoFiles, "demo/shop")
	if err != nil {
		return err
	}
	d := *c
	d.p.Env = &env.Env{Files: env.FromFS(root, shop), Clock: c.p.Env.Clock, IDs: c.p.Env.IDs}
	d.p.Dir, d.p.Environ = filepath.Join(root, "server"), nil
	d.flags = flags{cwd: ".", trust: "project", clock: c.flags.clock, noColor: c.flags.noColor, json: c.flags.json, quiet: c.flags.quiet, set: []string{
		"name=shop", "model=scripted:demo", "project.root_markers=[shop.root]",
		"scripted.file=" + quoted(filepath.Join(root, "script.yaml")),
		"system_prompt_file=" + quoted(filepath.Join(root, "prompt.md")),
		"instructions_file=" + quoted(filepath.Join(root, "instructions.md")),
	}}
	store := &memory.Store{}
	b, err := d.setup(ctx, options{store: func(place) (session.Store, error) { return store, nil }})
	if err != nil {
		return err
	}
	if c.flags.json {
		p, err := b.agent.Preview(ctx, "demo", agent.Text(demoQuestion))
		if err != nil {
			return err
		}
		return d.showPrompt(b, p, "")
	}
	out := c.p.Stdout
	title := func(s string) { fmt.Fprintf(out, "%s\n\n", c.paint("1;36", "▌ "+s)) }
	title("1. A run: the sample project is embedded, the model follows a script")
	fmt.Fprintf(out, "$ %s run %q\n", c.app.Name, demoQuestion)
	if err := d.demoRun(ctx, b); err != nil {
		return err
	}
	fmt.Fprintln(out)
	title("2. What the next request would contain, and where every part comes from")
	fmt.Fprintf(out, "$ %s prompt\n", c.app.Name)
	p, err := b.agent.Preview(ctx, "demo", agent.Input{})
	if err != nil {
		return err
	}
	d.flags.quiet = true
	if err := d.showPrompt(b, p, ""); err != nil {
		return err
	}
	fmt.Fprintln(out)
	title("3. What to try next")
	fmt.Fprintf(out, "%s\n", c.own(strings.Join([]string{
		"cd YOUR/PROJECT",
		"proem prompt                       # what a model would be sent here, with sources",
		"proem prompt --wire openai-chat    # the exact bytes",
		"proem prompt --json                # the same for programs: sections, spans, marks, tokens",
		"OPENAI_API_KEY=… proem run --trust project 'what does this project do?'",
		"proem run --model ollama:qwen3 'hello'   # any local server will do",
	}, "\n")))
	return nil
}

// demoRun prints the run to standard output alone, in order.
func (c *command) demoRun(ctx context.Context, b *bench) error {
	d := *c
	d.p.Stderr = c.p.Stdout
	show := &shower{c: &d, live: true}
	for e, err := range b.agent.Run(ctx, "demo", agent.Text(demoQuestion)) {
		if err != nil {
			return err
		}
		show.event(e)
	}
	show.end()
	return nil
}
