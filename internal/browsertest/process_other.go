//go:build !unix

package browsertest

import "os/exec"

func separate(*exec.Cmd) {}

func stop(cmd *exec.Cmd) { cmd.Process.Kill() }
