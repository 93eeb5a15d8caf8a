//go:build !unix

package shell

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// defaultShell is the command interpreter of the system.
func defaultShell(environ []string) []string {
	for _, v := range environ {
		if name, value, ok := strings.Cut(v, "="); ok && strings.EqualFold(name, "COMSPEC") && value != "" {
			return []string{value, "/d", "/s", "/c"}
		}
	}
	return []string{"cmd.exe", "/d", "/s", "/c"}
}

func setGroup(*exec.Cmd) {}

func lockThread() (unlock func()) { return func() {} }

func killMarked(string) {}

// askGroup ends a command: it cannot be asked.
func askGroup(cmd *exec.Cmd) { killGroup(cmd) }

// killGroup ends a command with what it started, as far as the system knows.
func killGroup(cmd *exec.Cmd) {
	exec.Command("taskkill", "/t", "/f", "/pid", strconv.Itoa(cmd.Process.Pid)).Run()
	cmd.Process.Kill()
}

func endGroup(cmd *exec.Cmd) { killGroup(cmd) }

// status returns the exit code.
func status(s *os.ProcessState) (code int, signal string) {
	if s == nil {
		return -1, ""
	}
	return s.ExitCode(), ""
}

func signalName(int) string { return "" }
