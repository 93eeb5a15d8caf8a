package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// asksSummary is a sentence of the request for a summary.
const asksSummary = "You condense a conversation"

// A speaker is a model with a window of real tokens: a request that is longer is
// refused as a provider would. say gets every other request.
type speaker struct {
	window    int  // of what it takes; 0: any
	told      int  // of what it says in its record; 0: it does not
	silent    bool // it reports no usage
	say       func(n int, body string) ([]wire.Event, error)
	summary   func(body string) ([]wire.Event, error) // nil: a short one
	bodies    []string                                // of the conversation
	summaries []string                                // those that ask for a summary
	refusals  int
}

func (s *speaker) Capability() wire.Capability {
	c := scripted.Capability()
	c.Window = s.told
	return c
}

func (s *speaker) Encode(prev *wire.Body, r wire.Request) (wire.Body, error) {
	return openaichat.Dialect.Encode(prev, r)
}

func (s *speaker) Send(_ context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		body := string(b.JSON)
		used := token.Estimate.Count(body)
		if s.window > 0 && used > s.window {
			s.refusals++
			yield(wire.Event{}, wire.ParseError(400, fmt.Appendf(nil, `{"error":{"code":"context_length_exceeded","message":"maximum context length is %d tokens, you sent %d"}}`, s.window, used)))
			return
		}
		var events []wire.Event
		var err error
		if strings.Contains(body, asksSummary) {
			s.summaries = append(s.summaries, body)
			if s.summary != nil {
				events, err = s.summary(body)
			} else {
				events = spoken(fmt.Sprintf("SUMMARY %d", len(s.summaries)))
			}
		} else {
			s.bodies = append(s.bodies, body)
			events, err = s.say(len(s.bodies), body)
		}
		if err != nil {
			yield(wire.Event{}, err)
			return
		}
		out := 0
		for _, e := range events {
			out += token.Estimate.Count(e.Text)
		}
		if !s.silent {
			events = append(events, wire.Event{Kind: wire.UsageReport, Usage: &wire.Usage{Input: &used, Output: &out}})
		}
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (s *speaker) last() string { return s.bodies[len(s.bodies)-1] }

func spoken(text string) []wire.Event { return []wire.Event{{Kind: wire.TextDelta, Text: text}} }

// echo answers with a text of so many bytes.
func echo(n int) func(int, string) ([]wire.Event, error) {
	return func(k int, _ string) ([]wire.Event, error) {
		return spoken(fmt.Sprintf("ANSWER %d %s", k, strings.Repeat("words ", n/6))), nil
	}
}

// only returns the events of a kind.
func only(events []session.Event, k session.Kind) (out []session.Event) {
	for _, e := range events {
		if e.Kind == k {
			out = append(out, e)
		}
	}
	return out
}

func codes(events []session.Event) (out []string) {
	for _, e := range only(events, session.Diagnostic) {
		out = append(out, e.Diagnostic.Code)
	}
	return out
}

// view returns the view of a session, read again from its log.
func view(t testing.TB, s session.Store, id string) session.View {
	t.Helper()
	v, err := session.Fold(readLog(t, s, id))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// The beginning is replaced by a summary, an earlier summary is carried on, and
// what stays stays word for word (reference-agentscope 49).
func TestCompactByHand(t *testing.T) {
	m, store := &speaker{say: echo(6000)}, &memory.Store{}
	a := newAgent(t, agent.Config{Model: m, Store: store, System: "SYSTEM TEXT", Instructions: "INSTRUCTIONS", Compaction: agent.Compaction{Keep: 1800}})
	for i := range 4 {
		turn(t, a, "s", fmt.Sprintf("QUESTION %d", i+1))
	}
	events, err := a.Compact(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "events", kinds(events), "compacted")
	c := events[0]
	if c.Usage == nil || c.Request == nil || c.Compaction.Before <= c.Compaction.After || c.Turn != 4 {
		t.Errorf("got %+v", c)
	}
	for _, want := range []string{"QUESTION 1", "ANSWER 1", "QUESTION 3"} {
		if !strings.Contains(m.summaries[0], want) {
			t.Errorf("%q is not in the text to summarise", want)
		}
	}
	for _, no := range []string{"SYSTEM TEXT", "INSTRUCTIONS", "ANSWER 4", `"tools"`} {
		if strings.Contains(m.summaries[0], no) {
			t.Errorf("%q is in the request for the summary", no)
		}
	}
	turn(t, a, "s", "QUESTION 5")
	for _, want := range []string{"SUMMARY 1", "QUESTION 4", "ANSWER 4", "QUESTION 5", "SYSTEM TEXT"} {
		if strings.Count(m.last(), want) != 1 {
			t.Errorf("%q is %d times in the next request", want, strings.Count(m.last(), want))
		}
	}
	if strings.Contains(m.last(), "QUESTION 3") {
		t.Error("what was summarised is sent all the same")
	}
	turn(t, a, "s", "QUESTION 6")
	if events, err = a.Compact(t.Context(), "s"); err != nil || kinds(events) != "compacted" {
		t.Fatalf("got %s, %v", kinds(events), err)
	}
	if s := m.summaries[1]; !strings.Contains(s, "[earlier summary]") || !strings.Contains(s, "SUMMARY 1") || !strings.Contains(s, "ANSWER 4") || strings.Contains(s, "QUESTION 1") {
		t.Errorf("the second summary is not made of the first and what came since:\n%s", s)
	}
	v := view(t, store, "s")
	diff(t, "spent", v.Spent.Answers, 2) // of the last turn: its answer and the summary
	if first := v.Messages[0]; first.Name != agent.SummaryName || !strings.Contains(first.Text().String(), "SUMMARY 2") || strings.Contains(first.Text().String(), "SUMMARY 1") {
		t.Errorf("the history begins with %q", first.Text())
	}
	// The same agent, and another that reads the log, send the same.
	p, err := a.Preview(t.Context(), "s", agent.Text("more"))
	if err != nil {
		t.Fatal(err)
	}
	q, err := newAgentLike(t, a, m, store).Preview(t.Context(), "s", agent.Text("more"))
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "after a resume", string(q.Body.JSON), string(p.Body.JSON))
	if events, err := a.Compact(t.Context(), "s"); err != nil || len(events) > 0 {
		t.Errorf("nothing new: got %s, %v", kinds(events), err)
	}
}

func newAgentLike(t *testing.T, _ *agent.Agent, m *speaker, store session.Store) *agent.Agent {
	return newAgent(t, agent.Config{Model: m, Store: store, System: "SYSTEM TEXT", Instructions: "INSTRUCTIONS"})
}

// A summary that fails, is empty or refused changes nothing but a diagnostic
// (reference-agentscope 53a), and the turn goes on.
func TestSummaryFails(t *testing.T) {
	for name, summary := range map[string]func(string) ([]wire.Event, error){
		"error": func(string) ([]wire.Event, error) {
			return nil, &wire.APIError{Kind: wire.ServerError, Message: "broken"}
		},
		"empty":  func(string) ([]wire.Event, error) { return spoken(" \n"), nil },
		"a call": func(string) ([]wire.Event, error) { return []wire.Event{call("x", "{}")}, nil },
		"refused": func(string) ([]wire.Event, error) {
			return append(spoken("no"), wire.Event{Kind: wire.Stop, Stop: wire.StopRefusal}), nil
		},
		"longer": func(string) ([]wire.Event, error) { return spoken(strings.Repeat("much more ", 20_000)), nil },
	} {
		t.Run(name, func(t *testing.T) {
			m, store := &speaker{told: 4000, say: echo(6000), summary: summary}, &memory.Store{}
			a := newAgent(t, agent.Config{Model: m, Store: store, Request: agent.Request{Options: wire.Options{MaxOutputTokens: 400}}})
			var events []session.Event
			for i := range 6 {
				events = append(events, turn(t, a, "s", fmt.Sprintf("QUESTION %d", i+1))...)
			}
			if len(only(events, session.Compacted)) > 0 || len(m.summaries) == 0 {
				t.Fatalf("%d summaries were asked for; events %s", len(m.summaries), kinds(events))
			}
			diff(t, "diagnostics", codes(events)[0], "compaction.failed")
			for i := range 6 {
				if !strings.Contains(m.last(), fmt.Sprintf("QUESTION %d", i+1)) {
					t.Errorf("question %d is gone", i+1)
				}
			}
			view(t, store, "s")
		})
	}
}

// An interrupt during the summary ends the turn: the model is not called
// (reference-agentscope 50).
func TestSummaryInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	store := &memory.Store{}
	m := &speaker{told: 4000, say: echo(6000), summary: func(string) ([]wire.Event, error) { cancel(); return nil, context.Canceled }}
	a := newAgent(t, agent.Config{Model: m, Store: store, Request: agent.Request{Options: wire.Options{MaxOutputTokens: 400}}})
	for range 9 {
		if _, err := run(ctx, a, "s", "go"); err != nil {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			break
		}
	}
	log := readLog(t, store, "s")
	if e := stop(t, log); e.Stop.Reason != agent.StopCancelled || len(only(log, session.Compacted)) > 0 || len(m.summaries) != 1 {
		t.Errorf("got %+v, %s", e.Stop, kinds(log))
	}
	diff(t, "requests", len(only(log, session.Requested)), len(m.bodies))
}

