//go:build unix

package shell_test

import (
	"context"
	"fmt"

	"github.com/proemhq/proem/tool/shell"
)

func ExampleNew() {
	run, err := shell.New(shell.Config{Dir: "/"})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := run.Call(context.Background(), []byte(`{"command":"echo hello; exit 3"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(r.Text)
	// Output:
	// hello
	// [exit code 3]
}
