package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/source/clock"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openairesponses"
)

// C87: the body of a preview is the body that the server receives.
func TestPreviewIsWhatIsSent(t *testing.T) {
	for name, noStream := range map[string]bool{"streaming": false, "not streaming": true} {
		t.Run(name, func(t *testing.T) {
			e := serve(t, func(w http.ResponseWriter, _ int) {
				if noStream {
					w.Header().Set("Content-Type", "application/json")
					io.WriteString(w, whole)
					return
				}
				io.WriteString(w, streamed)
			})
			c := env.NewFakeClock(t0)
			reg := registry.New()
			if _, err := reg.Global().Dynamic(prompt.SectionDef{Name: "date", Channel: prompt.Context}, clock.New(clock.Config{Env: &env.Env{Clock: c}})); err != nil {
				t.Fatal(err)
			}
			previews := 0
			if _, err := reg.Global().Dynamic(prompt.SectionDef{Name: "asks"}, source.Func(func(_ context.Context, q source.Query) (prompt.Fact, error) {
				if q.Preview {
					previews++
				}
				return prompt.Fact{Text: q.Who.User}, nil
			})); err != nil {
				t.Fatal(err)
			}
			a := newAgent(t, agent.Config{Model: at(e.URL), System: "Be {{terse}}. 世界 </x>", Instructions: "Do it.", Registry: reg, Tools: []tool.Tool{&fake{name: "b"}, &fake{name: "a"}},
				Request: agent.Request{Options: wire.Options{NoStream: noStream}}})
			for _, text := range []string{"one", "two \x01\u2028", "three\xff"} {
				in := agent.Input{Text: text, Who: prompt.Who{User: "ada"}}
				p, err := a.Preview(t.Context(), "s", in)
				if err != nil {
					t.Fatal(err)
				}
				var request *session.Request
				for ev, err := range a.Run(t.Context(), "s", in) {
					if err != nil {
						t.Fatal(err)
					}
					if ev.Kind == session.Requested {
						request = ev.Request
					}
				}
				diff(t, text, string(p.Body.JSON), e.received[len(e.received)-1])
				diff(t, "size", request.Bytes, len(p.Body.JSON))
				if !strings.Contains(e.received[0], `"stream":true`) != noStream {
					t.Errorf("streaming is not as asked: %s", e.received[0])
				}
				c.Advance(1e9)
			}
			diff(t, "previews that sources were told of", previews, 3)
		})
	}
}

// A preview writes nothing: not to the store, not through the environment, and
// it leaves no trace in the session.
func TestPreviewWritesNothing(t *testing.T) {
	counters := &env.Counters{}
	e := &env.Env{Clock: env.NewFakeClock(t0), Count: counters}
	dir := t.TempDir()
	store, err := jsonl.Open(jsonl.Config{Dir: dir, Env: e})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	a := newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]"), Store: store, Env: e})
	turn(t, a, "old", "hi")
	before := counters.Load()
	for _, id := range []string{"old", "new"} {
		for range 3 {
			if _, err := a.Preview(t.Context(), id, agent.Text("x")); err != nil {
				t.Fatal(err)
			}
		}
	}
	did := counters.Load().Sub(before)
	if did.Writes != 0 || did.Syncs != 0 || did.Processes != 0 {
		t.Errorf("a preview wrote: %+v", did)
	}
	if list, err := store.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("%v: sessions %v", err, list)
	}

	// With a disk on which every effect that changes something fails.
	fails := &env.Env{Clock: env.NewFakeClock(t0), Fail: &env.Failpoints{At: 1, After: true, Only: []env.Effect{
		env.EffectWrite, env.EffectSync, env.EffectTruncate, env.EffectRename, env.EffectRemove, env.EffectMkdir, env.EffectNetwork, env.EffectProcess, env.EffectLock}}}
	a = newAgent(t, agent.Config{Model: script(t, "turns: [{text: ok}]"), Env: fails, Store: &brokenStore{}})
	if _, err := a.Preview(t.Context(), "s", agent.Text("x")); err != nil {
		t.Errorf("got %v", err)
	}
	if _, err := run(t.Context(), a, "s", "x"); !errors.Is(err, errDisk) {
		t.Errorf("the store of this test does not fail: %v", err)
	}
}

