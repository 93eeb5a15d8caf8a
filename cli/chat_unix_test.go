//go:build unix

package cli_test

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/proemhq/proem/cli"
)

// program returns a command that is the program itself, in an empty project.
func program(t *testing.T, environ []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(environ, "PROEM_CLI_TEST=1", "TERM=dumb")
	cmd.Dir = t.TempDir()
	return cmd
}

// SIGINT ends the turn and, where nobody sits at a terminal, the chat. What was
// said is recorded.
func TestChatSignal(t *testing.T) {
	for name, sig := range map[string]os.Signal{"SIGINT": os.Interrupt, "SIGTERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			environ, gone := slowServer(t)
			cmd := program(t, environ, "chat", "--trust", "none")
			var out, diagnostics screen
			cmd.Stdout, cmd.Stderr = &out, &diagnostics
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			io.WriteString(stdin, "hi\nnever\n")
			out.await(t, "I begin", 1)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			<-gone
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != cli.ExitFailure {
				t.Errorf("exit status %d, want %d\n%s", code, cli.ExitFailure, &diagnostics)
			}
			if strings.Count(diagnostics.String(), "interrupted") != 1 || strings.Contains(out.String(), "Hello") {
				t.Errorf("printed:\n%s%s", &out, &diagnostics)
			}
			export := program(t, environ, "sessions", "--json")
			export.Dir = cmd.Dir
			list, err := export.Output()
			if err != nil {
				t.Fatal(err)
			}
			show := program(t, environ, "sessions", "show", idPattern.FindString(string(list)))
			show.Dir = cmd.Dir
			text, err := show.Output()
			if err != nil || !strings.Contains(string(text), "> hi\n") || !strings.Contains(string(text), "■ cancelled") {
				t.Errorf("the session: %v\n%s", err, text)
			}
		})
	}
}
