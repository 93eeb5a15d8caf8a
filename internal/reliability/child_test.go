package reliability_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// The test binary runs itself again as another process, which finds its task in
// these variables.
const (
	taskVar = "PROEM_RELIABILITY_TASK"
	dirVar  = "PROEM_RELIABILITY_DIR"
	numVar  = "PROEM_RELIABILITY_NUMBERS"
)

// child does what another process is for and returns its exit status: 2 if it
// failed, which is not what it was killed for.
func child(task string) int {
	dir := os.Getenv(dirVar)
	var n []int
	for s := range strings.FieldsSeq(os.Getenv(numVar)) {
		i, _ := strconv.Atoi(s)
		n = append(n, i)
	}
	tasks := map[string]func(string, []int) error{
		"kill": childKill, "race": childRace, "hold": childHold, "output": childOutput, "files": childFiles, "steps": childSteps,
	}
	do := tasks[task]
	if do == nil {
		do = func(string, []int) error { return errors.New("there is no such task") }
	}
	if err := do(dir, n); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

// process returns a command that does a task in another process.
func process(ctx context.Context, task, dir string, numbers ...int) *exec.Cmd {
	c := exec.CommandContext(ctx, os.Args[0])
	c.Env = append(os.Environ(), taskVar+"="+task, dirVar+"="+dir, numVar+"="+strings.Trim(fmt.Sprint(numbers), "[]"))
	c.Stderr = os.Stderr
	return c
}

// output runs a task to its end and returns what it printed and whether it was
// killed.
func output(t testing.TB, c *exec.Cmd) (out string, killed bool) {
	t.Helper()
	b, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == -1 {
		return string(b), true
	}
	if err != nil {
		t.Errorf("%s: %v", c.Env[len(c.Env)-3:], err)
	}
	return string(b), false
}

// killSelf ends this process as a crash does: nothing that was begun is finished.
func killSelf() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill()
	}
	select {} // until the signal arrives
}
