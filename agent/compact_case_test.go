package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/permit"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

// A moving source says another text at each step.
type moving struct{ n int }

func (m *moving) Read(context.Context, source.Query) (prompt.Fact, error) {
	m.n++
	return prompt.Fact{Text: fmt.Sprintf("FACT %d", m.n)}, nil
}

// A steady source always says the same.
type steady string

func (s steady) Read(context.Context, source.Query) (prompt.Fact, error) {
	return prompt.Fact{Text: string(s)}, nil
}

// withFiles returns a registry with the instruction files of a directory and two
// contexts, one of which changes.
func withFiles(t *testing.T, dir string) (*registry.Registry, *files.Source) {
	reg, src := registry.New(), files.New(files.Config{Cwd: dir})
	for _, d := range []struct {
		def prompt.SectionDef
		src source.Source
	}{
		{prompt.SectionDef{Name: "project-instructions", Order: 300, Source: "file"}, src},
		{prompt.SectionDef{Name: "moving", Channel: prompt.Context, Class: prompt.Turn}, &moving{}},
		{prompt.SectionDef{Name: "steady", Channel: prompt.Context, Class: prompt.Turn}, steady("STEADY")},
	} {
		if _, err := reg.Global().Dynamic(d.def, d.src); err != nil {
			t.Fatal(err)
		}
	}
	return reg, src
}

// TestCaseC63: 20 turns, a compaction, the next request.
func TestCaseC63(t *testing.T) {
	const doc = "NEVER reset the database."
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{".git/": "", "AGENTS.md": doc + "\n"})
	for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
		t.Run(d.Name, func(t *testing.T) {
			s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: an answer of some words}]")})
			reg, _ := withFiles(t, dir)
			store := &memory.Store{}
			cfg := agent.Config{Model: s.Model(d), Registry: reg, Store: store, System: "You help.", Tools: []tool.Tool{&fake{name: "own"}}, Compaction: agent.Compaction{Keep: 40}}
			a := newAgent(t, cfg)
			for i := range 20 {
				turn(t, a, "s", fmt.Sprintf("question %d", i+1))
			}
			events, err := a.Compact(t.Context(), "s")
			if err != nil || kinds(events) != "compacted" {
				t.Fatalf("got %s, %v", kinds(events), err)
			}
			turn(t, a, "s", "question 21")
			all := s.Requests()
			before, summary, after := all[19], string(all[20].Body), all[21]
			x, y := parseBody(t, before.Body), parseBody(t, after.Body)
			if d.Name == "openai-chat" {
				x.system, y.system = leading(t, x.messages), leading(t, y.messages)
			}
			diff(t, "tools", y.tools, x.tools)
			diff(t, "system", y.system, x.system)
			if strings.Count(y.system, doc) != 1 {
				t.Errorf("the section is not in its place: %s", y.system)
			}
			for _, no := range []string{doc, "You help.", "FACT", "STEADY"} {
				if strings.Contains(summary, no) {
					t.Errorf("%q is in the text for the summary", no)
				}
			}
			if !strings.Contains(summary, "question 1\\n") || strings.Contains(string(after.Body), "question 2\\n") {
				t.Error("the conversation is not what was summarised")
			}
			// Every live context stands in it once, without a word of an earlier one.
			for _, want := range []string{"[context: moving]", "[context: steady]", "STEADY"} {
				if n := strings.Count(string(after.Body), want); n != 1 {
					t.Errorf("%q is %d times in the next request", want, n)
				}
			}
			turn(t, a, "s", "question 22")
			if n := strings.Count(string(s.Requests()[22].Body), "STEADY"); n != 1 {
				t.Errorf("what did not change is %d times in the request after it", n)
			}
			view(t, store, "s")
			for n := 1; n <= 22; n++ { // each request can be made again, those behind the compaction too
				if again, err := a.Replay(t.Context(), "s", n); err != nil || !again.Whole {
					t.Errorf("request %d: whole %v, %v", n, again.Whole, err)
				}
			}
		})
	}
}

// leading returns the messages of role system and developer at the beginning.
func leading(t *testing.T, messages string) string {
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(messages), &list); err != nil {
		t.Fatal(err)
	}
	out := ""
	for _, m := range list {
		if strings.Contains(string(m), `"role":"user"`) {
			break
		}
		out += string(m)
	}
	return out
}

