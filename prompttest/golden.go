package prompttest

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
)

// update has a name of its own: registering "update" here would clash with a
// test package that registers it too, for that package is initialised later.
var update = flag.Bool("prompttest.update", false, "rewrite the golden files of prompts")

// updating reports whether golden files are to be written: by this package's
// flag or by a boolean flag "update" that the test package defined.
func updating() bool {
	if *update {
		return true
	}
	f := flag.Lookup("update")
	if f == nil {
		return false
	}
	g, ok := f.Value.(flag.Getter)
	if !ok {
		return false
	}
	on, _ := g.Get().(bool)
	return on
}

// Golden compares an assembly with the file testdata/<name of the test>.golden:
// its sections with their channel, class, trust, separator and text, its tools,
// its muted channels. If they differ the test fails and the message says what
// became of which section. Paths, notes and diagnostics are not compared, so a
// file is right on any machine.
//
// A test of several prompts gives each its own subtest.
func Golden(t testing.TB, a prompt.Assembly) {
	t.Helper()
	file := goldenFile(t.Name())
	got := Format(a)
	if updating() {
		if err := writeFile(file, got); err != nil {
			t.Fatalf("prompttest: %v", err)
		}
		return
	}
	b, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("prompttest: there is no %s yet; go test -run '^%s$' . -prompttest.update writes it:\n%s", file, t.Name(), got)
	}
	if err != nil {
		t.Fatalf("prompttest: %v", err)
	}
	// A version control system may have changed the line ends; a carriage return
	// that belongs to a text is written as an escape.
	want := strings.ReplaceAll(string(b), "\r\n", "\n")
	if want != got {
		t.Errorf("prompttest: the prompt differs from %s; if that is meant, go test -run '^%s$' . -prompttest.update\n%s",
			file, t.Name(), report(want, got))
	}
}

// goldenFile returns the file for a test; subtests have folders. What is not
// safe in the name of a file or of a module's folder is replaced.
func goldenFile(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = strings.Map(func(r rune) rune {
			switch {
			case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', r == '#':
				return r
			}
			return '_'
		}, p)
	}
	return filepath.Join("testdata", filepath.Join(parts...)+".golden")
}

func writeFile(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
