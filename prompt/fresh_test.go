package prompt_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
)

const freshEnv = "PROEM_TEST_FRESH"

// fixedPrompt is a prompt with many names, so that any dependence on the order
// of a map would show.
func fixedPrompt() (string, error) {
	layers := []prompt.Layer{{}, {Scope: "team"}, {Scope: "agent"}}
	facts := map[string]prompt.Fact{}
	for i := range 60 {
		l := &layers[i%3]
		d := prompt.SectionDef{Name: fmt.Sprint("s", i*7%40), Channel: prompt.Channel(i % 4), Order: float64(i % 2), Trust: span.Trust(i % 5),
			Body: prompt.Body{Literal: fmt.Sprintf("text %d {{v%d}}", i, i%9), Template: true}}
		if i%2 == 0 {
			d.Body = prompt.Body{Fact: fmt.Sprint("f", i)}
			facts[d.Body.Fact] = prompt.Fact{Text: fmt.Sprint("fact ", i)}
		}
		l.Sections = append(l.Sections, d)
		l.Vars = append(l.Vars, prompt.VarDef{Name: fmt.Sprint("v", i/3), Body: prompt.Body{Literal: fmt.Sprint("value ", i)}})
		l.Tools = append(l.Tools, specs(fmt.Sprint("tool", i*11%60)))
	}
	s, err := prompt.NewSnapshot(1, layers...)
	if err != nil {
		return "", err
	}
	a, err := prompt.Assemble(s, prompt.Input{Lineage: []string{"agent", "team"}, Facts: prompt.NewFacts(facts)},
		stage.ToolOrder(nil), stage.Interpolate(stage.InterpolateConfig{}), stage.Fence(stage.FenceConfig{}))
	if err != nil {
		return "", err
	}
	out := a.Hash() + "\n"
	for ch := range prompt.Channels {
		out += a.Render(ch) + "\n"
	}
	return out + fmt.Sprintln(toolNames(a), vars(a), notes(a)), nil
}

func TestMain(m *testing.M) {
	if os.Getenv(freshEnv) == "" {
		os.Exit(m.Run())
	}
	out, err := fixedPrompt()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(out)
}

// Equal inputs give equal bytes in every process: nothing depends on the order
// of a map, on addresses or on a seed.
func TestFreshProcessesAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 200 processes")
	}
	want, err := fixedPrompt()
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	jobs := make(chan int)
	var pending sync.WaitGroup
	for range 4 {
		pending.Go(func() {
			for n := range jobs {
				cmd := exec.Command(exe)
				// Under the race detector a process would wait a second at its end.
				cmd.Env = append(os.Environ(), freshEnv+"=1", "GORACE=atexit_sleep_ms=0")
				if got, err := cmd.Output(); err != nil || !bytes.Equal(got, []byte(want)) {
					t.Errorf("process %d: %v: got\n%s\nwant\n%s", n, err, got, want)
				}
			}
		})
	}
	for n := range 200 {
		jobs <- n
	}
	close(jobs)
	pending.Wait()
}