// TestCaseC12Compacted: a document that was handed over with a result stays once,
// after a compaction, a resume and another read.
func TestCaseC12Compacted(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{".git/": "", "AGENTS.md": "ROOT\n", "pkg/web/AGENTS.md": "WEB RULE\n", "pkg/api/AGENTS.md": "API RULE\n",
		"pkg/web/f1.txt": "", "pkg/web/f2.txt": "", "pkg/api/f1.txt": ""})
	read := &fake{name: "read", call: func(_ context.Context, args json.RawMessage) (tool.Result, error) {
		var in struct{ Path string }
		if err := json.Unmarshal(args, &in); err != nil {
			return tool.Result{}, err
		}
		res := tool.Text(strings.Repeat("line\n", 1500))
		res.Touched = []string{filepath.Join(dir, in.Path)}
		return res, nil
	}}
	m, store := &speaker{}, &memory.Store{}
	paths := []string{"pkg/web/f1.txt", "pkg/api/f1.txt", "pkg/web/f2.txt"}
	m.say = func(n int, _ string) ([]wire.Event, error) {
		if n <= 6 && n%2 == 1 {
			return []wire.Event{call("read", fmt.Sprintf(`{"path":%q}`, paths[n/2]))}, nil
		}
		return spoken(fmt.Sprint("ANSWER ", n)), nil
	}
	reg, near := withFiles(t, dir)
	cfg := agent.Config{Model: m, Registry: reg, Store: store, Nested: near, Tools: []tool.Tool{read}}
	a := newAgent(t, cfg)
	once := func(when string) {
		t.Helper()
		for _, rule := range []string{"WEB RULE", "API RULE"} {
			if n := strings.Count(m.last(), rule); n != 1 {
				t.Errorf("%s: %s is %d times in the request", when, rule, n)
			}
		}
	}
	turn(t, a, "s", "web")
	turn(t, a, "s", "api")
	once("before")
	for range 2 {
		if events, err := a.Compact(t.Context(), "s"); err != nil || len(only(events, session.Compacted)) != 1 {
			t.Fatalf("got %s, %v", kinds(events), err)
		}
		for _, s := range m.summaries {
			if strings.Contains(s, "RULE") {
				t.Error("a document is in the text for the summary")
			}
		}
		turn(t, a, "s", "more")
		once("after a compaction")
		a.Close()
		a = newAgent(t, cfg)
		turn(t, a, "s", "and more")
		once("after a resume")
		for i := range 3 {
			turn(t, a, "s", fmt.Sprint("filling ", i, strings.Repeat(" words", 2000)))
		}
	}
	view(t, store, "s")
}

// C65 in part: a question that waits, and what was allowed for the session, survive
// a compaction and another process.
func TestCompactWhileAsking(t *testing.T) {
	policy, err := permit.New(permit.Config{})
	if err != nil {
		t.Fatal(err)
	}
	m, store := &speaker{}, &memory.Store{}
	m.say = func(n int, _ string) ([]wire.Event, error) {
		if n == 4 {
			return []wire.Event{call("write", `{"n":1}`)}, nil
		}
		return spoken("ANSWER " + strings.Repeat("words ", 500)), nil
	}
	cfg := agent.Config{Model: m, Store: store, Tools: []tool.Tool{&fake{name: "write"}}, Permissions: &agent.Permissions{Policy: policy}}
	a := newAgent(t, cfg)
	for range 3 {
		turn(t, a, "s", "go")
	}
	diff(t, "stop", stop(t, turn(t, a, "s", "THE LAST")).Stop.Reason, agent.StopAsks)
	if events, err := a.Compact(t.Context(), "s"); err != nil || kinds(events) != "compacted" {
		t.Fatalf("got %s, %v", kinds(events), err)
	}
	a = newAgent(t, cfg)
	asked, err := a.Asked(t.Context(), "s")
	if err != nil || len(asked) != 1 {
		t.Fatalf("got %v, %v", asked, err)
	}
	for e, err := range a.Run(t.Context(), "s", agent.Input{Replies: []session.Reply{{Call: asked[0].Call, Digest: asked[0].Digest, Verdict: "session"}}}) {
		if err != nil {
			t.Fatal(e, err)
		}
	}
	if !strings.Contains(m.last(), "THE LAST") || !strings.Contains(m.last(), "SUMMARY 1") {
		t.Error("the request after the answer lacks something")
	}
	granted := view(t, store, "s").Granted
	turn(t, a, "s", "go on "+strings.Repeat("words ", 500))
	if _, err := a.Compact(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if v := view(t, store, "s"); len(granted.Calls) == 0 || len(v.Granted.Calls) != len(granted.Calls) {
		t.Errorf("granted: %+v, after another compaction %+v", granted, v.Granted)
	}
}

// A provider with a small window, as its protocols say that a request is too long:
// the session goes on, in whatever way the model is asked.
func TestSmallWindow(t *testing.T) {
	for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
		for name, cfg := range map[string]agent.Request{"plain": {}, "one piece": {Options: wire.Options{NoStream: true}}, "chain": {Chain: true}} {
			t.Run(d.Name+"/"+name, func(t *testing.T) {
				s := providertest.New(t, providertest.Config{Window: 4000, Lenient: true, Env: &env.Env{Clock: env.NewFakeClock(t0)},
					Script: providertest.Script(t, "turns: [{calls: [{tool: look, args: {x: 1}}]}, {text: '"+strings.Repeat("words ", 300)+"'}]\n")})
				store := &memory.Store{}
				look := &fake{name: "look", call: func(context.Context, json.RawMessage) (tool.Result, error) {
					return tool.Text(strings.Repeat("data ", 200)), nil
				}}
				a := newAgent(t, agent.Config{Model: s.Model(d), Store: store, Tools: []tool.Tool{look}, Request: cfg})
				for i := range 30 {
					e := stop(t, turn(t, a, "s", fmt.Sprintf("question %d", i)))
					if e.Stop.Reason != "end" {
						t.Fatalf("turn %d: %+v", i+1, e.Stop)
					}
				}
				log := readLog(t, store, "s")
				if n := len(only(log, session.Compacted)); n < 2 && name != "chain" {
					t.Errorf("%d compactions", n)
				}
				if _, losses := wire.Repair(view(t, store, "s").Messages, 0); len(losses) > 0 {
					t.Errorf("got %v", losses)
				}
			})
		}
	}
}

