package deepseek_test

import (
	"context"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/prompttest"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/tool"
)

func TestGuidance(t *testing.T) {
	rows := map[string]float64{"shell": 1000, "read_file": 1100, "write_file": 1200, "edit_file": 1300, "glob": 1400, "grep": 1500}
	for name, order := range rows {
		d, ok := deepseek.Guidance(name)
		if !ok || d.Order != order || !strings.HasPrefix(d.Name, "tool:") {
			t.Errorf("%s: got %+v, %v", name, d, ok)
		}
		for other := range rows {
			if speaks := strings.Contains(d.Body.Literal, other); speaks != (other == name) {
				t.Errorf("the text of %s and the name %s: %v", name, other, speaks)
			}
		}
	}
	if d, ok := deepseek.Guidance("ask_user"); ok {
		t.Errorf("got %+v", d)
	}
}

// What is said of a tool goes with it, whoever hides it.
func TestGuidanceOfHiddenTools(t *testing.T) {
	p, ok := newPreset(t, deepseek.Config{NoIdentity: true}), done(t)
	var tools []tool.Tool
	for _, name := range []string{"glob", "grep", "shell"} {
		d, _ := deepseek.Guidance(name)
		ok(p.Registry.Global().Section(d))
		made, err := tool.New(name, "", func(context.Context, struct{}) (tool.Result, error) { return tool.Text(""), nil })
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, made)
	}
	rules := p.Preset(stage.VisibilityRule{Tool: "grep"})
	a, err := agent.New(agent.Config{Model: scripted.New(scripted.Script{}), ModelName: "m", Preset: &rules, Registry: p.Registry, Tools: tools[:2]})
	if err != nil {
		t.Fatal(err)
	}
	v, err := a.Preview(t.Context(), "s", agent.Text("hi"))
	if err != nil {
		t.Fatal(err)
	}
	system := v.Assembly.Render(prompt.System)
	for name, want := range map[string]bool{"glob: ": true, "grep: ": false, "shell: ": false} {
		if strings.Contains(system, name) != want {
			t.Errorf("%q is there: %v\n%s", name, !want, system)
		}
	}
	var notes []string
	for _, n := range v.Assembly.Notes {
		if n.Stage == "guidance" {
			notes = append(notes, n.Name)
		}
	}
	check(t, "notes", strings.Join(notes, " "), "tool:bash tool:grep")
	frames, err := v.Trace()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range v.Stages {
		if s.Name == "guidance" {
			prompttest.Check(t, s, prompttest.Case{Name: s.Name, Input: v.Input, Assembly: frames[i].Assembly})
		}
	}
}
