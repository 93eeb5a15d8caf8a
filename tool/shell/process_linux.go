package shell

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"
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
// found by looking again, and so is one that is just becoming another program:
// for a moment it has no environment.
func killMarked(variable string) {
	pids := processes()
	for range 8 {
		found, unsure := killMarkedOf(pids, []byte(variable))
		switch {
		case found:
			pids = processes()
		case len(unsure) == 0:
			return
		default:
			pids = unsure
			time.Sleep(time.Millisecond)
		}
	}
}

func processes() []string {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil
	}
	return names
}

func killMarkedOf(pids []string, variable []byte) (found bool, unsure []string) {
	for _, name := range pids {
		pid, err := strconv.Atoi(name)
		if err != nil || pid == os.Getpid() {
			continue
		}
		switch has, known := marked(name, variable); {
		case !known:
			unsure = append(unsure, name)
			continue
		case !has:
			continue
		}
		// The handle is of the process that is there now; looking once more makes
		// sure that it is the one that was looked at.
		if p, err := os.FindProcess(pid); err == nil {
			switch has, known := marked(name, variable); {
			case !known:
				unsure = append(unsure, name)
			case has && p.Kill() == nil:
				found = true
			}
			p.Release()
		}
	}
	return found, unsure
}

// marked reports whether a process has the variable, and whether that is known.
// The environment of one that is not ours cannot be read, and one that ended or
// is the kernel's has none: neither is a program.
func marked(pid string, variable []byte) (has, known bool) {
	b, err := os.ReadFile("/proc/" + pid + "/environ")
	if err != nil {
		return false, true
	}
	if len(b) == 0 {
		_, err := os.Readlink("/proc/" + pid + "/exe")
		return false, err != nil
	}
	for v := range bytes.SplitSeq(b, []byte{0}) {
		if bytes.Equal(v, variable) {
			return true, true
		}
	}
	return false, true
}
