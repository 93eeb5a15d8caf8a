package quickjs

import (
	"os/exec"
	"runtime"
	"syscall"
)

const emptyDir = "/"

// executable is the program that runs, also if its file was replaced meanwhile.
func executable() (string, error) { return "/proc/self/exe", nil }

// setGroup gives a process a group of its own, and ends it when we are ended.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// lockThread keeps the thread whose end would end the process.
func lockThread() (unlock func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
