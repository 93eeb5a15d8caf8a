package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/frontmatter"
)

// git is the program, for one repository.
type git struct {
	env     *env.Env
	program string
	at      string // where it is started
	dir     string // of the repository itself, or the file that leads there
}

// The bounds of one process.
const (
	limit    = 20 * time.Second
	maxError = 4 << 10 // bytes of what it complains
)

// vars is all that the program sees of the environment. It finds no
// configuration but the repository's, talks to nobody, and takes no locks.
var vars = []string{
	"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
	"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "GIT_OPTIONAL_LOCKS=0",
	"GIT_NO_REPLACE_OBJECTS=1", "GIT_PAGER=cat", "LC_ALL=C",
}

// settings stand above the repository's own configuration, which git reads
// wherever it lies.
var settings = []string{"core.hooksPath=" + os.DevNull, "core.fsmonitor=false", "protocol.allow=never", "core.pager=cat", "core.sshCommand=false"}

// run runs a subcommand and returns at most max bytes of its output. It is over
// if there is more, and then the program is ended.
func (g *git) run(ctx context.Context, max int, stdin string, args ...string) (out []byte, over bool, err error) {
	if err := g.env.Process(g.program); err != nil {
		return nil, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	argv := []string{"--no-pager", "--git-dir=" + g.dir}
	for _, s := range settings {
		argv = append(argv, "-c", s)
	}
	cmd := exec.CommandContext(ctx, g.program, append(argv, args...)...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = g.at, vars, time.Second
	cmd.Stdin = strings.NewReader(stdin)
	said := &head{max: maxError}
	got := &head{max: max, full: cancel}
	cmd.Stdout, cmd.Stderr = got, said
	err = cmd.Run()
	switch {
	case got.over:
		return got.Bytes(), true, nil
	case ctx.Err() != nil:
		return nil, false, fmt.Errorf("%s: %w", args[0], ctx.Err())
	case errors.As(err, new(*exec.ExitError)):
		return nil, false, &failure{args[0], frontmatter.OneLine(strings.ToValidUTF8(said.String(), "\uFFFD"))}
	case err != nil:
		return nil, false, err
	}
	return got.Bytes(), false, nil
}

// failure is what a subcommand that fails says.
type failure struct{ command, said string }

func (f *failure) Error() string {
	if f.said == "" {
		return f.command + " fails"
	}
	return fmt.Sprintf("%s: %.300s", f.command, f.said)
}

// head keeps the beginning of what is written.
type head struct {
	bytes.Buffer
	max  int
	over bool
	full func() // called when there is more; may be nil
}

func (h *head) Write(b []byte) (int, error) {
	n := len(b)
	if room := h.max - h.Len(); len(b) > room {
		b, h.over = b[:room], true
	}
	h.Buffer.Write(b)
	if h.over && h.full != nil {
		h.full()
	}
	return n, nil
}

// commit returns the hash of the commit that a name leads to.
func (g *git) commit(ctx context.Context, ref string) (string, error) {
	out, _, err := g.run(ctx, 1<<10, "", "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if f := (*failure)(nil); errors.As(err, &f) {
		if f.said != "" {
			return "", err
		}
		return "", fmt.Errorf("there is no commit %.200q", ref)
	}
	if err != nil {
		return "", err
	}
	commit := strings.TrimSpace(string(out))
	if !hash.MatchString(commit) {
		return "", fmt.Errorf("%.100q is not the hash of a commit", commit)
	}
	return commit, nil
}
