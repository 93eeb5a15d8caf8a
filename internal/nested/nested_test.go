// Package nested_test runs the tests of the nested modules, so that
// `go test ./...` at the root runs everything. Nested modules hold what needs
// heavy dependencies and is no part of a build.
package nested_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestNestedModules(t *testing.T) {
	if os.Getenv("PROEM_NESTED") == "off" {
		t.Skip("PROEM_NESTED=off")
	}
	root := filepath.Join("..", "..")
	var modules []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."), d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case d.Name() == "go.mod" && filepath.Dir(path) != root:
			modules = append(modules, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range modules {
		name, err := filepath.Rel(root, dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			cmd := exec.Command("go", "test", "./...")
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("go test ./... in %s: %v\n%s", name, err, out)
			}
			t.Logf("%s", out)
		})
	}
}
