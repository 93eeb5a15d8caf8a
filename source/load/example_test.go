package load_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/span"
)

func ExampleLoader_Load() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("one\r\ntwo\r\n"), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	l := load.New(nil)
	root, err := l.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	for _, name := range []string{"a.md", ".", "b.md"} {
		f, err := l.Load(root, name, 1<<10)
		var no *load.Refusal
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Println(name, "is not there")
		case errors.As(err, &no):
			fmt.Println(name, "is refused:", no.Diagnostic.Message)
		default:
			for _, s := range f.Spans(span.Origin{Path: f.Path}) {
				fmt.Printf("%q at %d\n", s.Text, s.Off)
			}
		}
	}
	// Output:
	// "one" at 0
	// "\ntwo" at 4
	// "\n" at 9
	// . is refused: a directory, not a regular file
	// b.md is not there
}
