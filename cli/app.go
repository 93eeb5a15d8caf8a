// Package cli holds proem's commands as a library, so that any team can have a
// binary of its own with the same commands over agents built in Go:
//
//	func main() {
//		cli.Main(cli.App{Name: "acme", Agents: []cli.Agent{{
//			Name: "reviewer", Description: "reviews a change",
//			New: func(s cli.Setup) (*agent.Agent, error) {
//				return agent.New(agent.Config{Model: s.Model, ModelName: s.ModelName, Store: s.Store, Env: s.Env, System: "You review Go."})
//			},
//		}}})
//	}
//
// cmd/proem is its first user. Results go to standard output, diagnostics to
// standard error as "severity code path:line:col: message". The exit status is 0
// on success, 1 on failure, 2 on wrong usage, 3 when a check finds something.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/redact"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/session"
)

// Exit statuses.
const (
	ExitOK      = 0
	ExitFailure = 1
	ExitUsage   = 2
	ExitFound   = 3 // a check found something
)

// An App is a binary: its name and its agents.
type App struct {
	Name    string // empty: "proem"
	Version string // empty: from the build
	// Agents are built in Go and chosen by --agent; further ones come from
	// configuration. The first is the default if there is any.
	Agents []Agent
}

// An Agent is an agent that is built in Go.
type Agent struct {
	Name        string
	Description string
	New         func(Setup) (*agent.Agent, error)
}

// A Setup is what the command line found out for an agent. An agent that leaves
// out Env, Model, ModelName or Store does not obey the flags that they come from.
type Setup struct {
	Cwd, Root string // the working directory and the project's root, absolute
	Env       *env.Env
	Model     provider.Model
	ModelName string
	Store     session.Store // for --resume and --continue; nil: the agent's own
	// Trusted says that the files of the project may be used: the folder is trusted,
	// or the prompt is only shown. An agent that reads some looks at it first.
	Trusted bool
	// Permissions are what --mode, --allow, --deny and the configuration say. An
	// agent that leaves them out runs every call.
	Permissions *agent.Permissions
	// Trace is what --trace asks for, and Lock the sum of the project's proem.lock.
	// They go into agent.Config as they are.
	Trace agent.Tracing
	Lock  string
}

// A Process is what a command has of the process it runs in.
type Process struct {
	Args    []string // without the program's name
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Environ []string
	Dir     string // the working directory; empty: there is none
	Env     *env.Env
	// Interrupt returns a copy of a context that ends at the next Ctrl-C. It ends
	// most commands; chat asks anew for each turn. nil: there is no such key.
	Interrupt func(context.Context) (context.Context, context.CancelFunc)
}

// Main runs the command that the process was started with and exits.
func Main(app App) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	interrupt := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return signal.NotifyContext(ctx, os.Interrupt)
	}
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // most commands can do without, or are told another
	}
	code := Run(ctx, app, Process{Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Environ: os.Environ(), Dir: dir, Env: env.System(), Interrupt: interrupt})
	stop()
	os.Exit(code)
}

// Run runs one command and returns its exit status. It uses nothing of the
// process but what it is given.
func Run(ctx context.Context, app App, p Process) int {
	if app.Name == "" {
		app.Name = "proem"
	}
	c := &command{app: app, p: p, base: ctx, trace: &traceFile{}}
	c.hidden = redact.New(c.secrets(config.Config{})...)
	defer c.trace.close(c)
	root := c.root()
	root.SetArgs(p.Args)
	interruptible, stop := c.interruptible(ctx)
	defer stop()
	err := root.ExecuteContext(interruptible)
	var status statusError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &status):
		if status.err != nil {
			c.printError(status.err)
		}
		return status.code
	}
	c.printError(err)
	return ExitFailure
}

// A statusError ends a command with an exit status of its own.
type statusError struct {
	code int
	err  error // nil: everything was said already
}

func (e statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e statusError) Unwrap() error { return e.err }

func usage(err error) error { return statusError{ExitUsage, err} }

// command is one invocation.
type command struct {
	app    App
	p      Process
	flags  flags
	full   bool            // prompt: fold nothing
	trace  *traceFile      // of --trace
	hidden *redact.Set     // credentials that are not shown
	base   context.Context // ends with the process; that of a command ends with Ctrl-C too
}

// interruptible returns a context that ends at the next Ctrl-C.
func (c *command) interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.p.Interrupt == nil {
		return context.WithCancel(ctx)
	}
	return c.p.Interrupt(ctx)
}

func (c *command) root() *cobra.Command {
	root := &cobra.Command{
		Use:   c.app.Name,
		Short: "An agent harness whose prompt is a first-class value",
		Long: "proem composes a model's prompt by rules that can be listed, shows every byte with its origin\n" +
			"before it is sent, and runs the agent around it.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SuggestionsMinimumDistance = 2
	root.SetIn(c.p.Stdin)
	root.SetOut(c.p.Stdout)
	root.SetErr(c.p.Stderr)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
	})
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return c.flags.check() }
	c.flags.add(root)
	_ = root.RegisterFlagCompletionFunc("agent", c.completeAgents)
	root.AddCommand(c.promptCommand(), c.explainCommand(), c.initCommand(), c.runCommand(), c.chatCommand(), c.sessionsCommand(), c.cacheCommand(), c.trustCommand(), c.diffCommand(), c.lockCommand(), c.lintCommand(), c.skillsCommand(), c.agentsCommand(), c.modelsCommand(), c.schemaCommand(), c.demoCommand(), c.versionCommand())
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" { // a shell that it does not know is a fault of usage
			cmd.Args = cobra.NoArgs
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
		cmd.Args = usageArgs(cmd.Args)
	}
	root.Args = usageArgs(unknownCommand)
	return root
}

// usageArgs makes a wrong number of arguments a fault of usage.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	if check == nil {
		return nil
	}
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usage(fmt.Errorf("%w; see %s --help", err, cmd.CommandPath()))
		}
		return nil
	}
}

// one takes one argument, and says what it is if there is none.
func one(what, where string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return fmt.Errorf("%s is missing; %s", what, where)
		case 1:
			return nil
		}
		return fmt.Errorf("one %s is enough: unexpected %q", strings.TrimPrefix(what, "the "), args[1])
	}
}

func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	msg := fmt.Sprintf("unknown command %q", args[0])
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		msg += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return errors.New(msg)
}
