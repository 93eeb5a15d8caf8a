package toolset_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset/agentscope/toolset"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/tool"
)

func diff(t testing.TB, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("%s (-got +want):\n%s", what, d)
	}
}

// echo is a tool that returns its arguments.
type echo struct{ name string }

func (e echo) Spec() chat.ToolSpec {
	return chat.ToolSpec{Name: e.name, Description: "Echoes.", Parameters: json.RawMessage(
		`{"additionalProperties":false,"properties":{"name":{"type":"string"},"pattern":{"type":"string"},"path":{"type":"string"}},"required":["name"],"type":"object"}`)}
}

func (e echo) Call(_ context.Context, args json.RawMessage) (tool.Result, error) {
	return tool.Text(string(args)), nil
}

func (e echo) Effect(_ context.Context, args json.RawMessage) tool.Effect {
	return tool.Effect{Command: string(args)}
}

func (e echo) Answer(_ context.Context, args json.RawMessage, answer string) (tool.Result, error) {
	return tool.Text(string(args) + answer), nil
}

func TestRename(t *testing.T) {
	renamed := toolset.Rename(echo{"load_skill"}, echo{"grep"}, echo{"other"})
	skill, grep, other := renamed[0], renamed[1], renamed[2]
	diff(t, "names", []string{skill.Spec().Name, grep.Spec().Name, other.Spec().Name}, []string{"load_skill_through_path", "grep_files", "other"})
	diff(t, "names in rules", []string{tool.RuleName(skill), tool.RuleName(grep), tool.RuleName(other)}, []string{"load_skill", "grep", "other"})
	diff(t, "schema", string(skill.Spec().Parameters),
		`{"additionalProperties":false,"properties":{"path":{"type":"string"},"pattern":{"type":"string"},"skillId":{"type":"string"}},"required":["skillId"],"type":"object"}`)
	for _, c := range []struct {
		tool     tool.Tool
		in, want string
	}{
		{skill, `{"skillId":"x","path":"a"}`, `{"name":"x","path":"a"}`},
		{skill, `{"name":"x"}`, `{"unknown argument name":"x"}`},
		{skill, `{"skillId":"x","skillId":"y"}`, `{"name":"x","name":"y"}`}, // for the tool to refuse
		{skill, `[1]`, `[1]`},
		{skill, `{"skillId":`, `{"skillId":`},
		{skill, `{} {}`, `{} {}`},
		{grep, `{"pattern":"a.b(\"<"}`, `{"pattern":"a\\.b\\(\"\u003c"}`},
		{grep, `{"pattern":1}`, `{"pattern":1}`},
		{other, `{"name":1}`, `{"name":1}`},
	} {
		r, err := c.tool.Call(t.Context(), json.RawMessage(c.in))
		filetest.Must(t, err)
		diff(t, "call "+c.in, r.Text.String(), c.want)
		diff(t, "effect "+c.in, tool.EffectOf(t.Context(), c.tool, json.RawMessage(c.in)).Command, c.want)
	}
	r, err := skill.(tool.Answerer).Answer(t.Context(), json.RawMessage(`{"skillId":"x"}`), "yes")
	filetest.Must(t, err)
	diff(t, "answer", r.Text.String(), `{"name":"x"}yes`)
}

func FuzzRename(f *testing.F) {
	f.Add(`{"skillId":"x","path":{"a":[1]}}`)
	f.Fuzz(func(t *testing.T, args string) {
		r, err := toolset.Rename(echo{"load_skill"})[0].Call(t.Context(), json.RawMessage(args))
		filetest.Must(t, err)
		if json.Valid([]byte(args)) && !json.Valid([]byte(r.Text.String())) {
			t.Errorf("%s became %s", args, r.Text)
		}
	})
}

