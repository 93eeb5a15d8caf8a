//go:build !linux

package quickjs

import (
	"os"
	"os/exec"
)

const emptyDir = ""

func executable() (string, error) { return os.Executable() }

func setGroup(*exec.Cmd) {}

func lockThread() (unlock func()) { return func() {} }

// killGroup ends the process, which can start no other.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
