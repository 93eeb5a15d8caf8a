package env_test

import (
	"fmt"
	"os"

	"github.com/proemhq/proem/env"
)

func ExampleOrSystem() {
	count := &env.Counters{}
	e := env.OrSystem(&env.Env{Count: count})
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	root, err := e.Files.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()
	_, err = root.Open(".")
	fmt.Println(err)
	fmt.Println("opens:", count.Load().Opens)
	// Output:
	// open .: not a regular file
	// opens: 2
}

func ExampleFailpoints() {
	save := func(e *env.Env) error {
		if err := e.Process("git commit"); err != nil {
			return err
		}
		return e.Process("git push")
	}
	for k := 1; ; k++ {
		fail := &env.Failpoints{At: k}
		err := save(env.OrSystem(&env.Env{Fail: fail}))
		if fail.Hits() < k {
			break
		}
		fmt.Println(k, err)
	}
	// Output:
	// 1 process git commit: injected fault
	// 2 process git push: injected fault
}
