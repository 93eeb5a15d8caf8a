package session_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/sessiontest"
)

func TestEventJSON(t *testing.T) {
	events := append(sessiontest.Sample(),
		session.Event{Kind: session.DeltaText, Turn: 1, Step: 1, Delta: "a\u2028<b>"},
		session.Event{Kind: session.DeltaReasoning},
		session.Event{Kind: session.Lost, Loss: &session.Loss{First: 3, Last: 4, Offset: 9, Bytes: 8}},
	)
	for _, e := range events {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var got session.Event
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if d := cmp.Diff(got, e); d != "" {
			t.Errorf("%s read back (-got +want):\n%s", b, d)
		}
	}
}

// The form is that of every log ever written.
func TestEventJSONForm(t *testing.T) {
	e := sessiontest.Sample()[1]
	e.Time = e.Time.In(time.FixedZone("east", 3600))
	b, err := e.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"seq":2,"time":"2026-03-01T12:00:01.123456789Z","kind":"input","turn":1,"message":{"role":"user","parts":[` +
		`{"kind":"text","text":{"text":"what does a.txt say?","spans":[{"len":20,"from":0}],"origins":[{"section":"input","trust":"user"}]}}]}}`
	if d := cmp.Diff(string(b), want); d != "" {
		t.Errorf("form (-got +want):\n%s", d)
	}
}

func TestEventJSONStrict(t *testing.T) {
	for in, want := range map[string]string{
		`{"seq":1,"kind":"session.begin"}`:                      "unknown kind",
		`{"seq":1}`:                                             "unknown kind",
		`{"seq":1,"kind":"session.start","extra":1}`:            "unknown field",
		`{"seq":1,"kind":"input"}`:                              "no message",
		`{"seq":1,"kind":"tools"}`:                              "no tools",
		`{"seq":1,"kind":"tools","tools":{"x":1}}`:              "unknown field",
		`{"seq":1,"kind":"stop","stop":{"why":"x"}}`:            "unknown field",
		`{"kind":"session.start"}`:                              "sequence numbers",
		`{"seq":1,"kind":"delta.text","delta":"x"}`:             "sequence numbers",
		`{"seq":-1,"kind":"session.start"}`:                     "cannot unmarshal",
		`{"seq":1,"kind":"session.start"} {}`:                   "invalid character",
		`{"seq":1,"kind":"input","message":{"role":"robot"}}`:   "unknown role",
		`{"seq":1,"kind":"session.start","time":"yesterday"}`:   "parsing time",
		`{"seq":1,"kind":"session.start","turn":-1}`:            "turn -1",
		`{"seq":1,"kind":"diagnostic","diagnostic":{"code":1}}`: "cannot unmarshal",
	} {
		var e session.Event
		if err := json.Unmarshal([]byte(in), &e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", in, err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	user := chat.UserText("x", nil)
	model := chat.TextMessage(chat.Assistant, nil)
	calls := chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Kind: chat.CallPart, Call: &chat.ToolCall{ID: "c"}}}}
	two := chat.Message{Role: chat.Tool, Parts: []chat.Part{{Kind: chat.ResultPart, Result: &chat.ToolResult{}}, {Kind: chat.ResultPart, Result: &chat.ToolResult{}}}}
	userCalls := calls
	userCalls.Role = chat.User
	for _, tt := range []struct {
		event session.Event
		want  string
	}{
		{session.Event{Kind: session.Input, Message: &model}, "role assistant, not user"},
		{session.Event{Kind: session.Answer, Message: &user}, "role user, not assistant"},
		{session.Event{Kind: session.Context, Message: &model}, "not user or system"},
		{session.Event{Kind: session.Notice, Message: &userCalls}, "tool calls"},
		{session.Event{Kind: session.Result, Message: &user}, "exactly one result"},
		{session.Event{Kind: session.Result, Message: &two}, "exactly one result"},
		{session.Event{Kind: session.Start, Failure: "x"}, "has a failure"},
		{session.Event{Kind: session.Answer, Message: &calls, Delta: "x"}, "has a delta"},
		{session.Event{Kind: session.Stopped, Stop: &session.Stop{}, Usage: &session.Usage{}}, "has a usage"},
		{session.Event{Kind: session.Pruned}, "no cuts"},
		{session.Event{Kind: session.Pruned, Cuts: []session.Cut{{Event: 2}, {Event: 2}}}, "ascending"},
		{session.Event{Kind: session.Pruned, Cuts: []session.Cut{{Event: 2, Head: -1}}}, "keeps -1"},
		{session.Event{Kind: session.Compacted, Compaction: &session.Compaction{}}, "through no event"},
		{session.Event{Kind: session.Compacted, Compaction: &session.Compaction{Through: 1, Messages: []chat.Message{user}}}, "with a name"},
		{session.Event{Kind: session.Compacted, Compaction: &session.Compaction{Through: 1, Messages: []chat.Message{calls}}}, "must be the user's"},
		{session.Event{Kind: session.Lost}, "no loss"},
	} {
		tt.event.Seq = 1
		if err := tt.event.Check(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: got %v, want an error with %q", tt.event, err, tt.want)
		}
		if _, err := json.Marshal(tt.event); err == nil {
			t.Errorf("%+v: written without an error", tt.event)
		}
	}
}

func TestLossString(t *testing.T) {
	var got []string
	for _, l := range []session.Loss{{Bytes: 1}, {First: 2, Last: 2, Offset: 9, Bytes: 8}, {First: 2, Last: 4}, {First: 7}} {
		got = append(got, l.String())
	}
	want := []string{
		"1 damaged bytes at offset 0: no event is lost",
		"8 damaged bytes at offset 9: event 2 is lost",
		"0 damaged bytes at offset 0: events 2 to 4 are lost",
		"0 damaged bytes at offset 0: events from 7 on are lost",
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("losses (-got +want):\n%s", d)
	}
}
