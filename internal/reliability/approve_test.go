package reliability_test

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/tool/permit/plain"
)

// TestPlain compares what is called plain with what the shells here do; the test is
// that of the package, with more commands.
func TestPlain(t *testing.T) {
	if !*full {
		t.Skip("go test ./tool/permit/plain does it")
	}
	const n = 100_000
	out, err := exec.CommandContext(t.Context(), "go", "test", "github.com/proemhq/proem/tool/permit/plain", "-run", "^TestDifferential$",
		"-count=1", "-v", "-timeout", "30m", "-cases", fmt.Sprint(n), "-seed", fmt.Sprint(*seed)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, m := range regexp.MustCompile(`(\w+): (\d+) of \d+ generated`).FindAllStringSubmatch(string(out), -1) {
		report(t, fmt.Sprintf("%d generated commands and each pair of odd texts inside a word, given to %s if they are called plain", n, m[1]),
			"%s are plain; 0 of them do anything but run their words", m[2])
	}
}

// readers are programs that a person may well allow with a "*", because what they
// are for changes nothing.
var readers = []string{"find", "sed", "sort", "uniq", "grep", "cut", "head", "tail", "wc", "cat", "ls", "diff", "comm", "od", "nl", "tr", "file", "stat", "du",
	"xxd", "tree", "rg", "fd", "date", "git log", "git diff", "git show", "git status", "git grep", "git blame", "git shortlog", "git rev-list", "git ls-files"}

// vocabulary returns the options of a program that is here, as it lists them itself.
func vocabulary(program string) (options []string) {
	words := strings.Fields(program)
	if _, err := exec.LookPath(words[0]); err != nil {
		return nil
	}
	ask := "--help"
	if words[0] == "git" {
		ask = "-h"
	}
	out, _ := exec.Command(words[0], append(words[1:], ask)...).CombinedOutput() // git exits with 129 and says it
	for _, o := range regexp.MustCompile(`(?:^|[\s,\[|(])(--?[A-Za-z][A-Za-z0-9-]*)`).FindAllStringSubmatch(string(out), -1) {
		options = append(options, o[1])
	}
	slices.Sort(options)
	return append(slices.Compact(options), "-", "--", "-o", "--output", "-w", "-i", "-e", "-x", "-O", "-s", "--ext-diff", "--textconv", "-exec", "-fprint", "-delete")
}

// values are what options may take: a program, a file to write, scripts, numbers.
var values = []string{"evil", "./evil", "out", "a", "b", ".", "1", "0", "HEAD", "e evil", "1e evil", "w out", "s/a/b/e", "s/a/evil/w out", "d", "p", "/a/p", ";", "{}", "+%F", "1,3p", "a-z"}

// madeUp is a call of a program with options of its own, whole, abbreviated or in a
// group, and values that would do harm where a program or a file is meant.
func madeUp(r *rand.Rand, program string, options []string) string {
	words := strings.Fields(program)
	pick := func(s []string) string { return s[r.IntN(len(s))] }
	for range 1 + r.IntN(4) {
		o := pick(options)
		switch r.IntN(8) {
		case 0:
			words = append(words, pick(values))
		case 1:
			words = append(words, o, pick(values))
		case 2:
			words = append(words, o, pick(values), ";")
		case 3:
			words = append(words, o+"="+pick(values))
		case 4:
			words = append(words, o+pick(values))
		case 5:
			words = append(words, o[:1+r.IntN(len(o))])
		case 6:
			words = append(words, o[:1+r.IntN(len(o))]+"="+pick(values))
		default:
			words = append(words, o)
		}
	}
	for i, w := range words {
		words[i] = plain.Quote(w)
	}
	return strings.Join(words, " ")
}

// playground is a repository with a program that must not run.
func playground(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"a": "a line\nanother\n", "b": "b line\nanother\n", "evil": "#!/bin/sh\n: >>\"$EVIL\"\n"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700))
	}
	git := exec.Command("sh", "-c", "git init -q && git add a b && git -c user.name=n -c user.email=e commit -qm one && echo more >>b")
	git.Dir = dir
	if out, err := git.CombinedOutput(); err != nil {
		t.Skipf("no repository: %v: %s", err, out)
	}
	return dir
}

// state lists the files of a directory with what a change would change. The index
// of a repository is refreshed by whoever looks at it.
func state(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && filepath.Base(path) == "objects" {
			return err
		}
		if info, err := d.Info(); err == nil && !d.IsDir() && d.Name() != "index" {
			fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
		} else if d.IsDir() && filepath.Base(filepath.Dir(path)) != ".git" && d.Name() != ".git" {
			fmt.Fprintln(&b, path)
		}
		return nil
	}))
	return b.String()
}

// TestApproved makes up calls of programs that only read, with rules that allow each
// of them with a "*", and runs those that are allowed: none may change a file or
// start another program.
func TestApproved(t *testing.T) {
	n := pick(1_500, 30_000)
	var rules []permit.Rule
	options := map[string][]string{}
	var here []string
	for _, program := range readers {
		rule, err := permit.ParseRule("shell(" + program + " *)")
		must(t, err)
		rule.Action = permit.Allow
		rules = append(rules, rule)
		if options[program] = vocabulary(program); options[program] != nil {
			here = append(here, program)
		}
	}
	if len(here) < 5 {
		t.Skip("hardly any program is here")
	}
	start := time.Now()
	var approved atomic.Int64
	const chunk = 500
	parallel(t, n/chunk, func(t testing.TB, i int) {
		dir := playground(t)
		policy, err := permit.New(permit.Config{Roots: []string{dir}, Rules: rules})
		must(t, err)
		r := rand.New(rand.NewPCG(*seed, uint64(i)))
		before := state(t, dir)
		for range chunk {
			program := here[r.IntN(len(here))]
			command := madeUp(r, program, options[program])
			d := policy.Decide(permit.Request{Tool: "shell", Command: command, Cwd: dir}, permit.Grants{})
			if d.Action != permit.Allow {
				continue
			}
			approved.Add(1)
			runIn(t.Context(), dir, command)
			if after := state(t, dir); after != before {
				t.Errorf("seed %d, chunk %d: %s allows %s, and the directory is not as before:\n%s", *seed, i, d.Rule, command, changed(before, after))
				return
			}
		}
	})
	if approved.Load() < int64(n)/50 {
		t.Errorf("only %d of %d commands were allowed", approved.Load(), n)
	}
	report(t, fmt.Sprintf("%d made-up calls of %d programs that only read, under rules that allow each with a \"*\"", n, len(here)),
		"%d were allowed and run; 0 changed a file or started another program; %.0f s", approved.Load(), time.Since(start).Seconds())
}

// changed lists the lines that only one of two states has.
func changed(before, after string) string {
	var b strings.Builder
	for _, s := range []struct{ mark, of, in string }{{"- ", before, after}, {"+ ", after, before}} {
		have := strings.Split(s.in, "\n")
		for line := range strings.SplitSeq(s.of, "\n") {
			if !slices.Contains(have, line) {
				fmt.Fprintln(&b, s.mark+line)
			}
		}
	}
	return b.String()
}

// runIn runs an allowed command, whatever becomes of it, where a program "evil"
// leaves a trace.
func runIn(ctx context.Context, dir, command string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "sh", "-c", "exec "+command)
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH") + ":" + dir, "EVIL=" + filepath.Join(dir, "ran"), "HOME=" + dir, "PAGER=evil", "LC_ALL=C"}
	c.WaitDelay = 100 * time.Millisecond
	_ = c.Run() // most of them are wrong usage
}