// prepared returns a store with a session that a crash left with open calls: c1
// has a result, c2 began, c3 did not.
func prepared(t testing.TB) *memory.Store {
	t.Helper()
	store := &memory.Store{}
	in := chat.UserText("go", nil)
	answer := chat.Message{Role: chat.Assistant}
	for _, id := range []string{"c1", "c2", "c3"} {
		answer.Parts = append(answer.Parts, chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: id, Name: "x", Args: []byte("{}")}})
	}
	result := chat.ResultMessage(chat.ToolResult{ID: "c1", Name: "x"})
	events := []session.Event{
		{Kind: session.Start}, {Kind: session.Input, Turn: 1, Message: &in}, {Kind: session.Requested, Turn: 1, Step: 1, Request: &session.Request{}},
		{Kind: session.Answer, Turn: 1, Step: 1, Message: &answer, Stop: &session.Stop{Reason: "tools"}},
		{Kind: session.Call, Turn: 1, Step: 1, Call: answer.Parts[0].Call}, {Kind: session.Result, Turn: 1, Step: 1, Message: &result},
		{Kind: session.Call, Turn: 1, Step: 1, Call: answer.Parts[1].Call},
	}
	for i := range events {
		events[i].Seq, events[i].Time = uint64(i+1), t0
	}
	if err := store.Append(t.Context(), "s", 0, events...); err != nil {
		t.Fatal(err)
	}
	return store
}

// Calls that a crash left open are settled, not run again; the preview shows the
// request that will be sent.
func TestCrashWithOpenCalls(t *testing.T) {
	store, f := prepared(t), &fake{name: "x"}
	model := &recorder{Model: script(t, "turns: [{text: ok}]")}
	a := newAgent(t, agent.Config{Model: model, Store: store, Tools: []tool.Tool{f}})
	p, err := a.Preview(t.Context(), "s", agent.Text("go on"))
	if err != nil {
		t.Fatal(err)
	}
	events := turn(t, a, "s", "go on")
	diff(t, "results", results(events), []string{"!c2: interrupted, outcome unknown: the tool was started and was not run again", "!c3: not run: the turn was interrupted before this call"})
	diff(t, "events", kinds(events), "tool.result tool.result diagnostic input diagnostic prefix request answer stop")
	diff(t, "runs", int(f.ran.Load()), 0)
	if d := events[2].Diagnostic; d.Code != agent.CodeUnknown || !strings.Contains(d.Message, "x was started before the last run ended") {
		t.Errorf("a person is told %v", d)
	}
	diff(t, "the preview", string(p.Body.JSON), model.last())
	readLog(t, store, "s")
	if p.Turn != 2 || p.Step.Step != 1 {
		t.Errorf("the preview is of turn %d, step %d", p.Turn, p.Step.Step)
	}
}

// Another process that continues a session sends the same prefix.
func TestResume(t *testing.T) {
	dir := t.TempDir()
	bodies := func(restart bool) []string {
		reg := func() *registry.Registry {
			r := registry.New()
			if _, err := r.Global().Dynamic(prompt.SectionDef{Name: "date", Channel: prompt.Context}, source.Text("Friday")); err != nil {
				t.Fatal(err)
			}
			return r
		}
		id := map[bool]string{true: "a", false: "b"}[restart]
		var out []string
		var store *jsonl.Store
		var a *agent.Agent
		model := &recorder{Model: script(t, "{by: conversation, turns: [{calls: [{tool: x, id: c1}]}, {text: one}, {text: two}, {text: three}]}")}
		for i, text := range []string{"first", "second", "third"} {
			if i == 0 || restart {
				if store != nil {
					store.Close()
				}
				var err error
				if store, err = jsonl.Open(jsonl.Config{Dir: dir, NoSync: true}); err != nil {
					t.Fatal(err)
				}
				a = newAgent(t, agent.Config{Model: model, System: "Base.", Store: store, Registry: reg(), Tools: []tool.Tool{&fake{name: "x"}}})
			}
			turn(t, a, id, text)
		}
		store.Close()
		out = append(out, model.bodies...)
		return out
	}
	whole, resumed := bodies(false), bodies(true)
	diff(t, "requests", resumed, whole)
	for i := 1; i < len(whole); i++ {
		if a, b := messages(t, whole[i-1]), messages(t, whole[i]); !strings.HasPrefix(strings.Join(b, "\n"), strings.Join(a, "\n")) {
			t.Errorf("request %d does not begin with the one before:\n%v\n%v", i, a, b)
		}
	}
	if n := strings.Count(whole[len(whole)-1], "Friday"); n != 1 {
		t.Errorf("the context is told %d times", n)
	}
}

