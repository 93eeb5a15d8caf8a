package quickjs_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/codeact"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/agentscope"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session/memory"
	memorysource "github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/tool"
)

// Under every preset the text of the runtime stands in system once, code calls tools
// by the names that the model was told, and each request can be made again.
func TestPresets(t *testing.T) {
	deep, err := deepseek.New(deepseek.Config{})
	filetest.Must(t, err)
	for name, p := range map[string]preset.Preset{
		"standard": standard.New(standard.Config{}), "deepseek": deep.Preset(),
		"ai4j": ai4j.New(ai4j.Config{Projection: ai4j.Projection{MaxMessages: 4}}), "agentscope": agentscope.New(agentscope.Config{}),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			filetest.Write(t, dir, map[string]string{"a.txt": "needle", ".proem/AGENTS.md": "You are Ada."})
			reg, store := registry.New(), &memory.Store{}
			if name == "deepseek" {
				filetest.Must(t, deep.Register(reg.Global()))
			}
			if name == "agentscope" {
				home := filepath.Join(dir, ".proem")
				filetest.Must(t, agentscope.Define(reg.Global(), agentscope.Parts{Session: &agentscope.Session{Workspace: home, NoDate: true},
					Home: agentscope.NewHome(memorysource.Config{Root: dir, Dir: ".proem"}, nil)}))
			}
			var ran atomic.Int32
			tools := []tool.Tool{reader("read_file"), reader("grep_files"), weather(&ran, 0)}
			m := says(t, code(`const r = await read_file({path: "a.txt"}); const g = await callTool("grep_files", {path: "a"}); return r + g + (await weather({city: "Oslo"})).celsius`), final("done"))
			a := newAgent(t, agent.Config{Model: m, Preset: &p, Registry: reg, Store: store, Scope: "own", System: "BASE", Instructions: "I", Tools: tools}, codeact.Runtime{ReAct: true})
			_, answer := turn(t, a, agent.Text("go"))
			diff(t, "answer", answer, "done")
			diff(t, "runs", ran.Load(), int32(1))
			for i, b := range m.bodies {
				if n := strings.Count(b, "Answer with exactly one JSON object and nothing around it"); n != 1 {
					t.Errorf("request %d has the text of the runtime %d times", i+1, n)
				}
				for _, want := range []string{"BASE", "grep_files(", "read_file(", "weather(", "The value has celsius."} {
					if !strings.Contains(b, want) {
						t.Errorf("request %d lacks %q", i+1, want)
					}
				}
				if strings.Contains(b, `"tools":`) {
					t.Errorf("request %d has tools", i+1)
				}
				r, err := a.Replay(context.Background(), "s", i+1)
				filetest.Must(t, err)
				diff(t, "made again", string(r.Body.JSON), b)
			}
			if !strings.Contains(m.bodies[1], "needle") || !strings.Contains(m.bodies[1], "CODE_RESULT") {
				t.Errorf("the result is missing: %s", m.bodies[1])
			}
		})
	}
}

type named struct {
	Path string `json:"path"`
}

// reader is a tool that reads the same everywhere.
func reader(name string) tool.Tool {
	return tool.Must(tool.Make(tool.Def[named]{Name: name, Description: "Reads.", Effect: func(context.Context, named) tool.Effect { return tool.Effect{ReadOnly: true} },
		Call: func(_ context.Context, n named) (tool.Result, error) {
			return tool.Text(name + " of " + n.Path + ": needle"), nil
		}}))
}
