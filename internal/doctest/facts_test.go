package doctest_test

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/cli"
)

// TestCommands checks that the README lists the commands there are.
func TestCommands(t *testing.T) {
	var out bytes.Buffer
	if code := cli.Run(context.Background(), cli.App{}, cli.Process{Args: []string{"--help"}, Stdout: &out, Stderr: &out}); code != cli.ExitOK {
		t.Fatalf("exit status %d: %s", code, out.String())
	}
	_, list, _ := strings.Cut(out.String(), "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var names []string
	for _, line := range strings.Split(list, "\n") {
		if name := strings.Fields(line)[0]; name != "help" {
			names = append(names, "`"+name+"`")
		}
	}
	want := "- commands " + strings.Join(names, ", ") + "\n"
	d := read(t, "README.md")
	for _, p := range d.pieces {
		at := strings.Index(p.body, "- commands ")
		if p.head != "" || at < 0 {
			continue
		}
		end := at + strings.Index(p.body[at:], "\n") + 1
		switch {
		case p.body[at:end] == want:
		case *update:
			p.body = p.body[:at] + want + p.body[end:]
			d.write(t)
		default:
			t.Errorf("README.md says\n\t%sand should say\n\t%s", p.body[at:end], want)
		}
		return
	}
	t.Error("README.md has no line that begins with \"- commands \"")
}

// TestShortExamples checks that what each of the three models begins with is built
// in 30 lines, imports and comments apart (S28). Tests of their own run them.
func TestShortExamples(t *testing.T) {
	for _, name := range []string{"harness", "twofields", "registry"} {
		data, err := os.ReadFile(filepath.Join(root, "examples", name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		_, code, _ := strings.Cut(string(data), "\n)\n")
		n := 0
		for line := range strings.Lines(code) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				n++
			}
		}
		if n == 0 || n > 30 {
			t.Errorf("examples/%s has %d lines of code, want at most 30", name, n)
		}
	}
}

// The sizes above which an exported type needs a reason.
const (
	maxFields  = 12
	maxMethods = 4
	sizesFile  = "docs/decisions/0006-large-structs.md"
)

// TestSizes checks that large exported types are those of the record.
func TestSizes(t *testing.T) {
	record := read(t, sizesFile).text()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "internal") {
			return filepath.SkipDir
		}
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
		if err != nil {
			return nil // the compiler says it better
		}
		for name, size := range large(f) {
			name = f.Name.Name + "." + name
			if !strings.Contains(record, "| `"+name+"` |") {
				t.Errorf("%s has %s; split it, or say in %s why it stays", name, size, path.Base(sizesFile))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// large returns the exported types of a file that are above the sizes.
func large(f *ast.File) map[string]string {
	out := map[string]string{}
	count := func(l *ast.FieldList) (n int) { // of what a user sees
		for _, f := range l.List {
			if len(f.Names) == 0 {
				n++
			}
			for _, name := range f.Names {
				if name.IsExported() {
					n++
				}
			}
		}
		return n
	}
	ast.Inspect(f, func(n ast.Node) bool {
		t, ok := n.(*ast.TypeSpec)
		if !ok || !t.Name.IsExported() {
			return true
		}
		switch x := t.Type.(type) {
		case *ast.StructType:
			if n := count(x.Fields); n > maxFields {
				out[t.Name.Name] = fmt.Sprintf("%d fields", n)
			}
		case *ast.InterfaceType:
			if n := count(x.Methods); n > maxMethods {
				out[t.Name.Name] = fmt.Sprintf("%d methods", n)
			}
		}
		return true
	})
	return out
}
