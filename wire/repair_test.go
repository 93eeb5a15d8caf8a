package wire_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// talk builds a conversation from words: u, s and a are messages of text,
// "a:x,y" makes calls x and y, "t:x" is the result of x, "t:x,y" two results in
// one message.
func talk(words string) []chat.Message {
	var out []chat.Message
	for i, w := range strings.Fields(words) {
		kind, ids, _ := strings.Cut(w, ":")
		text := span.Of(fmt.Sprintf("%s%d", kind, i), nil)
		m := chat.TextMessage(map[string]chat.Role{"u": chat.User, "s": chat.System, "a": chat.Assistant, "t": chat.Tool}[kind], text)
		if kind == "t" {
			m.Parts = nil
		}
		for _, id := range strings.FieldsFunc(ids, func(r rune) bool { return r == ',' }) {
			id = strings.TrimPrefix(id, "-") // "-" is the empty id
			if kind == "t" {
				m.Parts = append(m.Parts, chat.Part{Kind: chat.ResultPart, Result: &chat.ToolResult{ID: id, Name: "f", Text: text}})
			} else {
				m.Parts = append(m.Parts, chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: id, Name: "f", Args: []byte("{}")}})
			}
		}
		out = append(out, m)
	}
	return out
}

// words is the inverse of talk; a result is shown with its text.
func words(msgs []chat.Message) string {
	var out []string
	for _, m := range msgs {
		w := map[chat.Role]string{chat.User: "u", chat.System: "s", chat.Assistant: "a", chat.Tool: "t"}[m.Role]
		var ids []string
		for _, c := range m.Calls() {
			ids = append(ids, c.ID)
		}
		for _, r := range m.Results() {
			text := r.Text.String()
			if text == wire.Interrupted {
				text = "?"
			}
			ids = append(ids, r.ID+"="+text)
		}
		if len(ids) > 0 {
			w += ":" + strings.Join(ids, ",")
		}
		out = append(out, w)
	}
	return strings.Join(out, " ")
}

func TestRepair(t *testing.T) {
	for _, c := range []struct {
		name, in, want string
		losses         []string
	}{
		{"nothing to do", "u a:x,y t:x t:y a u a", "u a:x,y t:x=t2 t:y=t3 a u a", nil},
		{"two results in one message", "u a:x,y t:x,y a", "u a:x,y t:x=t2,y=t2 a", nil},
		{"a result is missing and another belongs nowhere", "u a:A,B t:B a t:Z u", "u a:A,B t:A=? t:B=t2 a u", []string{
			`the call "A" of tool "f" has no result: it is sent as "interrupted, outcome unknown"`,
			`the result "Z" of tool "f" belongs to no call and is left out`,
		}},
		{"results out of order", "u a:x,y t:y t:x", "u a:x,y t:x=t3 t:y=t2", nil},
		{"a result behind a user message", "u a:x,y t:x u t:y a", "u a:x,y t:x=t2 t:y=t4 u a", []string{
			`the result "y" of tool "f" is moved behind its call`,
		}},
		{"a result behind the next answer", "u a:x a t:x", "u a:x t:x=? a", []string{
			`the call "x" of tool "f" has no result: it is sent as "interrupted, outcome unknown"`,
			`the result "x" of tool "f" belongs to no call and is left out`,
		}},
		{"killed during the last calls", "u a:x,y t:x", "u a:x,y t:x=t2 t:y=?", []string{
			`the call "y" of tool "f" has no result: it is sent as "interrupted, outcome unknown"`,
		}},
		{"a second result", "u a:x t:x t:x", "u a:x t:x=t2", []string{
			`the result "x" of tool "f" belongs to no call and is left out`,
		}},
		{"one id twice in a message", "u a:x,x t:x t:x", "u a:x,x-2 t:x=t2 t:x-2=t3", []string{
			`the id "x" of a call of tool "f" is not unique within the turn: it is sent as "x-2"`,
		}},
		{"one id in two steps of a turn", "u a:x t:x a:x t:x a:x t:x", "u a:x t:x=t2 a:x-2 t:x-2=t4 a:x-3 t:x-3=t6", []string{
			`the id "x" of a call of tool "f" is not unique within the turn: it is sent as "x-2"`,
			`the id "x" of a call of tool "f" is not unique within the turn: it is sent as "x-3"`,
		}},
		{"one id in two turns", "u a:x t:x u a:x t:x", "u a:x t:x=t2 u a:x t:x=t5", nil},
		{"no id", "u a:-,- t:- t:-", "u a:call-1,call-2 t:call-1=t2 t:call-2=t3", []string{
			`the id "" of a call of tool "f" is not unique within the turn: it is sent as "call-1"`,
			`the id "" of a call of tool "f" is not unique within the turn: it is sent as "call-2"`,
		}},
		{"a tool message without parts", "u t a", "u a", nil},
		{"a notice among results", "u a:x,y t:x s t:y", "u a:x,y t:x=t2 t:y=t4 s", []string{
			`the result "y" of tool "f" is moved behind its call`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := talk(c.in)
			before := words(in)
			got, losses := wire.Repair(in, 0)
			if diff := cmp.Diff(words(got), c.want); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
			var said []string
			for _, l := range losses {
				if l.Code != wire.CodeRepaired {
					t.Errorf("got code %s", l.Code)
				}
				said = append(said, l.Message)
			}
			if diff := cmp.Diff(said, c.losses); diff != "" {
				t.Errorf("(-got +want)\n%s", diff)
			}
			if diff := cmp.Diff(words(in), before); diff != "" {
				t.Errorf("the history was changed: (-got +want)\n%s", diff)
			}
		})
	}
}

// A repaired conversation needs no repair, an untouched one is the same slice,
// and what was repaired stays as it was while the conversation grows.
func TestRepairRandom(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	pick := []string{"u", "a", "s", "a:x", "a:x,y", "a:y,x,x", "a:-", "t:x", "t:y", "t:x,y", "t:-", "t:z", "t"}
	for range 20000 {
		var w []string
		for range 1 + rnd.Intn(9) {
			w = append(w, pick[rnd.Intn(len(pick))])
		}
		in := talk(strings.Join(w, " "))
		out, losses := wire.Repair(in, 0)
		again, none := wire.Repair(out, 0)
		if len(none) > 0 || words(again) != words(out) {
			t.Fatalf("%v: %s is repaired again: %s %v", w, words(out), words(again), none)
		}
		if words(out) == words(in) != (len(losses) == 0) && len(losses) > 0 {
			t.Fatalf("%v: nothing changed, but %v", w, losses)
		}
		grown, _ := wire.Repair(append(in[:len(in):len(in)], talk("a u")...), 0)
		if !strings.HasPrefix(words(grown), words(out)) {
			t.Fatalf("%v: %s does not begin with %s", w, words(grown), words(out))
		}
		if same, _ := wire.Repair(out, len(out)); len(same) != len(out) {
			t.Fatalf("%v: a clean prefix was changed", w)
		}
	}
}
