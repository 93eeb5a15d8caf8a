package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

// A project is an agent over the instruction files of a folder and a provider.
type project struct {
	dir    string
	server *providertest.Server
	dial   wire.Dialect
	store  session.Store
	preset *preset.Preset
	system string
}

func newProject(t testing.TB, d wire.Dialect) *project {
	t.Helper()
	p := &project{dir: t.TempDir(), dial: d, store: &memory.Store{}, system: "You help."}
	p.server = providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns:\n  - text: ok\n")})
	filetest.Write(t, p.dir, map[string]string{".git/": "", "AGENTS.md": "v1\nsame\n"})
	return p
}

// agent returns the agent as a new process would make it.
func (p *project) agent(t testing.TB) *agent.Agent {
	t.Helper()
	reg := registry.New()
	err := standard.Define(reg.Global(), standard.Texts{Files: files.New(files.Config{Cwd: p.dir, Root: p.dir})})
	filetest.Must(t, err)
	return newAgent(t, agent.Config{Model: p.server.Model(p.dial), System: p.system, Registry: reg, Scope: "a", Store: p.store, Preset: p.preset})
}

func (p *project) write(t testing.TB, text string) {
	t.Helper()
	filetest.Must(t, os.WriteFile(filepath.Join(p.dir, "AGENTS.md"), []byte(text), 0o666))
}

// sent returns what the requests held before the conversation, and after it.
func (p *project) sent(t testing.TB) (out []sentBody) {
	t.Helper()
	for _, r := range p.server.Requests() {
		b := parseBody(t, r.Body)
		var list []json.RawMessage
		filetest.Must(t, json.Unmarshal([]byte(b.messages), &list))
		for len(list) > 0 && bytes.Contains(list[0], []byte(`"role":"system"`)) {
			b.system += string(list[0])
			list = list[1:]
		}
		var rest []string
		for _, m := range list {
			rest = append(rest, string(m))
		}
		b.messages = "[" + strings.Join(rest, ",") + "]"
		out = append(out, b)
	}
	return out
}

func TestCaseC54(t *testing.T) {
	for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
		t.Run(d.Name, func(t *testing.T) {
			p := newProject(t, d)
			a := p.agent(t)
			turn(t, a, "s", "one")
			p.write(t, "v2\nsame\n")
			preview, err := a.Preview(t.Context(), "s", agent.Text("two"))
			filetest.Must(t, err)
			two := turn(t, a, "s", "two")
			turn(t, a, "s", "three")
			turn(t, p.agent(t), "new", "one")
			got := p.sent(t)
			if string(preview.Body.JSON) != string(p.server.Requests()[1].Body) {
				t.Error("the preview differs from what was sent")
			}
			for _, b := range got[:3] {
				diff(t, "system", b.system, got[0].system)
			}
			if !strings.HasPrefix(got[1].messages, strings.TrimSuffix(got[0].messages, "]")) || !strings.HasPrefix(got[2].messages, strings.TrimSuffix(got[1].messages, "]")) {
				t.Error("the conversation was not only appended to")
			}
			all := got[2].messages
			if n := strings.Count(all, "changed:project:AGENTS.md]"); n != 1 || strings.Count(all, `-v1\n+v2\n`) != 1 {
				t.Errorf("%d notices:\n%s", n, all)
			}
			if d.Name == openaichat.Name && (!strings.Contains(all, `kind=\"diff\" path=\"AGENTS.md\" trust=\"project\"`) || strings.Contains(got[2].system, "v2")) {
				t.Errorf("the notice is not fenced as the file's: %s", all)
			}
			if !strings.Contains(got[3].system, "v2") && !strings.Contains(got[3].messages, "v2") || strings.Contains(got[3].messages, "changed:") {
				t.Errorf("a new session does not begin with the file as it is: %s %s", got[3].system, got[3].messages)
			}
			said := ""
			for _, e := range two {
				if e.Kind == session.Diagnostic {
					said += e.Diagnostic.Code + " "
				}
			}
			if !strings.Contains(said, "section.changed") {
				t.Errorf("diagnostics: %s", said)
			}
		})
	}
}

