package cli_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// tamper changes a byte of every content that sessions keep below a directory:
//
//	tamper DIR
func tamper(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tamper DIR")
	}
	n := 0
	ts.Check(filepath.WalkDir(args[0], func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(filepath.Dir(path)) != ".kept" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n++
		return os.WriteFile(path, bytes.Replace(data, []byte(`":`), []byte(`" `), 1), 0o600)
	}))
	if n == 0 {
		ts.Fatalf("nothing is kept below %s", args[0])
	}
}
