package session_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/sessiontest"
	"github.com/proemhq/proem/span"
)

// script makes a log of short words: "in" an input, "ctx" a context, "req" a
// request, "ans:a,b" an answer with those calls, "call:a" a started call,
// "res:a" a result, "stop", "note", "lost:n" n lost events, "step" the next
// step, "turn" the next turn.
func script(words ...string) []session.Event {
	var out []session.Event
	seq, turn, step := uint64(0), 1, 0
	for _, w := range words {
		word, arg, _ := strings.Cut(w, ":")
		e := session.Event{Turn: turn, Step: step}
		switch word {
		case "turn":
			turn, step = turn+1, 0
			continue
		case "step":
			step++
			continue
		case "lost":
			e = session.Event{Kind: session.Lost, Loss: &session.Loss{First: seq + 1, Last: seq + uint64(len(arg))}}
			seq += uint64(len(arg))
			out = append(out, e)
			continue
		case "start":
			e = session.Event{Kind: session.Start}
		case "in", "ctx", "note":
			m := chat.UserText(w, nil)
			e.Kind, e.Message = map[string]session.Kind{"in": session.Input, "ctx": session.Context, "note": session.Notice}[word], &m
		case "req":
			e.Kind, e.Request = session.Requested, &session.Request{Model: "m"}
		case "ans":
			m := chat.Message{Role: chat.Assistant, Parts: []chat.Part{{Text: span.Of(w, nil)}}}
			for _, id := range strings.FieldsFunc(arg, func(r rune) bool { return r == ',' }) {
				m.Parts = append(m.Parts, chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: id}})
			}
			e.Kind, e.Message = session.Answer, &m
		case "call":
			e.Kind, e.Call = session.Call, &chat.ToolCall{ID: arg}
		case "res":
			m := chat.ResultMessage(chat.ToolResult{ID: arg})
			e.Kind, e.Message = session.Result, &m
		case "stop":
			e.Kind, e.Stop = session.Stopped, &session.Stop{Reason: "end"}
		case "delta":
			out = append(out, session.Event{Kind: session.DeltaText, Delta: "x"})
			continue
		}
		seq++
		e.Seq = seq
		out = append(out, e)
	}
	return out
}

// words says what a history holds in the words of script.
func words(messages []chat.Message) string {
	var out []string
	for _, m := range messages {
		if r := m.Results(); len(r) > 0 {
			out = append(out, "res:"+r[0].ID)
		} else {
			out = append(out, m.Text().String())
		}
	}
	return strings.Join(out, " ")
}

func TestFoldHistory(t *testing.T) {
	for _, tt := range []struct{ name, log, history, open, begun string }{
		{"empty", "", "", "", ""},
		{"one turn", "start in step ctx req delta ans stop", "in ctx ans", "", ""},
		{"input without an answer", "start in step req", "in", "", ""},
		{"failed step", "in step req stop turn in", "in in", "", ""},
		{"results in the order of the calls", "in req ans:a,b,c call:a call:b call:c res:c res:a res:b step req ans", "in ans:a,b,c res:a res:b res:c ans", "", ""},
		{"killed before the calls", "in req ans:a,b", "in ans:a,b", "a b", ""},
		{"killed during a call", "in req ans:a,b call:a call:b res:b", "in ans:a,b res:b", "a", "a"},
		{"results stay with their answer", "in req ans:a,b res:a note turn in res:b", "in ans:a,b res:a res:b note in", "", ""},
		{"an id used again", "in req ans:a res:a step req ans:a res:a", "in ans:a res:a ans:a res:a", "", ""},
		{"lost call", "in req lost:x res:a step req ans", "in ans", "", ""},
		{"lost result", "in req ans:a lost:x step req ans", "in ans:a ans", "a", ""},
		{"lost result, then made up", "in req ans:a lost:x step req ans note res:a", "in ans:a res:a ans note", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := session.Fold(script(strings.Fields(tt.log)...))
			if err != nil {
				t.Fatal(err)
			}
			var open []string
			for _, c := range v.Open {
				open = append(open, c.ID)
			}
			got := []string{words(v.Messages), strings.Join(open, " "), strings.Join(v.Begun, " ")}
			if d := cmp.Diff(got, []string{tt.history, tt.open, tt.begun}); d != "" {
				t.Errorf("history, open, begun (-got +want):\n%s", d)
			}
		})
	}
}

