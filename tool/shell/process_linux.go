package shell

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
)

// setGroup gives a command a group of its own, and ends it when we are ended.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// lockThread keeps the thread whose end would end the command.
func lockThread() (unlock func()) {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}

// killMarked ends the processes that have a variable in their environment: they
// were started by a command and left its group. What they start meanwhile is
// found by looking again.
func killMarked(variable string) {
	for range 8 {
		if !killMarkedOnce([]byte(variable)) {
			return
		}
	}
}

func killMarkedOnce(variable []byte) (found bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return false
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() || !marked(name, variable) {
			continue
		}
		// The handle is of the process that is there now; looking once more makes
		// sure that it is the one that was looked at.
		if p, err := os.FindProcess(pid); err == nil {
			if marked(name, variable) && p.Kill() == nil {
				found = true
			}
			p.Release()
		}
	}
	return found
}

// marked reports whether a process has the variable. The environment of one that
// is not ours cannot be read.
func marked(pid string, variable []byte) bool {
	b, err := os.ReadFile("/proc/" + pid + "/environ")
	if err != nil {
		return false
	}
	for v := range bytes.SplitSeq(b, []byte{0}) {
		if bytes.Equal(v, variable) {
			return true
		}
	}
	return false
}
