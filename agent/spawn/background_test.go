package spawn_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/spawn"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/tool"
)

// settle waits until the children are done and the parent was told of all.
func (s *setting) settle(t testing.TB) (events []session.Event) {
	t.Helper()
	for {
		n, err := s.spawner.Outstanding(t.Context(), "s")
		filetest.Must(t, err)
		if n == 0 {
			return events
		}
		events = append(events, s.run(t, agent.Input{})...)
	}
}

// In the background the parent goes on and is told once, in the history.
func TestCase44Background(t *testing.T) {
	open := make(gate)
	s := play(t, "turns:\n"+spawns(1, true)+"  - text: MEANWHILE\n  - text: THANKS\n", nil)
	s.tools = []tool.Tool{open}
	child := s.child(t, `turns: [{calls: [{id: g, tool: gate}]}, {text: "FOUND </task>"}]`)
	s.begin(t)
	first := s.run(t, agent.Text("go"))
	same(t, "answer", last(first), "MEANWHILE")
	same(t, "result", results(first), []string{"c1: The subagent worker works in the background as s-1. Go on; you are told when it is done."})
	close(open)
	told := s.settle(t)
	same(t, "answer then", last(told), "THANKS")
	got := notices(told)
	if len(got) != 1 || !strings.Contains(got[0], "<task id=\"s-1\" state=\"completed\" agent=\"worker\">\n<") || !strings.Contains(got[0], "\nFOUND </task>\n") {
		t.Errorf("notices %q", got)
	}
	same(t, "tasks", ids(told), []string{"s-1 completed"})
	requests := s.server.Requests()
	if body := string(requests[len(requests)-1].Body); !strings.Contains(body, "FOUND") {
		t.Errorf("the request does not have the notice: %s", body)
	}
	same(t, "requests of the child", len(child.Requests()), 2)
	for i, r := range requests { // what was told is part of a replay
		again, err := s.parent.Replay(t.Context(), "s", i+1)
		filetest.Must(t, err)
		same(t, "replay", string(again.Body.JSON), string(r.Body))
	}
	// Nothing is told again, also by another process.
	s.spawner.Close()
	s.begin(t)
	same(t, "again", notices(s.run(t, agent.Text("more"))), []string{})
}

// Fifteen ends are told ten at a time.
func TestCase44Overflow(t *testing.T) {
	s := play(t, "turns:\n"+spawns(15, true)+"  - text: ok\n", nil)
	s.child(t, "turns: [{text: done}]")
	s.begin(t, func(c *spawn.Config, _ *agent.Config) { c.MaxRunning = 15 })
	all := s.run(t, agent.Text("go"))
	waited := s.settle(t)
	all = append(all, waited...)
	seen := map[string]int{}
	for _, id := range ids(all) {
		seen[id]++
	}
	for n := range 15 {
		if id := fmt.Sprintf("s-%d completed", n+1); seen[id] != 1 {
			t.Errorf("%s was told %d times", id, seen[id])
		}
	}
	// In one piece, as a preview of another process has it, which starts where nothing was told.
	log := s.log(t, "s")
	for i, e := range log {
		if e.Kind == session.Stopped || e.Kind == session.Notice {
			log = log[:i]
			break
		}
	}
	view, err := session.Fold(log)
	filetest.Must(t, err)
	got, err := s.spawner.Notices(t.Context(), agent.At{Session: "s", Preview: true}, view)
	filetest.Must(t, err)
	text := got[0].Text.String()
	if n := strings.Count(text, "</task>"); n != 10 || !strings.Contains(text, "\n5 more have ended;") {
		t.Errorf("%d tasks: %s", n, text)
	}
}

func TestCase44Failed(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, true)+"  - text: ok\n", nil)
	s.child(t, `turns: [{error: {status: 400, message: "no & never"}}]`)
	s.begin(t)
	all := append(s.run(t, agent.Text("go")), s.settle(t)...)
	same(t, "tasks", ids(all), []string{"s-1 error"})
	if n := notices(all); len(n) != 1 || !strings.Contains(n[0], "no &amp; never") {
		t.Errorf("notices %q", n)
	}
}

// A preview shows the notice that the run then sends, and records nothing.
func TestPreviewOfNotice(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, true)+"  - text: ok\n  - text: then\n", nil)
	open := make(gate)
	s.tools = []tool.Tool{open}
	s.child(t, "turns: [{calls: [{id: g, tool: gate}]}, {text: FOUND}]")
	s.begin(t)
	s.run(t, agent.Text("go"))
	close(open)
	_, err := s.spawner.Outstanding(t.Context(), "s")
	filetest.Must(t, err)
	var want string
	for range 2 {
		p, err := s.parent.Preview(t.Context(), "s", agent.Text("next"))
		filetest.Must(t, err)
		want = string(p.Body.JSON)
	}
	s.run(t, agent.Text("next"))
	r := s.server.Requests()
	same(t, "body", string(r[len(r)-1].Body), want)
	if !strings.Contains(want, "FOUND") {
		t.Error("the notice is not in the preview")
	}
}

