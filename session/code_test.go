package session_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
)

// codeScript is script with more words: "code:a" a program, "make:a,b" calls of it,
// "ran" its result, "ask:a" a question about a call.
func codeScript(words ...string) []session.Event {
	var out []session.Event
	for i, w := range words {
		e := session.Event{}
		switch word, arg, _ := strings.Cut(w, ":"); word {
		case "code":
			e.Kind, e.Code = session.Ran, &session.Code{ID: arg, Language: "js", Source: "f()"}
		case "make":
			m := chat.Message{Role: chat.Assistant}
			for id := range strings.SplitSeq(arg, ",") {
				m.Parts = append(m.Parts, chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: id, Name: "t", Args: []byte("{}")}})
			}
			e.Kind, e.Message = session.RanCalls, &m
		case "ran":
			m := chat.UserText("ran", nil)
			e.Kind, e.Message = session.RanResult, &m
		case "ask":
			e.Kind, e.Ask = session.Asked, &session.Ask{Call: arg, Tool: "t", Text: "?"}
		default:
			e = script(w)[0]
		}
		e.Seq, e.Turn, e.Step, e.Time = uint64(i+1), 1, 1, time.Unix(int64(i), 0).UTC()
		if e.Kind == session.Start {
			e.Turn, e.Step = 0, 0
		}
		out = append(out, e)
	}
	return out
}

func TestFoldCode(t *testing.T) {
	log := codeScript("start", "in", "req", "ans", "code:p", "make:a,b", "call:a", "res:a", "ask:b")
	v, err := session.Fold(log)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(words(v.Messages), "in ans"); d != "" {
		t.Error(d)
	}
	if len(v.Open) != 1 || v.Open[0].ID != "b" || len(v.Asked) != 1 || len(v.Begun) != 0 {
		t.Errorf("open %v, asked %v, begun %v", v.Open, v.Asked, v.Begun)
	}
	if v.Code == nil || v.Code.ID != "p" || !v.Code.Began.Equal(time.Unix(4, 0)) || len(v.Code.Batches) != 1 ||
		v.Code.Batches[0][0].Result == nil || v.Code.Batches[0][1].Result != nil {
		t.Errorf("code %+v", v.Code)
	}
	before := *v.Code
	log = append(log, codeScript("start", "in", "req", "ans", "code:p", "make:a,b", "call:a", "res:a", "ask:b", "res:b", "make:c", "res:c", "ran", "note")[9:]...)
	after, err := session.Fold(log)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(words(after.Messages), "in ans ran note"); d != "" || after.Code != nil || len(after.Open) != 0 {
		t.Errorf("%s; code %+v, open %v", d, after.Code, after.Open)
	}
	if before.Batches[0][1].Result != nil {
		t.Error("a view changed after it was taken")
	}
	for _, e := range log { // each has a form that reads back
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var back session.Event
		if err := json.Unmarshal(b, &back); err != nil {
			t.Errorf("%s: %v", b, err)
		}
		if d := cmp.Diff(back, e); d != "" {
			t.Errorf("%s:\n%s", b, d)
		}
	}
}

func TestFoldCodeRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"in ans:a code:p":                    "code while calls are open",
		"in ans code:p code:q":               "code while other code runs",
		"in ans code:p ans":                  "answer while code runs",
		"in ans make:a":                      "calls of code while none runs",
		"in ans code:p make:a make:b":        "while some are open",
		"in ans code:p make:a,a":             "two calls",
		"in ans code:p make:a res:a make:a":  "two calls",
		"in ans code:p make:a ran":           "its calls are open",
		"in ans ran":                         "while none runs",
		"in ans code:p res:a":                "result without a call",
		"in ans code:p make:a call:a call:a": "began twice",
		"in ans code:p make:a res:a res:a":   "result without a call",
	} {
		if _, err := session.Fold(codeScript(strings.Fields(in)...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", in, err, want)
		}
	}
	empty, user := chat.Message{Role: chat.Assistant}, chat.UserText("x", nil)
	for _, e := range []session.Event{
		{Seq: 1, Kind: session.Ran, Code: &session.Code{}}, {Seq: 1, Kind: session.RanCalls, Message: &empty},
		{Seq: 1, Kind: session.RanCalls, Message: &user}, {Seq: 1, Kind: session.RanResult, Message: &empty},
		{Seq: 1, Kind: session.Stopped, Stop: &session.Stop{}, Message: &user},
	} {
		if e.Check() == nil {
			t.Errorf("%+v passes", e)
		}
	}
}
