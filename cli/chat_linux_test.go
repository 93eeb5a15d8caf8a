package cli_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/proemhq/proem/cli"
)

// A terminal is a program that runs in a terminal of its own.
type terminal struct {
	*screen
	keys *os.File
	cmd  *exec.Cmd
	done chan struct{} // closed when all that was printed is on the screen
}

// start runs a program in a terminal.
func start(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	ioctl := func(request uintptr, value *int32) {
		conn, err := control.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		conn.Control(func(fd uintptr) {
			if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, request, uintptr(unsafe.Pointer(value))); errno != 0 {
				t.Skip(errno)
			}
		})
	}
	var number, unlock int32
	ioctl(syscall.TIOCGPTN, &number)
	ioctl(syscall.TIOCSPTLCK, &unlock)
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer tty.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term := &terminal{&screen{}, control, cmd, make(chan struct{})}
	go func() {
		io.Copy(term.screen, control) // ends with the program
		close(term.done)
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		<-term.done
		control.Close()
	})
	return term
}

func (term *terminal) enter(keys string) { io.WriteString(term.keys, keys) }

func (term *terminal) exit(t *testing.T, want int) {
	t.Helper()
	term.cmd.Wait()
	<-term.done
	if code := term.cmd.ProcessState.ExitCode(); code != want {
		t.Errorf("exit status %d, want %d\n%s", code, want, term)
	}
}

// A person presses Ctrl-C during an answer, at the prompt, and twice.
func TestChatTerminal(t *testing.T) {
	environ, gone := slowServer(t)
	term := start(t, program(t, environ, "chat"))
	term.await(t, "> ", 1)
	term.enter("hi\n")
	term.await(t, "I begin", 1)
	term.enter("\x03")
	term.await(t, "interrupted", 1)
	<-gone
	term.await(t, "\n> ", 2)
	term.enter("one \\\n")
	term.await(t, "… ", 1)
	term.enter("two\n")
	term.await(t, "Hello from afar.", 1)
	term.await(t, "\n> ", 3)
	term.enter("given up\x03")
	term.await(t, "Ctrl-C once more leaves", 1)
	term.await(t, "\n> ", 4)
	term.enter("/history\n")
	term.await(t, "   2  one two", 1)
	term.await(t, "\n> ", 5)
	term.enter("\x03")
	term.await(t, "Ctrl-C once more leaves", 2)
	term.await(t, "\n> ", 6)
	term.enter("\x03")
	term.exit(t, cli.ExitOK)
	if text := term.String(); strings.Contains(text, "3  given up") || !strings.Contains(text, "proem chat --resume s_") {
		t.Errorf("printed:\n%s", text)
	}
}

// Ctrl-D leaves, also without an input.
func TestChatEndOfInput(t *testing.T) {
	environ, _ := slowServer(t)
	term := start(t, program(t, environ, "chat"))
	term.await(t, "> ", 1)
	term.enter("\x04")
	term.exit(t, cli.ExitOK)
	if strings.Contains(term.String(), "--resume") {
		t.Errorf("printed:\n%s", term)
	}
}

// Questions are answered in a terminal, and Ctrl-C is a no.
func TestQuestions(t *testing.T) {
	environ, gone := slowServer(t)
	chat := program(t, environ, "chat")
	if err := os.WriteFile(chat.Dir+"/AGENTS.md", []byte("Use tabs."), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(chat.Dir+"/.git", 0o755); err != nil {
		t.Fatal(err)
	}
	again := func(args ...string) *exec.Cmd {
		cmd := program(t, environ, args...)
		cmd.Dir = chat.Dir
		return cmd
	}
	term := start(t, chat)
	term.await(t, "[y/N]", 1)
	term.enter("\x03")
	term.exit(t, cli.ExitFailure)

	term = start(t, again("chat"))
	term.await(t, "[y/N]", 1)
	term.enter("y\n")
	term.await(t, "> ", 1)
	term.enter("/prompt\n")
	term.await(t, "project:AGENTS.md", 1)
	term.enter("hi\n")
	term.await(t, "I begin", 1)
	term.enter("\x03")
	<-gone
	term.await(t, "interrupted", 1)
	term.enter("/quit\n")
	term.exit(t, cli.ExitOK)
	id := idPattern.FindString(term.String())

	term = start(t, again("sessions", "delete", id))
	term.await(t, "Delete 1 session for good? [y/N]", 1)
	term.enter("\n")
	term.exit(t, cli.ExitFailure)
	term.await(t, "error nothing was deleted", 1)
	term = start(t, again("sessions", "delete", id))
	term.await(t, "[y/N]", 1)
	term.enter("y\n")
	term.exit(t, cli.ExitOK)
	term.await(t, id+" is deleted", 1)
}
