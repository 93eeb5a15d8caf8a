package fs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/tool/fs"
)

func ExampleReadFile() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\nthree\n"), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	read := fs.ReadFile(fs.Config{Roots: []string{dir}})
	for _, args := range []string{`{"path":"a.txt","limit":2}`, `{"path":"b.txt"}`, `{"file":"a.txt"}`} {
		result, err := read.Call(context.Background(), []byte(args))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(strings.TrimSpace(result.Text.String()))
	}
	// Output:
	// one
	// two
	// [lines 1 to 2 are shown; the file goes on: read on with offset 3]
	// read_file: b.txt does not exist; there is a.txt; list_files shows what there is
	// read_file: there is no argument file (arguments: path, offset, limit)
}
