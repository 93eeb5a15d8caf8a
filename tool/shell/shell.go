// Package shell has the tool by which a model runs a command.
//
//	run, err := shell.New(shell.Config{Dir: "/w", Environ: os.Environ(), Spill: "/state/results"})
//	result, err := run.Call(ctx, []byte(`{"command":"go test ./...","timeout":300}`))
//	result.Text // what it printed, and how it ended
//
// A command starts in one directory with an environment of few, harmless
// variables, reads nothing from a terminal, and gets a process group of its own
// that is ended, with all that it started, when the command ends, the time is
// over or the context is done. Of a long output the beginning and the end are
// returned and the whole is kept in a file; memory does not grow with it.
//
// The tool judges no command: permissions do, by [tool.Effect]. What they judged to
// be plain words runs as those words (see package plain): one program without a
// shell, several with each word in quotes, so that no shell can read more into
// them.
package shell

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/permit/plain"
)

// Name is the tool's name.
const Name = "shell"

// The limits of a command.
const (
	DefaultTimeout    = 2 * time.Minute
	DefaultMaxTimeout = 30 * time.Minute
	DefaultMaxResult  = 32 << 10
	DefaultMaxOutput  = 256 << 20
)

// A Config says how commands run. Dir is required.
type Config struct {
	Env *env.Env // nil: the operating system's
	Dir string   // absolute; where commands start
	// Environ is where variables are taken from, such as os.Environ(); a command
	// sees those of [Allowed] and Vars only. nil: it sees only a PATH.
	Environ []string
	// Vars are names of further variables that pass. A name like that of a
	// credential, such as API_KEY or GITHUB_TOKEN, does not.
	Vars []string
	// Set are variables, as NAME=value, that every command sees as they are.
	Set []string
	// Shell is the program and its arguments before the command; nil: bash where
	// there is one, else sh, and cmd.exe on Windows.
	Shell []string
	// Wrap, if not nil, returns what to run in place of argv, such as the same in a
	// sandbox.
	Wrap func(argv []string) []string

	Timeout    time.Duration // of a command that asks for none; 0: DefaultTimeout
	MaxTimeout time.Duration // that a command may ask for; 0: DefaultMaxTimeout
	MaxResult  int           // bytes of output in a result; 0: DefaultMaxResult
	// MaxOutput is how many bytes a command may print; then it is ended. 0:
	// DefaultMaxOutput.
	MaxOutput int64
	// Spill is an absolute directory for the whole of outputs longer than
	// MaxResult, in a folder for each session. It is made when it is needed. Empty:
	// they are not kept. What reads files for the model should reach it.
	Spill string
}

// New returns the tool shell{command, timeout?}. It may be used concurrently.
func New(c Config) (tool.Tool, error) {
	if !filepath.IsAbs(c.Dir) {
		return nil, fmt.Errorf("shell: the directory %q is not absolute", c.Dir)
	}
	if c.Spill != "" && !filepath.IsAbs(c.Spill) {
		return nil, fmt.Errorf("shell: the directory %q is not absolute", c.Spill)
	}
	if len(c.Shell) == 0 {
		c.Shell = defaultShell(c.Environ)
	}
	if c.MaxTimeout == 0 {
		c.MaxTimeout = DefaultMaxTimeout
	}
	if c.Timeout == 0 {
		c.Timeout = min(DefaultTimeout, c.MaxTimeout)
	}
	if c.MaxResult == 0 {
		c.MaxResult = DefaultMaxResult
	}
	if c.MaxOutput == 0 {
		c.MaxOutput = DefaultMaxOutput
	}
	s := &shell{cfg: c, env: env.OrSystem(c.Env), vars: environ(c)}
	return tool.Make(tool.Def[arguments]{
		Name: Name,
		Description: fmt.Sprintf("Runs a command with %s in the project root and returns what it prints. Each call starts anew: "+
			"no directory or variable is kept, there is no input, and what is left in the background is ended. "+
			"The time limit is %d seconds unless timeout says otherwise.", filepath.Base(c.Shell[0]), int(c.Timeout.Seconds())),
		Call: s.call,
		Effect: func(_ context.Context, a arguments) tool.Effect {
			if err := s.check(a); err != nil {
				return tool.Effect{ReadOnly: true, Idempotent: true, Refused: true}
			}
			return tool.Effect{Command: a.Command}
		},
	})
}

type arguments struct {
	Command string `json:"command" description:"The command."`
	Timeout *int   `json:"timeout" minimum:"1" description:"The most seconds it may take."`
}

type shell struct {
	cfg  Config
	env  *env.Env
	vars []string
}

func (s *shell) check(a arguments) error {
	switch {
	case strings.TrimSpace(a.Command) == "":
		return errors.New("command is empty")
	case strings.ContainsRune(a.Command, 0):
		return errors.New("command holds a NUL character")
	}
	return nil
}

func (s *shell) call(ctx context.Context, a arguments) (tool.Result, error) {
	if err := s.check(a); err != nil {
		return tool.Errorf("%s: %v", Name, err), nil
	}
	if err := ctx.Err(); err != nil {
		return tool.Result{}, err
	}
	limit := s.cfg.Timeout
	if a.Timeout != nil {
		limit = s.cfg.MaxTimeout
		if most := int(limit / time.Second); *a.Timeout < most {
			limit = time.Duration(*a.Timeout) * time.Second
		}
	}
	out := newOutput(s, tool.Session(ctx))
	end, err := s.run(ctx, s.argv(a.Command), limit, out)
	out.close(ctx.Err() != nil)
	if ctx.Err() != nil {
		return tool.Result{}, ctx.Err()
	}
	if err != nil {
		return tool.Errorf("%s: the command was not started: %v", Name, err), nil
	}
	return out.result(end), nil
}

// argv returns what to run.
func (s *shell) argv(command string) []string {
	argv := append(s.cfg.Shell[:len(s.cfg.Shell):len(s.cfg.Shell)], command)
	if script, err := plain.Parse(command, plain.Limits{}); err == nil && script.Reason == "" && posix(s.cfg.Shell[0]) {
		argv[len(argv)-1] = script.Quoted()
		if list, ok := script.Argv(); ok && len(list) == 1 {
			if path, ok := s.find(list[0][0]); ok {
				argv = append([]string{path}, list[0][1:]...)
			}
		}
	}
	if s.cfg.Wrap != nil {
		argv = s.cfg.Wrap(argv)
	}
	return argv
}

// posix reports whether a shell reads words in quotes as package plain writes them.
func posix(shell string) bool {
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh"}, filepath.Base(shell))
}

// find returns the program of a name that is no path, as the command's own PATH
// has it. What is not found, such as a builtin of the shell, is for the shell.
func (s *shell) find(name string) (string, bool) {
	if strings.ContainsAny(name, `/\`) {
		return "", false
	}
	for _, v := range s.vars {
		dirs, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range filepath.SplitList(dirs) {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && filepath.IsAbs(dir) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return path, true
			}
		}
	}
	return "", false
}