// What comes and goes is told as well, and told again when it is back.
func TestFrozenComesAndGoes(t *testing.T) {
	p := newProject(t, openaichat.Dialect)
	a := p.agent(t)
	turn(t, a, "s", "one")
	filetest.Must(t, os.Remove(filepath.Join(p.dir, "AGENTS.md")))
	turn(t, a, "s", "two")
	p.write(t, "v1\nsame\n")
	turn(t, a, "s", "three")
	scope := a.Registry().Scope("a")
	_, err := scope.Section(prompt.SectionDef{Name: "late", Order: 150, Body: prompt.Body{Literal: "Be late."}})
	filetest.Must(t, err)
	turn(t, a, "s", "four")
	got := p.sent(t)
	for i, want := range []string{"", "This part does not hold any more.", `[context: changed:project:AGENTS.md (2)]\nAdded since this conversation began:`, `Added since this conversation began:\nBe late.`} {
		diff(t, "system", got[i].system, got[0].system)
		if rest := got[i].messages[len(got[max(0, i-1)].messages)-1:]; !strings.Contains(rest, want) {
			t.Errorf("request %d appends %s", i+1, rest)
		}
	}
}

// C90: a resumed session sends what it sent before, whatever became of the files
// and of the base prompt.
func TestCaseC90(t *testing.T) {
	p := newProject(t, openaichat.Dialect)
	state := t.TempDir()
	open := func() *jsonl.Store {
		s, err := jsonl.Open(jsonl.Config{Dir: state, Env: &env.Env{Clock: env.NewFakeClock(t0)}})
		filetest.Must(t, err)
		p.store = s
		return s
	}
	s := open()
	turn(t, p.agent(t), "s", "one")
	filetest.Must(t, s.Close())
	p.write(t, "v2\nsame\n")
	p.system = "You help otherwise."
	s = open()
	defer s.Close()
	turn(t, p.agent(t), "s", "two")
	got := p.sent(t)
	diff(t, "system", got[1].system, got[0].system)
	if strings.Contains(got[0].system, "messages") || !strings.Contains(got[1].messages, "You help otherwise.") {
		t.Errorf("the new base prompt is told nowhere: %s", got[1].messages)
	}
	one, two := p.server.Requests()[0].Body, p.server.Requests()[1].Body
	at := bytes.Index(one, []byte(`"one`))
	if at < 0 || !bytes.HasPrefix(two, one[:at]) {
		t.Error("the bytes before the conversation differ")
	}
}

func TestPrefixLost(t *testing.T) {
	p := newProject(t, openaichat.Dialect)
	turn(t, p.agent(t), "s", "one")
	bare := &memory.Store{} // a log without the prefix
	var events []session.Event
	for _, e := range readLog(t, p.store, "s") {
		if e.Kind != session.Prefixed {
			e.Seq = uint64(len(events) + 1)
			events = append(events, e)
		}
	}
	filetest.Must(t, bare.Append(t.Context(), "s", 0, events...))
	p.store = bare
	two := turn(t, p.agent(t), "s", "two")
	said := ""
	for _, e := range two {
		if e.Kind == session.Diagnostic {
			said += e.Diagnostic.Code + " "
		}
	}
	if !strings.Contains(said, "session.prefix_rebuilt") {
		t.Errorf("diagnostics: %s", said)
	}
	if got := p.sent(t); got[1].system == "" || got[1].system != got[0].system {
		t.Errorf("system: %s", got[1].system)
	}
}

