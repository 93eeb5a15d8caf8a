package agent_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	toolfs "github.com/proemhq/proem/tool/fs"
)

func script(t *testing.T, yaml string) *scripted.Model {
	t.Helper()
	s, err := scripted.Parse([]byte(yaml), "script.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return scripted.New(*s)
}

func TestRunReadsAFileAndAnswers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.txt", "Use tabs.\n")
	store := &memory.Store{}
	a, err := agent.New(agent.Config{
		Model: script(t, `
turns:
  - calls: [{tool: read_file, args: {path: a.txt}}]
    expect: {system_contains: "You are terse."}
  - text: "It says: use tabs."
    usage: {input: 900, cached: 800, output: 5}
`),
		ModelName: "m", System: "You are terse.", Store: store,
		Tools: toolfs.Tools(toolfs.Config{Roots: []string{dir}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	var text strings.Builder
	for e, err := range a.Run(context.Background(), "s1", agent.Text("What does a.txt say?")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.DeltaText {
			text.WriteString(e.Delta)
			continue
		}
		kinds = append(kinds, string(e.Kind))
		if e.Kind == session.Result && !strings.Contains(e.Message.Results()[0].Text.String(), "Use tabs.") {
			t.Errorf("result: %s", e.Message.Results()[0].Text)
		}
	}
	want := "session.start input request answer tool.call tool.result request answer stop"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("got events\n%s, want\n%s", got, want)
	}
	if text.String() != "It says: use tabs." {
		t.Errorf("got text %q", text.String())
	}
	p, err := a.Preview(context.Background(), "s1", agent.Text("And now?"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(string(p.Body.JSON))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