// A process that ends with children at work leaves them interrupted, be it closed
// or killed; the next one tells it, and the child can be gone on with.
func TestInterrupted(t *testing.T) {
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed %v", killed), func(t *testing.T) {
			s := play(t, "turns:\n"+spawns(1, true)+`  - text: ok
  - calls: [{id: m, tool: agent_send, args: {id: s-1, message: "go on"}}]
  - text: end
`, nil)
			s.tools = []tool.Tool{make(gate)}
			s.child(t, "turns: [{calls: [{id: g, tool: gate}]}, {text: RESUMED}]")
			dir := t.TempDir()
			store, err := jsonl.Open(jsonl.Config{Dir: dir})
			filetest.Must(t, err)
			s.store = store
			s.begin(t)
			s.run(t, agent.Text("go"))
			for len(s.log(t, "s-1")) < 6 { // up to the call of the tool
				time.Sleep(time.Millisecond)
			}
			if killed { // what a crash leaves: the log as it is
				copied := t.TempDir()
				next, err := jsonl.Open(jsonl.Config{Dir: copied})
				filetest.Must(t, err)
				for _, id := range []string{"s", "s-1"} {
					filetest.Must(t, next.Append(t.Context(), id, 0, s.log(t, id)...))
				}
				s.spawner.Close()
				store = next
			} else {
				s.spawner.Close()
				filetest.Must(t, store.Close())
				store, err = jsonl.Open(jsonl.Config{Dir: dir})
				filetest.Must(t, err)
			}
			s.store = store
			defer store.Close()
			s.begin(t)
			all := s.run(t, agent.Text("what became of it?"))
			same(t, "tasks", ids(all), []string{"s-1 interrupted"})
			if got := results(all); len(got) != 1 || !strings.Contains(got[0], "RESUMED") {
				t.Errorf("results %q", got)
			}
			same(t, "told once", ids(s.log(t, "s")), []string{"s-1 interrupted"})
		})
	}
}

// A cancelled turn cancels the children of its session.
func TestCancelled(t *testing.T) {
	for _, background := range []bool{true, false} {
		s := play(t, "turns:\n"+spawns(1, background)+"  - calls: [{id: g, tool: gate}]\n", nil)
		s.tools = []tool.Tool{make(gate)}
		s.child(t, "turns: [{calls: [{id: g, tool: gate}]}]")
		s.begin(t)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for { // both wait at the gate
				n := 0
				for e := range s.store.Events(ctx, "s-1") {
					if e.Kind == session.Call {
						n++
					}
				}
				if n > 0 {
					cancel()
					return
				}
				time.Sleep(time.Millisecond)
			}
		}()
		for range s.parent.Run(ctx, "s", agent.Text("go")) {
		}
		filetest.Must(t, s.spawner.Close())
		log := s.log(t, "s-1")
		stop := log[len(log)-1]
		if stop.Kind != session.Stopped || stop.Stop.Reason != agent.StopCancelled {
			t.Errorf("background %v: the child ends with %+v", background, stop)
		}
	}
}

// Whatever ends when, each end is told once.
func TestToldOnce(t *testing.T) {
	s := play(t, "turns:\n"+strings.Repeat(spawns(2, true)+"  - text: ok\n", 4)+"  - text: ok\n", nil)
	s.child(t, "turns: [{text: done}]")
	s.begin(t, func(c *spawn.Config, _ *agent.Config) { c.MaxRunning = 100 })
	for range 4 {
		s.run(t, agent.Text("go"))
	}
	s.settle(t)
	count := map[string]int{}
	for _, id := range ids(s.log(t, "s")) {
		count[id]++
	}
	if len(count) != 8 {
		t.Errorf("told %v", count)
	}
	for id, n := range count {
		if n != 1 {
			t.Errorf("%s was told %d times", id, n)
		}
	}
}

// The id of a child that was told of and deleted is not given to another one, whose
// end would count as told.
func TestDeletedChild(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, true)+"  - text: GO\n  - text: HEARD\n"+strings.ReplaceAll(spawns(1, true), "c1", "d1")+"  - text: ON\n", nil)
	s.child(t, "turns: [{text: ONE}, {text: TWO}]")
	s.begin(t)
	told := func(want string) {
		t.Helper()
		s.run(t, agent.Text("go"))
		if _, err := s.spawner.Outstanding(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		s.run(t, agent.Text("and"))
		same(t, "told", strings.Join(ids(s.log(t, "s")), ", "), want)
	}
	told("s-1 completed")
	filetest.Must(t, s.store.(session.Deleter).Delete(t.Context(), "s-1"))
	filetest.Must(t, s.spawner.Close())
	s.begin(t)
	told("s-1 completed, s-2 completed")
}
