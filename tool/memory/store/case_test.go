package store_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/tool/memory/store"
)

// workerKey tells a process of this test binary to add entries: "DIR FROM TO".
const workerKey = "PROEM_TEST_MEMORY_WORKER"

func TestMain(m *testing.M) {
	if job := os.Getenv(workerKey); job != "" {
		if err := work(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func work(job string) error {
	var dir string
	var from, to int
	if _, err := fmt.Sscanf(job, "%q %d %d", &dir, &from, &to); err != nil {
		return err
	}
	s := store.New(store.Config{Root: dir, Dir: ".", Shared: true})
	errs := make(chan error)
	for n := from; n < to; n++ {
		go func() {
			saved, err := s.Save(context.Background(), prompt.Who{}, fmt.Sprintf("entry %d", n))
			if err == nil && len(saved.Added) != 1 {
				err = fmt.Errorf("entry %d: %+v", n, saved)
			}
			errs <- err
		}()
	}
	for n := from; n < to; n++ {
		if err := <-errs; err != nil {
			return err
		}
	}
	return nil
}

// TestCase78 adds 50 entries from 5 processes, and lets an editor that takes no
// lock write meanwhile.
func TestCase78(t *testing.T) {
	dir := t.TempDir()
	main := filepath.Join(dir, "MEMORY.md")
	filetest.Write(t, dir, map[string]string{"MEMORY.md": "# Memory\n"})
	var jobs []*exec.Cmd
	for p := range 5 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%q %d %d", workerKey, dir, 10*p, 10*p+10))
		c.Stderr = os.Stderr
		filetest.Must(t, c.Start())
		jobs = append(jobs, c)
	}
	done := make(chan error)
	go func() {
		var failed error
		for _, c := range jobs {
			if err := c.Wait(); err != nil {
				failed = err
			}
		}
		done <- failed
	}()
	whole := regexp.MustCompile(`\A# Memory\n\n?(- \d{4}-\d\d-\d\d: entry \d+\n)*\z`)
	for reads := 0; ; reads++ {
		b, err := os.ReadFile(main)
		if err != nil || !whole.Match(b) {
			t.Fatalf("read %d: %v %q", reads, err, b)
		}
		select {
		case err := <-done:
			filetest.Must(t, err)
		default:
			continue
		}
		break
	}
	b, err := os.ReadFile(main)
	filetest.Must(t, err)
	for n := range 50 {
		if c := strings.Count(string(b), fmt.Sprintf(": entry %d\n", n)); c != 1 {
			t.Errorf("entry %d stands there %d times", n, c)
		}
	}
	diff(t, "files", tree(t, dir), []string{"MEMORY.md", "memory/.lock"})
}

// tree returns the names of the files below a directory, ascending.
func tree(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	filetest.Must(t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	}))
	slices.Sort(out)
	return out
}
