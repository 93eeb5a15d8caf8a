package prompt_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
)

// A stage that panics is a stage that fails: the error names it.
func TestStagePanics(t *testing.T) {
	reg := registry.New()
	if _, err := reg.Global().Section(prompt.SectionDef{Name: "base", Body: prompt.Body{Literal: "BASE"}}); err != nil {
		t.Fatal(err)
	}
	bad := prompt.Stage{Name: "bad", Apply: func(prompt.Input, prompt.Assembly) (prompt.Assembly, error) { panic("oh no") }}
	_, err := prompt.Assemble(reg.Snapshot(), prompt.Input{}, bad)
	if err == nil || !strings.Contains(err.Error(), "stage bad: panic: oh no") {
		t.Errorf("got %v", err)
	}
	if frames, err := prompt.Trace(reg.Snapshot(), prompt.Input{}, bad); err == nil || len(frames) != 1 {
		t.Errorf("%d frames, %v", len(frames), err)
	}
}
