// Package filetest writes files for tests:
//
//	filetest.Write(t, dir, map[string]string{"docs/a.md": "text\n", "empty/": ""})
package filetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Write writes files below dir and makes the directories on the way. Names have
// slashes; one that ends in a slash is a directory. A failure ends the test.
func Write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			Must(t, os.MkdirAll(p, 0o777))
			continue
		}
		Must(t, os.MkdirAll(filepath.Dir(p), 0o777))
		Must(t, os.WriteFile(p, []byte(text), 0o666))
	}
}

// Must ends the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
