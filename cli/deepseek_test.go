//go:build unix

package cli_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// S26: what the original says of its tools and policies stands where its table has
// it, of those tools that are shown.
func TestCaseS26(t *testing.T) {
	w := newWorld(t, "mkdir .git .proem; echo rules > AGENTS.md; mkdir -p .proem/skills/x; printf -- '---\\nname: x\\ndescription: d\\n---\\n' > .proem/skills/x/SKILL.md; echo memo > .proem/MEMORY.md\n"+
		"echo 'system_prompt: S' > .proem/agent.yaml")
	type row struct {
		Name, Channel string
		Order         float64
	}
	table := func(set ...string) (rows []row) {
		last := math.Inf(-1)
		for _, s := range w.assemble("", append([]string{"preset=deepseek"}, set...)...).Sections {
			if s.Channel == "system" && s.Order < last {
				t.Errorf("%s stands at %v behind %v", s.Name, s.Order, last)
			}
			last = s.Order
			if at, ok := map[string]float64{"plan_enter": 500, "todo_write": 2400, "subagents": 2800}[s.Name]; ok {
				if s.Order != at {
					t.Errorf("%s stands at %v", s.Name, s.Order)
				}
				continue // who has the tools has these
			}
			if s.Channel == "system" || strings.HasSuffix(s.Name, ":policy") {
				rows = append(rows, row{s.Name, s.Channel, s.Order})
			}
		}
		return rows
	}
	all := []row{
		{"harness:identity", "system", -1000}, {"deployment:persona-prefix", "system", 0}, {"base", "system", 100}, {"runtime", "system", 950},
		{"tool:bash", "system", 1000}, {"tool:read", "system", 1100}, {"tool:write", "system", 1200}, {"tool:edit", "system", 1300},
		{"tool:glob", "system", 1400}, {"tool:grep", "system", 1500}, {"memory-recall", "system", 2310}, {"memory-persistence", "system", 2311},
		{"project:AGENTS.md", "system", 6000}, {"skills", "system", 6100}, {"workspace:MEMORY.md", "system", 6200}, {"deployment:persona-suffix", "system", 10200},
		{"sandbox:policy", "context", 110}, {"approval:policy", "context", 115},
	}
	if d := cmp.Diff(table(), all); d != "" {
		t.Errorf("(-got +want):\n%s", d)
	}
	few := []row{all[0], all[1], all[2], all[3], all[5], all[12], all[13], all[14], all[15], all[16], all[17]}
	if d := cmp.Diff(table("tools.allow=[read_file, grep]", "tools.deny=[gr*]"), few); d != "" {
		t.Errorf("some tools hidden (-got +want):\n%s", d)
	}
	if strings.Contains(w.run("prompt", "--preset", "deepseek", "--set", "tools.deny=[shell]"), "Commands start") {
		t.Error("commands are spoken of without a shell")
	}
	for _, s := range w.assemble("").Sections {
		if s.Name == "sandbox:policy" || s.Name == "tool:bash" {
			t.Errorf("standard has %s", s.Name)
		}
	}
	// What is the machine's own is in no lock.
	w.run("lock", "--preset", "deepseek")
	lock, err := os.ReadFile(filepath.Join(w.dir, "proem.lock"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(lock), "tool:bash") || strings.Contains(string(lock), ":policy") {
		t.Errorf("the lock:\n%s", lock)
	}
}

// The policies are those in force: of the mode, and of whether somebody can be
// asked. A folder's name cannot leave its place.
func TestDeepSeekPolicies(t *testing.T) {
	w := newWorld(t, "mkdir -p '{{x}} a/.git'")
	for mode, want := range map[string]string{
		"plan": "nothing is changed at present", "default": "for a call that changes something, a rule must allow it. Nobody can be asked",
		"accept-edits": "files of the project are changed without a question", "bypass": "calls run without a question",
	} {
		script := filepath.Join(w.home, "s.yaml")
		if err := os.WriteFile(script, []byte("turns: [{text: ok}]"), 0o644); err != nil {
			t.Fatal(err)
		}
		w.before = "{{x}} a"
		w.run("run", "--mode", mode, "--preset", "deepseek", "--model", "scripted:s", "--set", "scripted.file="+script, "hi")
		out := w.run("sessions", "export", newest(w))
		if !strings.Contains(out, want) || strings.Contains(out, "Files can be read, and none") != (mode == "plan") {
			t.Errorf("%s: not in the session:\n%s\n%s", mode, out, w.err)
		}
		if !strings.Contains(out, "{{x}} a (project)") {
			t.Errorf("%s: the folder's name is lost:\n%s", mode, out)
		}
	}
}

// newest returns the id of the session that was used last.
func newest(w *world) string {
	var list struct{ Sessions []struct{ ID string } }
	out := w.run("sessions", "--json")
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Sessions) == 0 {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return list.Sessions[0].ID
}

// S25: a tool turns the plan mode on; the next request of the turn ends with a new
// snapshot, the one behind that with none, and the system text stays.
func TestCaseS25(t *testing.T) {
	w := newWorld(t, "mkdir .git")
	script := filepath.Join(w.home, "s.yaml")
	if err := os.WriteFile(script, []byte("turns:\n  - calls: [{tool: plan_enter}]\n  - calls: [{tool: list_files, args: {path: .}}]\n  - text: done\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	as := []string{"--preset", "deepseek", "--model", "scripted:s", "--set", "scripted.file=" + script}
	w.run(append([]string{"run", "look"}, as...)...)
	id := newest(w)
	type body struct {
		Messages []struct{ Role, Content string }
	}
	var requests []body
	for _, n := range []string{"1", "2", "3"} {
		var b body
		out := w.run(append([]string{"prompt", "--session", id + "@" + n, "--wire", "openai-chat", "--quiet"}, as...)...)
		if err := json.Unmarshal([]byte(out), &b); err != nil {
			t.Fatalf("%v\n%s%s", err, out, w.err)
		}
		requests = append(requests, b)
	}
	for i, want := range []struct{ role, text string }{{"user", "a rule must allow it"}, {"user", "Approval: nothing is changed at present"}, {"tool", ""}} {
		m := requests[i].Messages
		if m[0] != requests[0].Messages[0] {
			t.Errorf("request %d: the system text changed", i+1)
		}
		if strings.HasPrefix(m[len(m)-1].Content, "Plan mode is on.") { // a reminder, which is not kept
			m = m[:len(m)-1]
		}
		if last := m[len(m)-1]; last.Role != want.role || !strings.Contains(last.Content, want.text) {
			t.Errorf("request %d ends with %+v", i+1, last)
		}
	}
}