func TestRefresh(t *testing.T) {
	for _, tt := range []struct {
		name    string
		refresh preset.Refresh
		fresh   bool
		moves   bool
	}{
		{"session", preset.EachSession, false, false},
		{"fresh", preset.EachSession, true, true},
		{"turn", preset.EachTurn, false, true},
		{"step", preset.EachStep, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newProject(t, openaichat.Dialect)
			made := standard.New(standard.Config{Refresh: &tt.refresh})
			p.preset = &made
			a := p.agent(t)
			turn(t, a, "s", "one")
			p.write(t, "v2\nsame\n")
			for _, err := range a.Run(t.Context(), "s", agent.Input{Text: "two", FreshPrefix: tt.fresh}) {
				filetest.Must(t, err)
			}
			turn(t, a, "s", "three")
			got := p.sent(t)
			diff(t, "moves", got[1].system != got[0].system, tt.moves)
			diff(t, "moves back", got[2].system == got[1].system, true)
			diff(t, "told", strings.Contains(got[2].messages, "changed:"), !tt.moves)
		})
	}
}

// C88: another model gets the base prompt that is meant for it; what the project
// says stays, and the break has its cause.
func TestCaseC88(t *testing.T) {
	p := newProject(t, openaichat.Dialect)
	turn(t, p.agent(t), "s", "one")
	p.write(t, "v2\nsame\n")
	p.system = "You help, as the other model wants it."
	var said []string
	for e, err := range p.agent(t).Run(t.Context(), "s", agent.Input{Text: "two", ModelName: "other"}) {
		filetest.Must(t, err)
		if e.Kind == session.Diagnostic {
			said = append(said, e.Diagnostic.String())
		}
	}
	got := p.sent(t)
	if !strings.Contains(got[1].system, "as the other model wants it") || !strings.Contains(got[1].system, "v1") || strings.Contains(got[1].system, "v2") {
		t.Errorf("system: %s", got[1].system)
	}
	if all := strings.Join(said, "\n"); !strings.Contains(all, "cache.break: cause=model.changed") && !strings.Contains(all, "cause=model.changed") {
		t.Errorf("diagnostics:\n%s", all)
	}
}

// The prefix in the log is one event, whatever the number of turns.
func TestPrefixOnce(t *testing.T) {
	p := newProject(t, openaichat.Dialect)
	a := p.agent(t)
	for range 5 {
		turn(t, a, "s", "go")
	}
	n := 0
	for _, e := range readLog(t, p.store, "s") {
		if e.Kind == session.Prefixed {
			n++
			raw, err := json.Marshal(e)
			filetest.Must(t, err)
			var back session.Event
			filetest.Must(t, json.Unmarshal(raw, &back))
			diff(t, "read back", back.Prefix, e.Prefix)
		}
	}
	diff(t, "prefix events", n, 1)
}

// A prefix without text takes the place of one that had some, and is kept for its
// model.
func TestEmptyPrefix(t *testing.T) {
	reg := registry.New()
	notes := "Be brief."
	_, err := reg.Global().Dynamic(prompt.SectionDef{Name: "notes"}, source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
		return prompt.Fact{Text: notes, None: notes == ""}, nil
	}))
	filetest.Must(t, err)
	store, err := jsonl.Open(jsonl.Config{Dir: t.TempDir()})
	filetest.Must(t, err)
	defer store.Close()
	p := &tape{}
	a := newAgent(t, agent.Config{Model: p.model(t, openaichat.Dialect, "turns: [{text: ok}]"), Registry: reg, Store: store})
	for i, in := range []agent.Input{{Text: "with"}, {Text: "without", FreshPrefix: true}, {Text: "still"}, {Text: "other", ModelName: "b"}, {Text: "same", ModelName: "b"}} {
		if i == 1 {
			notes = ""
		}
		breaks := 0
		for e, err := range a.Run(t.Context(), "s", in) {
			filetest.Must(t, err)
			if e.Kind == session.Diagnostic && e.Diagnostic.Code == "cache.break" {
				breaks++
			}
		}
		if body := p.bodies[i]; strings.Contains(body, "Be brief.") != (i == 0) || strings.Contains(body, "does not hold") {
			t.Errorf("%s: %s", in.Text, body)
		}
		if breaks != map[int]int{3: 1}[i] {
			t.Errorf("%s: %d breaks of the cache", in.Text, breaks)
		}
	}
	replays(t, a, "s", p.bodies)
}
