package session_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// compaction is an event that replaces the history through an event by a summary.
func compaction(log []session.Event, through int) []session.Event {
	last := log[len(log)-1]
	m := chat.UserText("sum", nil)
	m.Name = "summary"
	return append(log, session.Event{Seq: last.Seq + 1, Turn: last.Turn, Step: last.Step, Kind: session.Compacted,
		Compaction: &session.Compaction{Through: uint64(through), Messages: []chat.Message{m}}})
}

func TestCompactedHistory(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		through   int
		history   string
	}{
		{"turns", "in req ans stop turn in req ans stop", 4, "sum in ans"},
		{"all but the input of a long turn", "in req ans:a res:a step req ans:b res:b step req ans", 7, "sum in ans"},
		{"a result after the cut goes with its call", "in req ans:a,b res:b note res:a turn in", 4, "sum note in"},
		{"results after the cut stay with their call", "in turn in req ans:a,b res:b res:a step", 2, "sum in ans:a,b res:a res:b"},
		{"contexts go, behind the cut too", "in step ctx req ans step ctx req ans", 4, "sum in ans"},
		{"notices stay", "in note req ans turn note in", 4, "sum note note in"},
		{"the last input stays in its place", "in ans turn in ans turn in ans", 2, "sum in ans in ans"},
		{"everything", "in ans turn in ans", 4, "sum in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := session.Fold(compaction(script(strings.Fields(tt.log)...), tt.through))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(words(v.Messages), tt.history); d != "" {
				t.Errorf("history (-got +want):\n%s", d)
			}
			if len(v.Contexts) > 0 || v.LastUsage != nil || v.Through != uint64(tt.through) || len(v.Places) != len(v.Messages) {
				t.Errorf("got %+v", v)
			}
		})
	}
}

func TestCompactedImpossible(t *testing.T) {
	done := script("in", "ans", "turn", "in", "ans")
	for name, tt := range map[string]struct {
		log  []session.Event
		want string
	}{
		"not there yet":  {compaction(done[:2:2], 9), "there is no event 9"},
		"twice":          {compaction(compaction(done, 2), 2), "was replaced before"},
		"an open call":   {compaction(script("in", "ans:a,b", "res:a"), 2), "event 2 has open calls"},
		"cut of nothing": {append(done[:4:4], session.Event{Seq: 5, Turn: 2, Kind: session.Pruned, Cuts: []session.Cut{{Event: 2}}}), "no result"},
	} {
		if _, err := session.Fold(tt.log); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, tt.want)
		}
	}
	// Where results were lost, an old compaction still holds.
	lost := compaction(script("in", "ans:a", "lost:x", "turn", "in", "ans"), 4)
	if v, err := session.Fold(lost); err != nil || words(v.Messages) != "sum in ans" || len(v.Open) > 0 {
		t.Errorf("after a loss: got %q, %v", words(v.Messages), err)
	}
}

func TestPruned(t *testing.T) {
	log := script("in", "ans:a", "res:a", "step", "ans")
	big := span.Of("head "+strings.Repeat("é", 3000)+" tail", &span.Origin{Section: "read", Source: "tool"})
	m := chat.ResultMessage(chat.ToolResult{ID: "a", Name: "read", Text: big, Images: []chat.Image{{URL: "http://127.0.0.1/i"}}})
	log[2].Message = &m
	before, err := session.Fold(log)
	if err != nil {
		t.Fatal(err)
	}
	log = append(log, session.Event{Seq: 5, Turn: 1, Step: 1, Kind: session.Pruned, Cuts: []session.Cut{{Event: 3, Head: 6, Tail: 5}}})
	v, err := session.Fold(log)
	if err != nil {
		t.Fatal(err)
	}
	r := v.Messages[2].Results()[0]
	want := "head \n[6000 of 6010 bytes and 1 images are left out here to make room. They are event 3 of this session; if you need them, call the tool again]\n tail"
	if r.Text.String() != want || len(r.Images) > 0 || !session.IsPruned(r.Text) || r.ID != "a" {
		t.Errorf("got %+v\n%s", r, r.Text)
	}
	if before.Messages[2].Results()[0].Text.Len() != big.Len() {
		t.Error("a view changed")
	}
}

