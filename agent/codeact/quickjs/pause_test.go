package quickjs_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/codeact"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/tool/ask"
	"github.com/proemhq/proem/tool/fs"
	"github.com/proemhq/proem/tool/permit"
)

// guarded returns an agent whose code may read and must ask to write.
func guarded(t testing.TB, dir string, store session.Store, ran *atomic.Int32, answers ...string) *agent.Agent {
	t.Helper()
	policy, err := permit.New(permit.Config{Roots: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	return newAgent(t, agent.Config{Model: says(t, answers...), Store: store, Permissions: &agent.Permissions{Policy: policy},
		Tools: append(fs.All(fs.Config{Roots: []string{dir}}), ask.New(nil), weather(ran, 0))}, codeact.Runtime{ReAct: true})
}

const writing = `
	const w = await weather({city: "Oslo"});
	console.log(Date.now(), Math.random());
	const [a, b] = await Promise.allSettled([
		write_file({path: "one.txt", content: String(w.celsius)}),
		write_file({path: "two.txt", content: "2"}),
	]);
	const who = await ask_user({question: "For whom?"});
	return [a.status, b.status, b.reason && b.reason.message.slice(0, 34), who]`

func asked(t testing.TB, a *agent.Agent) session.Ask {
	t.Helper()
	list, err := a.Asked(t.Context(), "s")
	if err != nil || len(list) != 1 {
		t.Fatalf("asked %+v, %v", list, err)
	}
	return list[0]
}

// Each time the code pauses, another process goes on with it. No call is made
// twice.
func TestPauses(t *testing.T) {
	dir, logs := workdir(t), t.TempDir()
	var ran atomic.Int32
	var store *jsonl.Store
	fresh := func(answers ...string) *agent.Agent {
		if store != nil {
			if err := store.Close(); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if store, err = jsonl.Open(jsonl.Config{Dir: logs}); err != nil {
			t.Fatal(err)
		}
		return guarded(t, dir, store, &ran, answers...)
	}
	defer func() { store.Close() }()

	a := fresh(code(writing))
	events, _ := turn(t, a, agent.Text("go"))
	diff(t, "first run", kinds(events), "session.start input prefix request answer code code.calls tool.call tool.result code.calls ask stop")
	diff(t, "stop", reason(events), agent.StopAsks)
	q := asked(t, a)
	diff(t, "asked", q.Tool+" "+q.Call, "write_file code-1-1-2")
	if exists(filepath.Join(dir, "one.txt")) {
		t.Fatal("it was written before anybody answered")
	}

	a = fresh(code(writing))
	events, _ = turn(t, a, agent.Input{Replies: []session.Reply{{Call: q.Call, Digest: q.Digest, Verdict: "once"}}})
	diff(t, "second run", kinds(events), "reply tool.call tool.result ask stop")
	if b, err := os.ReadFile(filepath.Join(dir, "one.txt")); err != nil || string(b) != "4" {
		t.Errorf("one.txt: %q, %v", b, err)
	}
	if err := os.Remove(filepath.Join(dir, "one.txt")); err != nil {
		t.Fatal(err)
	}

	a = fresh(code(writing))
	q = asked(t, a)
	events, _ = turn(t, a, agent.Input{Replies: []session.Reply{{Call: q.Call, Digest: q.Digest, Verdict: "deny"}}})
	diff(t, "third run", kinds(events), "reply tool.result code.calls tool.call ask stop")

	a = fresh(final("done"))
	q = asked(t, a)
	diff(t, "question", q.Text, "For whom?")
	events, answer := turn(t, a, agent.Input{Replies: []session.Reply{{Call: q.Call, Text: "for me"}}})
	diff(t, "fourth run", kinds(events), "reply tool.result code.result request answer stop")
	diff(t, "answer", answer, "done")
	got := told(events, session.RanResult)[0]
	if !strings.Contains(got, `["fulfilled","rejected","Not run: a person refused it.`) || !strings.Contains(got, "for me") {
		t.Errorf("told %s", got)
	}
	diff(t, "the weather was looked at", ran.Load(), int32(1))
	if exists(filepath.Join(dir, "one.txt")) || exists(filepath.Join(dir, "two.txt")) {
		t.Error("a call was made twice, or one that was refused")
	}
	v := folded(t, store)
	diff(t, "messages", len(v.Messages), 4)
}

// Somebody who does not answer but asks something else ends the code.
func TestPausedAndLeft(t *testing.T) {
	dir := workdir(t)
	store := &memory.Store{}
	var ran atomic.Int32
	a := guarded(t, dir, store, &ran, code(writing), final("other"))
	turn(t, a, agent.Text("go"))
	if _, err := a.Preview(t.Context(), "s", agent.Text("something else")); err != nil {
		t.Fatal(err)
	}
	events, answer := turn(t, a, agent.Text("something else"))
	diff(t, "answer", answer, "other")
	diff(t, "events", kinds(events), "tool.result tool.result code.result input request answer stop")
	if got := told(events, session.RanResult)[0]; !strings.Contains(got, "It made 3 calls, of which 2 failed") {
		t.Errorf("told %q", got)
	}
	folded(t, store)
}

// A log that ends anywhere, as after a crash, can be continued; nothing is run
// twice.
func TestEndsAnywhere(t *testing.T) {
	dir := workdir(t)
	whole := &memory.Store{}
	var ran atomic.Int32
	source := `await Promise.all([weather({city: "a"}), weather({city: "b"})]); await weather({city: "c"}); return 1`
	turn(t, guarded(t, dir, whole, &ran, code(source), final("x")), agent.Text("go"))
	n := folded(t, whole).Seq
	for at := uint64(1); at <= n; at++ {
		ctx := context.Background()
		store := &memory.Store{}
		var events []session.Event
		for e, err := range whole.Events(ctx, "s") {
			if err != nil {
				t.Fatal(err)
			}
			if e.Seq <= at {
				events = append(events, e)
			}
		}
		if err := store.Append(ctx, "s", 0, events...); err != nil {
			t.Fatal(err)
		}
		before := ran.Load()
		if _, answer := turn(t, guarded(t, dir, store, &ran, final("y")), agent.Text("go on")); answer != "y" {
			t.Errorf("after event %d: %q", at, answer)
		}
		if ran.Load() != before {
			t.Errorf("after event %d tools ran again", at)
		}
		folded(t, store)
	}
}
