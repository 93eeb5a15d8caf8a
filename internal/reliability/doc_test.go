// Package reliability_test breaks whole agents on purpose, with real files,
// processes and servers, and counts what is lost, repeated or left behind. Each
// test has a short form, which go test runs, and a full one, whose figures are
// those of docs/reliability.md:
//
//	go test ./internal/reliability                       # all, in short
//	go test ./internal/reliability -full -v -timeout 40m # all, in full; prints the table
//	go test ./internal/reliability -full -v -run Kill    # one of them
//
// What is chosen at random follows from -seed, and a failure names the schedule
// that led to it.
package reliability_test

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/proemhq/proem/internal/filetest"
)

var (
	full = flag.Bool("full", false, "run the full form of the tests")
	seed = flag.Uint64("seed", 1, "of what is chosen at random")
)

// pick returns the size of a test in its short and in its full form.
func pick[T any](short, long T) T {
	if *full {
		return long
	}
	return short
}

// A figure is one row of the table in docs/reliability.md.
type figure struct {
	test string // that prints it
	what string // was done
	got  string
}

var figures struct {
	mu   sync.Mutex
	rows []figure
}

// report adds a row to the table and to the log of a test that found no fault.
func report(t testing.TB, what, format string, args ...any) {
	t.Helper()
	if t.Failed() {
		return
	}
	got := fmt.Sprintf(format, args...)
	t.Logf("%s: %s", what, got)
	figures.mu.Lock()
	defer figures.mu.Unlock()
	figures.rows = append(figures.rows, figure{t.Name(), what, got})
}

func TestMain(m *testing.M) {
	if task := os.Getenv(taskVar); task != "" {
		os.Exit(child(task))
	}
	code := m.Run()
	if *full && code == 0 {
		fmt.Println("| what was done | result | test |\n|---|---|---|")
		for _, f := range figures.rows {
			fmt.Printf("| %s | %s | `%s` |\n", f.what, f.got, f.test)
		}
	}
	os.Exit(code)
}

// must ends the test if there is an error.
func must(t testing.TB, err error) { t.Helper(); filetest.Must(t, err) }