// Whatever happened in a session and however often it was compacted: calls are
// paired, the last input and the notices are there, and a log that was written and
// read folds to the same.
func TestCompactedRandom(t *testing.T) {
	for seed := range uint64(400) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		var f session.Folder
		var log []session.Event
		turn, step, input, notices := 1, 0, "", 0
		add := func(e session.Event) {
			e.Seq, e.Turn, e.Step = uint64(len(log))+1, turn, step
			if err := f.Add(e); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			log = append(log, e)
		}
		said := func(k session.Kind, text string) {
			m := chat.UserText(text, nil)
			add(session.Event{Kind: k, Message: &m})
		}
		for i := range 60 {
			v := f.View()
			switch n := rnd.IntN(10); {
			case len(v.Open) > 0 && n < 8:
				c := v.Open[rnd.IntN(len(v.Open))]
				m := chat.ResultMessage(chat.ToolResult{ID: c.ID, Name: "t", Text: span.Of(strings.Repeat("r", rnd.IntN(50)), nil)})
				add(session.Event{Kind: session.Result, Message: &m})
			case n < 2:
				turn, step = turn+1, 0
				input = fmt.Sprint("input ", i)
				said(session.Input, input)
			case n == 2:
				said(session.Context, "now")
			case n == 3:
				notices++
				said(session.Notice, "notice")
			case n < 7 && len(v.Open) == 0:
				step++
				m := chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Text: span.Of("ans", nil)}}}
				for k := range rnd.IntN(4) {
					m.Parts = append(m.Parts, chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: fmt.Sprint(i, "-", k), Name: "t"}})
				}
				add(session.Event{Kind: session.Answer, Message: &m})
			case n == 7 && v.Settled > 0:
				if p := v.Places[rnd.IntN(v.Settled)]; p.Kind == session.Result {
					add(session.Event{Kind: session.Pruned, Cuts: []session.Cut{{Event: p.Event, Head: rnd.IntN(9), Tail: rnd.IntN(9)}}})
				}
			case v.Settled > 0:
				if p := v.Places[rnd.IntN(v.Settled)]; p.Head > v.Through {
					s := chat.UserText("sum", nil)
					s.Name = "summary"
					add(session.Event{Kind: session.Compacted, Compaction: &session.Compaction{Through: p.Head, Messages: []chat.Message{s}}})
				}
			}
			check(t, seed, f.View(), input, notices)
		}
		if d := cmp.Diff(reopened(t, log), f.View()); d != "" {
			t.Fatalf("seed %d: read again (-got +want):\n%s", seed, d)
		}
	}
}

func check(t *testing.T, seed uint64, v session.View, input string, notices int) {
	t.Helper()
	last := ""
	for i, m := range v.Messages {
		switch v.Places[i].Kind {
		case session.Input:
			last = m.Text().String()
		case session.Notice:
			notices--
		}
	}
	if last != input || notices != 0 || len(v.Places) != len(v.Messages) {
		t.Fatalf("seed %d: the last input is %q, not %q; %d notices are missing:\n%s", seed, last, input, notices, words(v.Messages))
	}
	if len(v.Open) > 0 {
		return
	}
	if _, losses := wire.Repair(v.Messages, 0); len(losses) > 0 {
		t.Fatalf("seed %d: %v:\n%s", seed, losses, words(v.Messages))
	}
}

// reopened returns the view of a log that was written and read.
func reopened(t *testing.T, log []session.Event) session.View {
	t.Helper()
	again := make([]session.Event, len(log))
	for i := range log {
		b, err := json.Marshal(log[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &again[i]); err != nil {
			t.Fatal(err)
		}
	}
	v, err := session.Fold(again)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