// What a call would touch is named before anything is made.
func TestEffects(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"p/a.go": "x"})
	project, home := filepath.Join(dir, "p"), filepath.Join(dir, "p/.home")
	var asked []string
	tools := toolset.Files(toolset.Config{Project: project, Workspace: home, Allow: func(name string) toolset.Ask {
		return func(_ context.Context, path string) error {
			asked = append(asked, name+" "+strings.TrimPrefix(path, dir))
			return nil
		}
	}})
	byName := map[string]tool.Tool{}
	for _, x := range tools {
		byName[x.Spec().Name] = x
	}
	e := tool.EffectOf(t.Context(), byName["write_file"], []byte(`{"path":"agent.yaml","content":"x"}`))
	diff(t, "paths of a write", e.Paths, []string{filepath.Join(project, "agent.yaml"), filepath.Join(home, "agent.yaml")})
	if e.ReadOnly {
		t.Error("a write is said to change nothing")
	}
	r, err := byName["read_file"].Call(t.Context(), []byte(`{"path":"a.go"}`))
	filetest.Must(t, err)
	diff(t, "read", r.Text.String(), "x")
	if _, err := os.Stat(home); err == nil {
		t.Error("reading made the workspace")
	}
	diff(t, "asked", asked, []string{"read_file /p/a.go", "read_file /p/.home/a.go"})
	if r, err = byName["write_file"].Call(t.Context(), []byte(`{"path":"b.go","content":"y"}`)); err != nil || r.IsError {
		t.Fatal(r.Text, err)
	}
	for _, c := range []struct{ tool, args, want string }{
		{"glob_files", `{"pattern":"*.go"}`, "a.go\nb.go\n"},
		{"grep_files", `{"pattern":"y"}`, "b.go:1:y\n"},
		{"list_files", `{"path":"."}`, "b.go"},
	} {
		r, err := byName[c.tool].Call(t.Context(), []byte(c.args))
		filetest.Must(t, err)
		if !strings.Contains(r.Text.String(), c.want) {
			t.Errorf("%s: got %q, want %q in it", c.tool, r.Text, c.want)
		}
	}
}

// What a tool says of a fault is said by the names that the model knows.
func TestRenamedErrors(t *testing.T) {
	dir := t.TempDir()
	tools := toolset.Files(toolset.Config{Project: dir, Workspace: filepath.Join(dir, "w")})
	for _, x := range tools {
		r, err := x.Call(t.Context(), []byte(`{"path":"/nope/x","pattern":"y","content":"z","old":"a","new":"b"}`))
		filetest.Must(t, err)
		if name := x.Spec().Name; !r.IsError || !strings.HasPrefix(r.Text.String(), name+": ") {
			t.Errorf("%s says %q", name, r.Text)
		}
	}
	set := skills.New(skills.Config{})
	spawn := tool.Must(tool.Make(tool.Def[struct {
		Agent string `json:"agent"`
		Task  string `json:"task"`
	}]{Name: "agent_spawn", Description: "Starts an agent.", Call: func(context.Context, struct {
		Agent string `json:"agent"`
		Task  string `json:"task"`
	}) (tool.Result, error) {
		return tool.Errorf("agent_spawn: there is no agent x"), nil
	}}))
	for _, c := range []struct {
		tool       tool.Tool
		args, want string
	}{
		{toolset.LoadSkill(set), `{}`, "load_skill_through_path: skillId is missing"},
		{toolset.LoadSkill(set), `{"skillId":"nope"}`, `skill.unknown: skill "nope": there is no such skill`},
		{toolset.Rename(spawn)[0], `{"task":"x"}`, "agent_spawn: the argument agent_id is missing"},
		{toolset.Rename(spawn)[0], `{"agent_id":1,"task":"x"}`, "agent_spawn: the argument agent_id is not a string"},
		{toolset.Rename(spawn)[0], `{"agent":"x","task":"x"}`, `agent_spawn: there is no argument agent (arguments: agent_id, task)`},
		{toolset.Rename(spawn)[0], `{"agent_id":"x","task":"x"}`, "agent_spawn: there is no agent x"},
	} {
		r, err := c.tool.Call(t.Context(), []byte(c.args))
		filetest.Must(t, err)
		diff(t, c.args, r.Text.String(), c.want)
	}
	r, err := toolset.LoadSkill(set).Call(t.Context(), []byte(`{"skillId":1}`))
	filetest.Must(t, err)
	if s := r.Text.String(); !strings.HasSuffix(s, "it takes skillId and path") {
		t.Errorf("got %q", s)
	}
}