// Cutting old results is enough: no summary is asked for, and the cuts stay
// (reference-agentscope 53b). They stay as well when a summary is wanted and fails.
func TestPruneFirst(t *testing.T) {
	big := &fake{name: "big", call: func(_ context.Context, args json.RawMessage) (tool.Result, error) {
		return tool.Text("BEGIN" + strings.Repeat(" data", 1600) + string(args)), nil
	}}
	m, store := &speaker{told: 12_000}, &memory.Store{}
	m.say = func(n int, _ string) ([]wire.Event, error) {
		if n%2 == 1 {
			return []wire.Event{call("big", fmt.Sprintf(`{"n":%d}`, n))}, nil
		}
		return spoken("seen"), nil
	}
	a := newAgent(t, agent.Config{Model: m, Store: store, Tools: []tool.Tool{big}, Compaction: agent.Compaction{Reserve: -1, Keep: 2000}})
	var events []session.Event
	for i := range 8 {
		events = append(events, turn(t, a, "s", fmt.Sprintf("QUESTION %d", i+1))...)
	}
	if cuts := only(events, session.Pruned); len(cuts) == 0 || len(m.summaries) > 0 {
		t.Fatalf("%d summaries; events %s", len(m.summaries), kinds(events))
	}
	if n := strings.Count(m.last(), "are left out here to make room"); n < 2 || !strings.Contains(m.last(), "BEGIN data") {
		t.Errorf("%d results were cut in the last request", n)
	}
	for i := range 8 {
		if !strings.Contains(m.last(), fmt.Sprintf("QUESTION %d", i+1)) {
			t.Errorf("question %d is gone", i+1)
		}
	}
	m.summary = func(string) ([]wire.Event, error) { return nil, errors.New("no") }
	before := len(readLog(t, store, "s"))
	if _, err := a.Compact(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	diff(t, "by hand", kinds(readLog(t, store, "s")[before:]), "pruned diagnostic")
	view(t, store, "s")
}

// A model that refuses a request as too long is asked once more with less; when
// that does not help either, the turn stops with a reason.
func TestContextTooLong(t *testing.T) {
	for name, stream := range map[string]bool{"streaming": false, "in one piece": true} {
		t.Run(name, func(t *testing.T) {
			m, store := &speaker{window: 6000, say: echo(6000)}, &memory.Store{}
			a := newAgent(t, agent.Config{Model: m, Store: store, Request: agent.Request{Options: wire.Options{NoStream: stream}}})
			var events []session.Event
			for i := range 12 {
				events = append(events, turn(t, a, "s", fmt.Sprintf("QUESTION %d", i+1))...)
			}
			if m.refusals != 1 || len(m.summaries) < 2 { // the refusal says how large the window is
				t.Errorf("%d refusals, %d summaries: %s", m.refusals, len(m.summaries), kinds(events))
			}
			diff(t, "answers", len(only(events, session.Answer)), 12)
			if !strings.Contains(m.last(), "QUESTION 12") || !strings.Contains(m.last(), "SUMMARY") {
				t.Error("the last request lacks something")
			}
		})
	}
	t.Run("nothing helps", func(t *testing.T) {
		m, store := &speaker{window: 2500, say: echo(3000)}, &memory.Store{}
		a := newAgent(t, agent.Config{Model: m, Store: store})
		for range 3 {
			turn(t, a, "s", "go")
		}
		e := stop(t, turn(t, a, "s", strings.Repeat("a very long question ", 1000)))
		if e.Stop.Reason != agent.StopContext || !strings.Contains(e.Stop.Message, "does not fit into the window of m") || m.refusals != 2 {
			t.Errorf("got %+v after %d refusals", e.Stop, m.refusals)
		}
		e = stop(t, turn(t, a, "s", "a short one"))
		diff(t, "afterwards", e.Stop.Reason, "end")
		view(t, store, "s")
	})
	t.Run("off", func(t *testing.T) {
		m := &speaker{window: 2500, told: 2500, say: echo(6000)}
		a := newAgent(t, agent.Config{Model: m, Compaction: agent.Compaction{Off: true}})
		var e session.Event
		for range 6 {
			e = stop(t, turn(t, a, "s", "go"))
		}
		if e.Stop.Reason != agent.StopContext || len(m.summaries) > 0 || !strings.Contains(e.Stop.Message, "compaction is off") {
			t.Errorf("got %+v", e.Stop)
		}
	})
	t.Run("then the fallback", func(t *testing.T) {
		small, large := &speaker{window: 2500, say: echo(3000)}, &speaker{say: echo(500)}
		a := newAgent(t, agent.Config{Model: small, Fallback: []agent.Alternative{{Model: large, Name: "large"}}})
		for range 6 {
			turn(t, a, "s", "go")
		}
		if len(large.bodies) > 0 || len(small.summaries) == 0 {
			t.Errorf("the fallback was asked %d times although a summary is enough", len(large.bodies))
		}
		events := turn(t, a, "s", strings.Repeat("a very long question ", 1000))
		diff(t, "asked", len(large.bodies), 1)
		diff(t, "stop", stop(t, events).Stop.Reason, "end")
	})
	t.Run("the newest result is too long", func(t *testing.T) {
		m := &speaker{window: 4000}
		m.say = func(n int, _ string) ([]wire.Event, error) {
			if n == 1 {
				return []wire.Event{call("big", "{}")}, nil
			}
			return spoken("seen"), nil
		}
		big := &fake{name: "big", call: func(context.Context, json.RawMessage) (tool.Result, error) {
			return tool.Text(strings.Repeat("data ", 100_000)), nil
		}}
		events := turn(t, newAgent(t, agent.Config{Model: m, Tools: []tool.Tool{big}}), "s", "go")
		diff(t, "events", kinds(events), "session.start input prefix request answer tool.call tool.result request pruned request answer stop")
	})
}

// It works within one turn, the request stays word for word, and the count of
// calls that repeat themselves goes on.
func TestCompactWithinATurn(t *testing.T) {
	m, store := &speaker{window: 4000, told: 4000}, &memory.Store{}
	m.say = func(n int, body string) ([]wire.Event, error) {
		if n > 60 {
			return []wire.Event{call("look", `{"same":1}`)}, nil
		}
		return []wire.Event{call("look", fmt.Sprintf(`{"n":%d}`, n))}, nil
	}
	look := &fake{name: "look", call: func(_ context.Context, args json.RawMessage) (tool.Result, error) {
		return tool.Text(strings.Repeat("seen ", 80) + string(args)), nil
	}}
	a := newAgent(t, agent.Config{Model: m, Store: store, Tools: []tool.Tool{look}, Limits: agent.Limits{Steps: 400, Repeats: 40}})
	events := turn(t, a, "s", "THE REQUEST, word for word")
	e := stop(t, events)
	compactions := only(events, session.Compacted)
	if e.Stop.Reason != agent.StopLoop || m.refusals != 0 || len(compactions) < 4 || compactions[len(compactions)-1].Step < 65 {
		t.Errorf("got %+v, %d refusals, %d compactions", e.Stop, m.refusals, len(compactions))
	}
	diff(t, "steps", len(only(events, session.Answer)), 60+40)
	for i, body := range m.bodies {
		if strings.Count(body, "THE REQUEST, word for word") != 1 {
			t.Fatalf("request %d has the user's words %d times", i+1, strings.Count(body, "THE REQUEST, word for word"))
		}
		head, _, _ := strings.Cut(body, `{"role":"user"`)
		first, _, _ := strings.Cut(m.bodies[0], `{"role":"user"`)
		if head != first || !strings.Contains(head, `"tools":`) {
			t.Fatalf("the prefix of request %d is another one", i+1)
		}
	}
	view(t, store, "s")
}

// What the summary takes counts towards the limits.
func TestSummaryCounts(t *testing.T) {
	m := &speaker{told: 4000, say: echo(6000)}
	huge := 1_000_000
	m.summary = func(string) ([]wire.Event, error) {
		return append(spoken("S"), wire.Event{Kind: wire.UsageReport, Usage: &wire.Usage{Input: &huge, Output: &huge}}), nil
	}
	m.silent = true
	a := newAgent(t, agent.Config{Model: m, Limits: agent.Limits{Tokens: 500_000}, Request: agent.Request{Options: wire.Options{MaxOutputTokens: 400}}})
	var e session.Event
	for range 8 {
		if e = stop(t, turn(t, a, "s", "go")); e.Stop.Reason != "end" {
			break
		}
	}
	diff(t, "stop", e.Stop.Reason, agent.StopTokens)
}

// What leaves the machine passes the hooks; the request for a summary says so.
func TestSummaryAndHooks(t *testing.T) {
	h := &summaryHook{}
	m := &speaker{say: echo(6000)}
	a := newAgent(t, agent.Config{Model: m, Hooks: []agent.Hook{h}})
	for range 4 {
		turn(t, a, "s", "go")
	}
	events, err := a.Compact(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	diff(t, "requests", h.seen, []bool{false, false, false, false, true})
	diff(t, "observed", h.kinds[len(h.kinds)-1], session.Compacted)
	diff(t, "changed by", events[0].Request.ChangedBy, []string{"redact"})
	if !strings.Contains(m.summaries[0], "REDACTED") {
		t.Error("the hook's change was not sent")
	}
}

type summaryHook struct {
	seen  []bool
	kinds []session.Kind
}

func (*summaryHook) Name() string { return "redact" }

func (h *summaryHook) EditRequest(_ context.Context, at agent.At, r wire.Request) (wire.Request, error) {
	h.seen = append(h.seen, at.Summary)
	if at.Summary {
		r.Messages = []chat.Message{chat.UserText("REDACTED", nil)}
	}
	return r, nil
}

func (h *summaryHook) Observe(_ context.Context, _ string, e session.Event) {
	h.kinds = append(h.kinds, e.Kind)
}
