//go:build unix

package browsertest

import (
	"os/exec"
	"syscall"
)

// separate gives the browser a process group of its own.
func separate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// stop ends the browser and its children.
func stop(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
