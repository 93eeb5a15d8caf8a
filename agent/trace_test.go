package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source/files"
)

// The frames of a preview end with its assembly: with hooks, variables of a turn,
// and what a session keeps.
func TestTrace(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"AGENTS.md": "v1\n"})
	reg := registry.New()
	_, err := reg.Global().Dynamic(prompt.SectionDef{Name: "rules", Order: standard.OrderInstructions, Class: prompt.Session},
		files.New(files.Config{Cwd: dir, Root: dir}))
	filetest.Must(t, err)
	script, err := scripted.Parse([]byte("turns: [{text: one}, {text: two}]"), "script")
	filetest.Must(t, err)
	p := standard.New(standard.Config{})
	a, err := agent.New(agent.Config{Model: scripted.New(*script), ModelName: "m", System: "Base.", Registry: reg, Preset: &p})
	filetest.Must(t, err)

	trace := func(want ...string) {
		t.Helper()
		p, err := a.Preview(t.Context(), "s1", agent.Input{Text: "hi"})
		filetest.Must(t, err)
		frames, err := p.Trace()
		filetest.Must(t, err)
		if got := frames[len(frames)-1].Assembly; got.Hash() != p.Assembly.Hash() {
			t.Errorf("the last frame is not the preview's assembly:\n%s", cmp.Diff(got.Render(prompt.System), p.Assembly.Render(prompt.System)))
		}
		var names []string
		for _, f := range frames {
			names = append(names, f.Stage)
		}
		if d := cmp.Diff(names, want); d != "" {
			t.Errorf("stages (-got +want):\n%s", d)
		}
	}
	stages := []string{"resolve"}
	for _, s := range p.Stages(nil) {
		stages = append(stages, s.Name)
	}
	trace(stages...)
	for _, err := range a.Run(t.Context(), "s1", agent.Text("hi")) {
		filetest.Must(t, err)
	}
	filetest.Must(t, os.WriteFile(filepath.Join(dir, "AGENTS.md"), []byte("v2 is longer\n"), 0o644))
	trace(append(stages, "freeze")...)
}