// messages returns the messages of a body, each as JSON.
func messages(t testing.TB, body string) []string {
	t.Helper()
	var b struct{ Messages []json.RawMessage }
	if err := json.Unmarshal([]byte(body), &b); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, m := range b.Messages {
		out = append(out, string(m))
	}
	return out
}

// C47: time does not move the prefix; a new day is told once, behind the history.
func TestTimeDoesNotMoveThePrefix(t *testing.T) {
	c := env.NewFakeClock(t0)
	e := &env.Env{Clock: c}
	reg := registry.New()
	if _, err := reg.Global().Dynamic(prompt.SectionDef{Name: "date", Channel: prompt.Context, Class: prompt.Turn}, clock.New(clock.Config{Env: e})); err != nil {
		t.Fatal(err)
	}
	model := &recorder{Model: script(t, "turns: [{text: ok}]")}
	a := newAgent(t, agent.Config{Model: model, System: "R", Registry: reg, Env: e})
	var told []int
	for _, at := range []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:06Z", "2026-01-02T04:04:06Z", "2026-01-03T00:00:01Z", "2026-01-03T00:00:02Z"} {
		now, err := parse(at)
		if err != nil {
			t.Fatal(err)
		}
		c.Set(now)
		turn(t, a, "s", "at "+at)
		told = append(told, strings.Count(model.last(), "[context: date"))
	}
	diff(t, "contexts told so far", told, []int{1, 1, 1, 2, 2})
	for i := 1; i < len(model.bodies); i++ {
		was, now := messages(t, model.bodies[i-1]), messages(t, model.bodies[i])
		diff(t, "prefix", now[:len(was)], was)
	}
	first := messages(t, model.bodies[0])
	if len(first) != 3 || strings.Contains(first[0], "2026") || !strings.Contains(first[2], "2026-01-02") {
		t.Errorf("got %v", first)
	}
	if last := messages(t, model.bodies[3]); !strings.Contains(last[len(last)-1], "2026-01-03") || !strings.Contains(last[len(last)-1], "in place of the earlier one") {
		t.Errorf("got %v", last[len(last)-1])
	}
}

// What Preview shows is what is sent, also where the prefix is made anew after
// changes were told, and where the provider keeps the conversation.
func TestPreviewOfKept(t *testing.T) {
	for name, request := range map[string]agent.Request{"whole": {}, "chain": {Chain: true}} {
		s := providertest.New(t, providertest.Config{Script: providertest.Script(t, "turns: [{text: ok}]")})
		reg := registry.New()
		status := "one"
		_, err := reg.Global().Dynamic(prompt.SectionDef{Name: "status"}, source.Func(func(context.Context, source.Query) (prompt.Fact, error) {
			return prompt.Fact{Text: status}, nil
		}))
		filetest.Must(t, err)
		a := newAgent(t, agent.Config{Model: s.Model(openairesponses.Dialect), System: "BASE", Registry: reg, Request: request})
		for i, in := range []agent.Input{{Text: "first"}, {Text: "told"}, {Text: "fresh", FreshPrefix: true}, {Text: "as before"}, {Text: "other", ModelName: "other"}} {
			if i == 1 {
				status = "two"
			}
			p, err := a.Preview(t.Context(), "s", in)
			filetest.Must(t, err)
			for _, err := range a.Run(t.Context(), "s", in) {
				filetest.Must(t, err)
			}
			if d := cmp.Diff(string(p.Body.JSON), string(s.Requests()[i].Body)); d != "" {
				t.Errorf("%s, %s (-preview +sent):\n%s", name, in.Text, d)
			}
			if i == 2 && !strings.Contains(string(p.Body.JSON), `"instructions":"two\n\nBASE`) {
				t.Errorf("%s: the prefix is not fresh: %s", name, p.Body.JSON)
			}
		}
	}
}
