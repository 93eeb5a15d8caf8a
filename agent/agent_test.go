package agent_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/tool"
	toolfs "github.com/proemhq/proem/tool/fs"
)

func TestRunReadsAFileAndAnswers(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.txt", "Use tabs.\n")
	store := &memory.Store{}
	model := &recorder{Model: script(t, `
turns:
  - calls: [{tool: read_file, args: {path: a.txt}, id: c1}]
    expect: {system_contains: "You are terse."}
  - text: "It says: use tabs."
    usage: {input: 900, cached: 800, output: 5}
`)}
	a := newAgent(t, agent.Config{Model: model, System: "You are terse.", Store: store, Tools: toolfs.Tools(toolfs.Config{Roots: []string{dir}})})
	events := turn(t, a, "s1", "What does a.txt say?")
	diff(t, "events", kinds(events), "session.start input prefix request answer tool.call tool.result request answer stop")
	var text strings.Builder
	for _, e := range events {
		if e.Kind == session.DeltaText {
			text.WriteString(e.Delta)
		}
	}
	diff(t, "text", text.String(), "It says: use tabs.")
	if r := results(events); len(r) != 1 || !strings.Contains(r[0], "Use tabs.") {
		t.Errorf("results: %v", r)
	}
	end := events[len(events)-2]
	if end.Usage == nil || *end.Usage.Input != 900 || *end.Usage.Cached != 800 || *end.Usage.Output != 5 {
		t.Errorf("got usage %+v", end.Usage)
	}
	diff(t, "stop", stop(t, events).Stop, &session.Stop{Reason: "end", Message: "stop"})
	stored := readLog(t, store, "s1")
	var handed []session.Event
	for _, e := range events {
		if !e.Kind.Transient() {
			handed = append(handed, e)
		}
	}
	diff(t, "what was handed out is what is stored", handed, stored)
	for i, e := range stored {
		if e.Seq != uint64(i+1) || !e.Time.Equal(t0) {
			t.Errorf("event %d: number %d at %v", i, e.Seq, e.Time)
		}
	}

	p, err := a.Preview(t.Context(), "s1", agent.Text("And now?"))
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Messages []struct {
			Role    string
			Content any
		}
	}
	if err := json.Unmarshal(p.Body.JSON, &body); err != nil {
		t.Fatal(err)
	}
	var roles []string
	for _, m := range body.Messages {
		roles = append(roles, m.Role)
	}
	diff(t, "roles", strings.Join(roles, " "), "system user assistant tool assistant user")
	diff(t, "last message", body.Messages[5].Content, any("And now?"))
	diff(t, "turn and step", []int{p.Turn, p.Step.Step}, []int{2, 1})
}

func TestNewRefuses(t *testing.T) {
	model := script(t, "turns: [{text: ok}]")
	taken := registry.New()
	if err := standard.Define(taken.Global(), standard.Texts{Base: standard.Literal{Text: "mine"}}); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		cfg  agent.Config
		want string
	}{
		"no model":      {agent.Config{}, "no model"},
		"same tool":     {agent.Config{Model: model, Tools: []tool.Tool{&fake{name: "x"}, &fake{name: "x"}}}, `two tools are named "x"`},
		"nameless tool": {agent.Config{Model: model, Tools: []tool.Tool{&fake{}}}, "has no name"},
		"taken name":    {agent.Config{Model: model, System: "x", Registry: taken}, "section.duplicate"},
	} {
		if _, err := agent.New(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "agent: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	// What was registered before the fault is gone.
	l, _ := taken.Snapshot().Layer("")
	if len(l.Sections) != 1 || len(l.Tools) != 0 {
		t.Errorf("a failed agent left %d sections and %d tools", len(l.Sections), len(l.Tools))
	}
}

func TestMaxSteps(t *testing.T) {
	f := &fake{name: "again"}
	store := &memory.Store{}
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{calls: [{tool: again}]}]"), Tools: []tool.Tool{f}, Limits: agent.Limits{Steps: 3}, Store: store})
	events := turn(t, a, "s", "go")
	end := stop(t, events)
	diff(t, "reason", end.Stop.Reason, agent.StopSteps)
	if !strings.Contains(end.Stop.Message, "3 model requests") || int(f.ran.Load()) != 3 || end.Step != 3 {
		t.Errorf("%d calls; step %d; %s", int(f.ran.Load()), end.Step, end.Stop.Message)
	}
	readLog(t, store, "s")
	// The session goes on: a new turn has its own steps.
	if again := stop(t, turn(t, a, "s", "go on")); again.Turn != 2 || int(f.ran.Load()) != 6 {
		t.Errorf("turn %d, %d calls", again.Turn, int(f.ran.Load()))
	}
}

// A reminder is in every request and never in the history.
func TestReminder(t *testing.T) {
	model := &recorder{Model: script(t, "turns: [{calls: [{tool: x}]}, {text: ok}]")}
	store, reg := &memory.Store{}, registry.New()
	if _, err := reg.Global().Section(prompt.SectionDef{Name: "last", Channel: prompt.Reminder, Body: prompt.Body{Literal: "REMEMBER"}}); err != nil {
		t.Fatal(err)
	}
	a := newAgent(t, agent.Config{Model: model, Store: store, Registry: reg, Tools: []tool.Tool{&fake{name: "x"}}})
	turn(t, a, "s", "hi")
	for i, b := range model.bodies {
		if strings.Count(b, "REMEMBER") != 1 || strings.Index(b, "REMEMBER") < strings.LastIndex(b, `"role":"user"`) {
			t.Errorf("request %d: %s", i, b)
		}
	}
	stored, err := json.Marshal(readLog(t, store, "s"))
	if err != nil || strings.Contains(string(stored), "REMEMBER") {
		t.Errorf("%v; the reminder was stored", err)
	}
}

// Visibility rules of the preset hold for what the model may call, too.
func hiding(name string) *standard.Config {
	return &standard.Config{Visibility: []stage.VisibilityRule{{Tool: name}}}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
