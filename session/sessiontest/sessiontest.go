// Package sessiontest holds the tests that every session store passes.
//
//	func TestStore(t *testing.T) {
//		sessiontest.Run(t, func(t *testing.T) session.Store { return &memory.Store{} })
//	}
package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
)

// Run tests a store. open returns a new, empty one; it is called once for each
// subtest and arranges for closing it.
func Run(t *testing.T, open func(*testing.T) session.Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, session.Store)
	}{
		{"Log", testLog},
		{"Moved", testMoved},
		{"Malformed", testMalformed},
		{"Concurrent", testConcurrent},
		{"Text", testText},
		{"Large", testLarge},
		{"BadIDs", testBadIDs},
		{"Cancelled", testCancelled},
		{"EarlyBreak", testEarlyBreak},
		{"List", testList},
		{"Delete", testDelete},
		{"Fork", testFork},
		{"Keep", testKeep},
		{"KeepRefused", testKeepRefused},
		{"KeepForkDelete", testKeepForkDelete},
		{"KeepConcurrent", testKeepConcurrent},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// Sample returns the log of a small session that has every stored kind of
// event.
func Sample() []session.Event {
	user := &span.Origin{Section: "input", Trust: span.User}
	read := &chat.ToolCall{ID: "c1", Name: "read", Args: []byte(`{"path":"a.txt"}`)}
	input, output := 120, 7
	message := func(m chat.Message) *chat.Message { return &m }
	events := []session.Event{
		{Kind: session.Start},
		{Kind: session.Input, Turn: 1, Message: message(chat.UserText("what does a.txt say?", user))},
		{Kind: session.Context, Turn: 1, Step: 1, Message: &chat.Message{Name: "context", Parts: []chat.Part{{Text: span.Of("today: Sunday", nil)}}}},
		{Kind: session.Requested, Turn: 1, Step: 1, Request: &session.Request{Model: "m", Dialect: "anthropic", Body: strings.Repeat("0a", 32), Bytes: 17, Tokens: 4,
			Trace: &session.Trace{System: "a\nb", Runtime: &session.Range{Lo: 2, Hi: 3}, Sent: 1, History: 1}}},
		{Kind: session.Answer, Turn: 1, Step: 1, Message: &chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.CallPart, Call: read}}},
			Usage: &session.Usage{Input: &input, Output: &output}, Stop: &session.Stop{Reason: "tools"}},
		{Kind: session.Call, Turn: 1, Step: 1, Call: read},
		{Kind: session.Result, Turn: 1, Step: 1, Message: message(chat.ResultMessage(chat.ToolResult{ID: "c1", Name: "read", Text: span.Of("tabs", nil)})), Usage: &session.Usage{Input: &input}},
		{Kind: session.Notice, Turn: 1, Step: 1, Message: message(chat.TextMessage(chat.System, span.Of("two steps left", nil))), Tasks: []session.Task{{ID: "s-1", Agent: "rev", State: "completed"}}},
		{Kind: session.Diagnostic, Turn: 1, Step: 2, Diagnostic: &prompt.Diagnostic{Severity: prompt.Warning, Code: "doc.truncated", Message: "cut"}},
		{Kind: session.ToolState, Turn: 1, Step: 2, Tools: &session.Tools{Frozen: true,
			Block: []chat.ToolSpec{{Name: "read", Description: "Reads <a> file.", Parameters: []byte(`{"type":"object"}`), Strict: true, From: &span.Origin{Section: "read", Source: "tool"}}},
			Sets:  []session.ToolSet{{Name: "files", Instructions: "a", Later: "b", Pins: []session.ToolPin{{Name: "read", Hash: strings.Repeat("0b", 32), Late: true, Held: true}}}}}},
		{Kind: session.Kept, Turn: 1, Step: 2, State: &session.State{Name: "list", Value: []byte(`{"items":["a, b"]}`)}},
		{Kind: session.Answer, Turn: 1, Step: 2, Message: message(chat.TextMessage(chat.Assistant, span.Of("tabs", nil))), Stop: &session.Stop{Reason: "end"}},
		{Kind: session.Stopped, Turn: 1, Step: 2, Stop: &session.Stop{Reason: "end"}, Failure: "none"},
		{Kind: session.Pruned, Turn: 1, Step: 2, Cuts: []session.Cut{{Event: 7, Head: 1, Tail: 2}}},
		{Kind: session.Compacted, Turn: 1, Step: 2, Compaction: &session.Compaction{Through: 11, Before: 90, After: 30,
			Messages: []chat.Message{{Name: "summary", Parts: []chat.Part{{Text: span.Of("a.txt was read", user)}}}}},
			Request: &session.Request{Model: "m", Bytes: 12}, Usage: &session.Usage{Input: &input, Output: &output}},
	}
	for i := range events {
		events[i].Seq, events[i].Time = uint64(i)+1, t0.Add(time.Duration(i)*time.Second)
	}
	return events
}