func TestFoldImpossible(t *testing.T) {
	gap := script("in", "ans", "in")
	for name, tt := range map[string]struct {
		log  []session.Event
		want string
	}{
		"gap":                   {append(gap[:1:1], gap[2]), "event 3 (input): expected event 2"},
		"begins late":           {gap[1:], "expected event 1"},
		"twice":                 {append(gap[:2:2], gap[1]), "expected event 3"},
		"second result":         {script("in", "ans:a", "res:a", "res:a"), "second result"},
		"result without call":   {script("in", "res:a"), "result without a call"},
		"call without answer":   {script("in", "call:a"), `call "a" is not open`},
		"call twice":            {script("in", "ans:a", "call:a", "call:a"), "began twice"},
		"call after result":     {script("in", "ans:a", "res:a", "call:a"), "is not open"},
		"answer with open":      {script("in", "ans:a", "ans"), "answer while calls are open"},
		"two calls of one id":   {script("in", "ans:a,a"), `two calls with id "a"`},
		"late start":            {script("in", "start"), "must be the first"},
		"turn goes back":        {[]session.Event{script("turn", "in")[0], script("in", "in")[1]}, "turn 1, step 0 comes after turn 2"},
		"step goes back":        {[]session.Event{script("step", "in")[0], script("in", "in")[1]}, "comes after turn 1, step 1"},
		"malformed":             {[]session.Event{{Seq: 1, Kind: session.Input}}, "no message"},
		"loss at another place": {[]session.Event{{Kind: session.Lost, Loss: &session.Loss{First: 5, Last: 6}}}, "begin at event 1"},
	} {
		if _, err := session.Fold(tt.log); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, tt.want)
		}
	}
}

func TestFoldState(t *testing.T) {
	log := sessiontest.Sample()
	v, err := session.Fold(log[:8])
	if err != nil {
		t.Fatal(err)
	}
	if !v.Started || v.Seq != 8 || v.Turn != 1 || v.Step != 1 || !v.Pending || v.Unanswered || v.LastStop != nil {
		t.Errorf("before the end: got %+v", v)
	}
	if v.LastUsage == nil || *v.LastUsage.Input != 120 || len(v.Contexts) != 1 || v.LastRequest.Model != "m" {
		t.Errorf("last answer, contexts, request: got %+v", v)
	}
	if v, err = session.Fold(log); err != nil || v.Pending || v.LastStop == nil || v.Step != 2 || v.Seq != 15 || v.Tools.Set("files").Pin("read") == nil || v.Tools.Set("none") != nil {
		t.Errorf("at the end: got %+v, %v", v, err)
	}
	v, _ = session.Fold(script("in", "step", "ctx:a", "ctx:b", "req", "ans", "step", "ctx:c", "req"))
	if got := words(v.Contexts); got != "ctx:c" || !v.Unanswered {
		t.Errorf("contexts of the latest step: got %q, unanswered %v", got, v.Unanswered)
	}
	v, _ = session.Fold(script("in", "step", "ctx:a", "ctx:b", "req", "ans", "step", "req"))
	if got := words(v.Contexts); got != "ctx:a ctx:b" {
		t.Errorf("contexts of an earlier step: got %q", got)
	}
}

// A view must not change when its folder goes on, nor an event that was refused
// change anything.
func TestFolderGoesOn(t *testing.T) {
	log := script("in", "req", "ans:a,b", "call:a", "res:b", "res:a", "step", "req", "ans", "lost:xx", "in", "stop")
	var f session.Folder
	var views []session.View
	for i, e := range log {
		if err := f.Add(e); err != nil {
			t.Fatal(err)
		}
		if err := f.Add(log[i]); err == nil {
			t.Errorf("event %d was taken twice", i)
		}
		v := f.View()
		_ = append(v.Messages, chat.Message{Name: "not of the log"})
		views = append(views, v)
	}
	for i := range log {
		want, err := session.Fold(log[:i+1])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(views[i], want); d != "" {
			t.Errorf("view after %d events (-got +want):\n%s", i+1, d)
		}
	}
}

func BenchmarkFold(b *testing.B) {
	var w []string
	for range 1000 {
		w = append(w, "step", "req", "ans:a", "call:a", "res:a")
	}
	log := script(w...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := session.Fold(log); err != nil {
			b.Fatal(err)
		}
	}
}
