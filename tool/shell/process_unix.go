//go:build unix

package shell

import (
	"os"
	"os/exec"
	"syscall"
	"time"
)

// defaultShell is bash, which models write for, or else sh.
func defaultShell([]string) []string {
	for _, path := range []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"} {
		if info, err := os.Stat(path); err == nil && info.Mode()&0o111 != 0 {
			return []string{path, "-c"}
		}
	}
	return []string{"/bin/sh", "-c"}
}

// askGroup asks the group of a command to end.
func askGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// killGroup ends the group of a command.
func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// endGroup ends what is left of the group of a command that ended, and waits a
// moment for it to be gone: its processes are not our children, so there is
// nothing else to wait for.
func endGroup(cmd *exec.Cmd) {
	for wait := 100 * time.Microsecond; wait < 10*time.Millisecond; wait *= 2 {
		if syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) != nil {
			return
		}
		time.Sleep(wait)
	}
}

// status returns the exit code, or the signal that ended a process.
func status(s *os.ProcessState) (code int, signal string) {
	if s == nil {
		return -1, ""
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		if signal = signalName(int(w.Signal())); signal == "" {
			signal = w.Signal().String()
		}
		return -1, signal
	}
	return s.ExitCode(), ""
}

// signalName names the signals that end programs.
func signalName(n int) string {
	switch syscall.Signal(n) {
	case syscall.SIGHUP:
		return "SIGHUP"
	case syscall.SIGINT:
		return "SIGINT"
	case syscall.SIGQUIT:
		return "SIGQUIT"
	case syscall.SIGILL:
		return "SIGILL"
	case syscall.SIGTRAP:
		return "SIGTRAP"
	case syscall.SIGABRT:
		return "SIGABRT"
	case syscall.SIGBUS:
		return "SIGBUS"
	case syscall.SIGFPE:
		return "SIGFPE"
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGSEGV:
		return "SIGSEGV"
	case syscall.SIGPIPE:
		return "SIGPIPE"
	case syscall.SIGALRM:
		return "SIGALRM"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGXCPU:
		return "SIGXCPU"
	case syscall.SIGXFSZ:
		return "SIGXFSZ"
	}
	return ""
}
