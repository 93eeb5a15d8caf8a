package agent_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
)

// What is kept is checked: a file that was changed, or is gone, is named.
func TestReplayOfDamaged(t *testing.T) {
	w := newWorkshop(t)
	a := w.agent(t, agent.Config{Model: w.tape.model(t, openaichat.Dialect, touches), System: strings.Repeat("Base. ", 300)}, nil)
	w.say(t, a, agent.Text("one"))
	request, err := a.Replay(t.Context(), "s", 1)
	filetest.Must(t, err)
	rec := request.Recorded
	damaged := 0
	entries, err := os.ReadDir(filepath.Join(w.sessions, "s.kept"))
	filetest.Must(t, err)
	for _, e := range entries {
		path := filepath.Join(w.sessions, "s.kept", e.Name())
		whole, err := os.ReadFile(path)
		filetest.Must(t, err)
		for what, damage := range map[string]func() error{
			"changed": func() error { return os.WriteFile(path, []byte(strings.Replace(string(whole), "e", "f", 1)), 0o600) },
			"gone":    func() error { return os.Remove(path) },
		} {
			filetest.Must(t, damage())
			_, err := a.Replay(t.Context(), "s", 1)
			f, ok := errors.AsType[*agent.ReplayError](err)
			if err != nil {
				damaged++
				want := session.ErrDamaged
				if what == "gone" {
					want = session.ErrNotKept
				}
				if !ok || !errors.Is(err, want) || !strings.Contains(err.Error(), e.Name()) {
					t.Errorf("%s is %s: got %v", e.Name(), what, err)
				}
				for sum, part := range map[string]string{rec.Input: agent.ReplayInput, rec.Snapshot: agent.ReplaySnapshot, rec.Facts: agent.ReplayFacts} {
					if sum == e.Name() && f.What != part {
						t.Errorf("the %s is %s: got %v", part, what, err)
					}
				}
			}
			filetest.Must(t, os.WriteFile(path, whole, 0o600))
		}
	}
	if damaged < 2*5 { // input, snapshot with a layer, facts with a file
		t.Errorf("%d replays of damaged contents failed", damaged)
	}
	replays(t, a, "s", w.tape.bodies)
}

// What is code is not recorded: another preset, another configuration of it and
// another protocol are told from one another.
func TestReplayByAnother(t *testing.T) {
	w := newWorkshop(t)
	a := w.agent(t, agent.Config{Model: w.tape.model(t, openaichat.Dialect, touches)}, nil)
	w.say(t, a, agent.Text("one"))
	with := func(cfg agent.Config) *agent.Agent {
		if cfg.Model == nil {
			cfg.Model = script(t, "turns: [{text: ok}]")
		}
		return w.agent(t, cfg, nil)
	}
	replays(t, with(agent.Config{System: "another", Tools: []tool.Tool{&fake{name: "other"}}}), "s", w.tape.bodies)

	p, err := deepseek.New(deepseek.Config{})
	filetest.Must(t, err)
	composition := p.Preset()
	if e := wantFault(t, with(agent.Config{Preset: &composition}), "s", 1, agent.ReplayPreset); e.Recorded != "standard" || e.Now != "deepseek" {
		t.Errorf("got %v", e)
	}
	budget := standard.New(standard.Config{Budget: 200, Count: func(s string) int { return len(s) / 4 }})
	if e := wantFault(t, with(agent.Config{Preset: &budget}), "s", 1, agent.ReplayAssembly); !strings.Contains(e.Error(), "the stages or hooks of the agent are not those of then") {
		t.Errorf("got %v", e)
	}
	silent := standard.New(standard.Config{})
	silent.Contexts = func([]chat.Message, prompt.Assembly) []chat.Message { return nil }
	wantFault(t, with(agent.Config{Preset: &silent}), "s", 1, agent.ReplayContexts)

	other := script(t, "turns: [{text: ok}]")
	other.Dialect = anthropic.Dialect
	foreign := with(agent.Config{Model: other})
	if e := wantFault(t, foreign, "s", 1, agent.ReplayDialect); !strings.Contains(e.Error(), "recorded openai-chat, now nothing: no model of the agent speaks it") {
		t.Errorf("got %v", e)
	}
	replays(t, foreign, "s", w.tape.bodies, openaichat.Dialect)
	changed := openaichat.Dialect
	changed.Encode = func(prev *wire.Body, r wire.Request) (wire.Body, error) {
		b, err := openaichat.Dialect.Encode(prev, r)
		b.JSON = append(b.JSON, ' ')
		return b, err
	}
	e := wantFault(t, foreign, "s", 1, agent.ReplayBody, changed)
	if e.Recorded != session.Sum([]byte(w.tape.bodies[0])) || e.Now == e.Recorded {
		t.Errorf("got %v", e)
	}
}