// A session of 10,000 steps takes no more memory at its end than at its beginning.
func TestLongSessionIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 steps")
	}
	store, err := jsonl.Open(jsonl.Config{Dir: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	m := &speaker{told: 8000, window: 8000}
	m.say = func(n int, _ string) ([]wire.Event, error) {
		m.bodies[n-1] = ""
		clear(m.summaries)
		return []wire.Event{call("look", fmt.Sprintf(`{"n":%d}`, n))}, nil
	}
	look := &fake{name: "look", call: func(_ context.Context, args json.RawMessage) (tool.Result, error) {
		return tool.Text(strings.Repeat("seen ", 40) + string(args)), nil
	}}
	a := newAgent(t, agent.Config{Model: m, Store: store, Tools: []tool.Tool{look}, Limits: agent.Limits{Steps: 10_000}})
	var early, late runtime.MemStats
	heap := func(s *runtime.MemStats) { runtime.GC(); runtime.ReadMemStats(s) }
	longest := 0
	for e, err := range a.Run(t.Context(), "s", agent.Text("THE REQUEST")) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == session.Requested {
			longest = max(longest, e.Request.Bytes)
		}
		if e.Kind == session.Answer && e.Step == 1000 {
			heap(&early)
		}
	}
	heap(&late)
	diff(t, "steps", len(m.bodies), 10_000)
	if grown := int64(late.HeapAlloc) - int64(early.HeapAlloc); grown > 8<<20 || longest > 64<<10 || m.refusals > 0 {
		t.Errorf("the heap grew by %d bytes; the longest request has %d bytes; %d refusals", grown, longest, m.refusals)
	}
	v, err := session.Fold(readLog(t, store, "s"))
	if err != nil || len(v.Messages) > 400 {
		t.Errorf("%d messages, %v", len(v.Messages), err)
	}
}

// A provider that keeps the conversation is sent it anew when it was made shorter.
func TestShorterChain(t *testing.T) {
	script := "turns:\n"
	for i := range 10 {
		script += fmt.Sprintf("  - calls: [{tool: big, args: {x: %d}}]\n  - text: seen\n", i)
	}
	s := providertest.New(t, providertest.Config{Script: providertest.Script(t, script)})
	big := &fake{name: "big", call: func(_ context.Context, args json.RawMessage) (tool.Result, error) {
		return tool.Text(strings.Repeat("data ", 1600) + string(args)), nil
	}}
	a := newAgent(t, agent.Config{Model: s.Model(openairesponses.Dialect), Tools: []tool.Tool{big}, Request: agent.Request{Chain: true},
		Compaction: agent.Compaction{Window: 12_000, Reserve: -1, Keep: 2000}})
	var log []session.Event
	for range 10 {
		log = append(log, turn(t, a, "s", "go")...)
	}
	n, shorter, cuts := 0, false, 0
	for _, e := range log {
		switch e.Kind {
		case session.Pruned:
			shorter = true
			cuts++
		case session.Requested:
			body := string(s.Requests()[n].Body)
			if chained := strings.Contains(body, `"previous_response_id"`); chained != (n > 0 && !shorter) {
				t.Errorf("request %d: continues a response: %v; the history is another: %v", n+1, chained, shorter)
			}
			n++
			shorter = false
		}
	}
	if cuts == 0 {
		t.Error("nothing was cut")
	}
}
