package permit_test

import (
	"fmt"

	"github.com/proemhq/proem/tool/permit"
)

func Example() {
	rule, err := permit.ParseRule("shell(go test *)")
	if err != nil {
		fmt.Println(err)
		return
	}
	rule.Action = permit.Allow
	p, err := permit.New(permit.Config{Roots: []string{"/w"}, Rules: []permit.Rule{rule}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, command := range []string{"go test ./...", "go test ./... >log", "go test -exec ./x ./..."} {
		d := p.Decide(permit.Request{Tool: "shell", Command: command}, permit.Grants{})
		fmt.Println(d.Action, command)
		fmt.Println("  because", d.Why)
	}
	// Output:
	// allow go test ./...
	//   because a rule allows it: shell(go test *)
	// ask go test ./... >log
	//   because the command is not made of plain words: it redirects to or from something other than /dev/null
	// ask go test -exec ./x ./...
	//   because it is a command; shell(go test *) does not cover it: the option "-exec" of go runs another program, writes a file or reads settings
}