// Inputs returns n input events that follow event number after.
func Inputs(after uint64, n int) []session.Event {
	out := make([]session.Event, n)
	for i := range out {
		m := chat.UserText(fmt.Sprintf("input %d", after+uint64(i)+1), nil)
		out[i] = session.Event{Seq: after + uint64(i) + 1, Time: t0, Kind: session.Input, Turn: 1, Message: &m}
	}
	return out
}

// Read returns the events of a session and the error that ended them.
func Read(ctx context.Context, s session.Store, id string) ([]session.Event, error) {
	var out []session.Event
	for e, err := range s.Events(ctx, id) {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

func want(t *testing.T, s session.Store, id string, want []session.Event) {
	t.Helper()
	got, err := Read(t.Context(), s, id)
	if err != nil {
		t.Fatalf("session %s: %v", id, err)
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("session %s (-got +want):\n%s", id, d)
	}
}

func add(t *testing.T, s session.Store, id string, after uint64, events ...session.Event) {
	t.Helper()
	if err := s.Append(t.Context(), id, after, events...); err != nil {
		t.Fatalf("append after %d: %v", after, err)
	}
}

func testLog(t *testing.T, s session.Store) {
	want(t, s, "a", nil)
	log := Sample()
	add(t, s, "a", 0, log[0])
	add(t, s, "a", 1, log[1:6]...)
	add(t, s, "a", 6)
	want(t, s, "a", log[:6])
	add(t, s, "b", 0, Inputs(0, 2)...)
	add(t, s, "a", 6, log[6:]...)
	want(t, s, "a", log)
	want(t, s, "b", Inputs(0, 2))
}

func testMoved(t *testing.T, s session.Store) {
	add(t, s, "a", 0, Inputs(0, 3)...)
	for _, after := range []uint64{0, 2, 4} {
		err := s.Append(t.Context(), "a", after, Inputs(after, 1)...)
		if !errors.Is(err, session.ErrMoved) {
			t.Errorf("append after %d of 3: got %v, want ErrMoved", after, err)
		}
		if m, ok := errors.AsType[*session.MovedError](err); ok && m.Last != 3 {
			t.Errorf("append after %d: says the last is %d, want 3", after, m.Last)
		}
	}
	if err := s.Append(t.Context(), "new", 5, Inputs(5, 1)...); !errors.Is(err, session.ErrMoved) {
		t.Errorf("append after 5 of a new session: got %v, want ErrMoved", err)
	}
	want(t, s, "a", Inputs(0, 3))
	want(t, s, "new", nil)
}

func testMalformed(t *testing.T, s session.Store) {
	good := Inputs(0, 2)
	for name, events := range map[string][]session.Event{
		"number":    {good[1]},
		"gap":       {good[0], Inputs(2, 1)[0]},
		"kind":      {{Seq: 1, Kind: "other"}},
		"payload":   {{Seq: 1, Kind: session.Input}},
		"transient": {{Seq: 0, Kind: session.DeltaText, Delta: "x"}},
		"late":      {good[0], {Seq: 2, Kind: session.Call}},
	} {
		if err := s.Append(t.Context(), "a", 0, events...); err == nil {
			t.Errorf("%s: appended without an error", name)
		}
	}
	want(t, s, "a", nil)
}

// testConcurrent lets several writers race for each position.
func testConcurrent(t *testing.T, s session.Store) {
	const writers, positions = 8, 10
	wins := make([][]string, positions)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for p := range positions {
				m := chat.UserText(fmt.Sprintf("writer %d", w), nil)
				err := s.Append(t.Context(), "a", uint64(p), session.Event{Seq: uint64(p) + 1, Time: t0, Kind: session.Input, Message: &m})
				switch {
				case err == nil:
					mu.Lock()
					wins[p] = append(wins[p], m.Text().String())
					mu.Unlock()
				case !errors.Is(err, session.ErrMoved):
					t.Errorf("writer %d, position %d: %v", w, p, err)
				}
			}
		})
	}
	wg.Wait()
	got, err := Read(t.Context(), s, "a")
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range got {
		if i >= len(wins) || len(wins[i]) != 1 || wins[i][0] != e.Message.Text().String() {
			t.Errorf("event %d: stored %q, acknowledged to %q", e.Seq, e.Message.Text(), wins[min(i, positions-1)])
		}
	}
	if len(got) != positions {
		t.Errorf("got %d events, want %d", len(got), positions)
	}
}
