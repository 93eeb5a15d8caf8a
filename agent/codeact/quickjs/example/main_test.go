package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent/codeact/quickjs"
)

func TestMain(m *testing.M) {
	quickjs.Main()
	if os.Getenv("RUN_EXAMPLE") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestExample(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "RUN_EXAMPLE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := `code   const all = await Promise.all(["Oslo", "Lisbon"].map(city => weather({city}))); return all.sort((a, b) => b.celsius - a.celsius)[0]
call   weather {"city":"Oslo"}
call   weather {"city":"Lisbon"}
result CODE_RESULT: {"result":{"city":"Lisbon","celsius":6}}
answer Lisbon is the warmest.
`
	if d := cmp.Diff(string(out), want); d != "" {
		t.Errorf("output (-got +want):\n%s", d)
	}
}