// plain is a store that keeps logs alone.
type plain struct{ s *memory.Store }

func (p plain) Append(ctx context.Context, id string, after uint64, events ...session.Event) error {
	return p.s.Append(ctx, id, after, events...)
}

func (p plain) Events(ctx context.Context, id string) iter.Seq2[session.Event, error] {
	return p.s.Events(ctx, id)
}

// Without contents, or with facts that have no form, a turn runs as ever, and the
// replay says why there is none.
func TestNotKept(t *testing.T) {
	w := newWorkshop(t)
	a := w.agent(t, agent.Config{Model: w.tape.model(t, openaichat.Dialect, touches), Store: plain{&memory.Store{}}}, nil)
	w.say(t, a, agent.Text("one"))
	if e := wantFault(t, a, "s", 1, agent.ReplayRecord); !strings.Contains(e.Error(), "keeps no contents") {
		t.Errorf("got %v", e)
	}

	reg, store := registry.New(), &memory.Store{}
	long := strings.Repeat("a", session.MaxKept)
	if _, err := reg.Global().Dynamic(prompt.SectionDef{Name: "long"}, source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
		return prompt.Fact{Text: long}, nil
	})); err != nil {
		t.Fatal(err)
	}
	budget := standard.New(standard.Config{Budget: 1000, Count: func(s string) int { return len(s) / 4 }})
	a = newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]"), Store: store, Registry: reg, Preset: &budget})
	shown := 0
	for range 2 {
		for _, e := range turn(t, a, "s", "hi") {
			if e.Kind == session.Diagnostic && e.Diagnostic.Code == agent.CodeNotKept {
				shown++
			}
		}
	}
	diff(t, "times it was said", shown, 1)
	if e := wantFault(t, a, "s", 2, agent.ReplayRecord); !strings.Contains(e.Error(), "does not say what the request was made from") {
		t.Errorf("got %v", e)
	}
	long = "short"
	turn(t, a, "s", "hi")
	if r, err := a.Replay(t.Context(), "s", 3); err != nil || !r.Whole {
		t.Errorf("once it fits: %v", err)
	}
	for _, n := range []int{0, -1} {
		if _, err := a.Replay(t.Context(), "s", n); err == nil || !strings.Contains(err.Error(), "numbered from 1 to 3") {
			t.Errorf("request %d: got %v", n, err)
		}
	}
	if _, err := a.Replay(t.Context(), "none", 1); err == nil || !strings.Contains(err.Error(), "no such session") {
		t.Errorf("got %v", err)
	}
}

// A fork is replayed without its original, and contents that cannot be written
// end the turn before anything is sent.
func TestReplayOfFork(t *testing.T) {
	w := newWorkshop(t)
	a := w.agent(t, agent.Config{Model: w.tape.model(t, openaichat.Dialect, touches)}, nil)
	w.say(t, a, agent.Text("one"))
	store, err := jsonl.Open(jsonl.Config{Dir: w.sessions})
	filetest.Must(t, err)
	defer store.Close()
	if _, err := session.Fork(t.Context(), store, "s", "fork", 0); err != nil {
		t.Fatal(err)
	}
	filetest.Must(t, os.RemoveAll(filepath.Join(w.sessions, "s.kept")))
	replays(t, a, "fork", w.tape.bodies)

	filetest.Must(t, os.WriteFile(filepath.Join(w.sessions, "s2.kept"), nil, 0o600))
	sent := len(w.tape.bodies)
	if _, err := run(t.Context(), a, "s2", "hi"); err == nil || !strings.Contains(err.Error(), "session s2: keep: ") {
		t.Errorf("got %v", err)
	}
	diff(t, "requests", len(w.tape.bodies), sent)
	stop(t, readLog(t, store, "s2"))
	filetest.Must(t, os.Remove(filepath.Join(w.sessions, "s2.kept")))
	turn(t, a, "s2", "again")
	replays(t, a, "s2", w.tape.bodies[sent:])
}
