package ai4j_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// history makes messages from words: u:text is an input, a:text an answer, s:text a
// system message, n:text one that the agent wrote, c:1,2 an answer with calls, r:1
// the result of a call, t:text an answer with reasoning.
func history(words ...string) []chat.Message {
	var out []chat.Message
	for _, w := range words {
		kind, text, _ := strings.Cut(w, ":")
		m := chat.TextMessage(chat.Assistant, span.Of(text, nil))
		switch kind {
		case "u":
			m.Role = chat.User
		case "s":
			m.Role = chat.System
		case "n":
			m.Role, m.Name = chat.User, "summary"
		case "c":
			m.Parts = nil
			for _, id := range strings.Split(text, ",") {
				m.Parts = append(m.Parts, chat.Part{Kind: chat.CallPart, Call: &chat.ToolCall{ID: id, Name: "w", Args: []byte("{}")}})
			}
		case "r":
			m = chat.ResultMessage(chat.ToolResult{ID: text, Name: "w", Text: span.Of("R"+text, nil), Images: []chat.Image{{URL: "x"}}})
		case "t":
			m.Parts = []chat.Part{{Kind: chat.ReasoningPart, Text: span.Of("hm", nil)},
				{Kind: chat.OpaquePart, Opaque: &chat.Opaque{Provider: "anthropic", Type: "thinking", JSON: []byte("{}")}},
				{Kind: chat.OpaquePart, Opaque: &chat.Opaque{Provider: "anthropic", Type: "server_tool_result", JSON: []byte("{}")}}}
			if text != "" {
				m.Parts = append(m.Parts, chat.Part{Kind: chat.TextPart, Text: span.Of(text, nil)})
			} else {
				m.Parts = m.Parts[:2]
			}
		}
		out = append(out, m)
	}
	return out
}

// words are a history in the form that history reads, with what was cleared.
func words(msgs []chat.Message) string {
	var out []string
	for _, m := range msgs {
		kind := "a"
		switch {
		case m.Name != "":
			kind = "n"
		case m.Role == chat.User:
			kind = "u"
		case m.Role == chat.System:
			kind = "s"
		}
		text := m.Text().String()
		var ids []string
		for _, p := range m.Parts {
			switch {
			case p.Call != nil:
				kind, ids = "c", append(ids, p.Call.ID)
			case p.Result != nil:
				kind, ids = "r", append(ids, p.Result.ID)
				if s := p.Result.Text.String(); s != "R"+p.Result.ID {
					ids = append(ids, s, fmt.Sprint(len(p.Result.Images)))
				}
			case p.Kind == chat.ReasoningPart:
				kind = "t"
			}
		}
		out = append(out, kind+":"+text+strings.Join(ids, ","))
	}
	return strings.Join(out, " ")
}

// letters counts bytes without what a message costs beside its text.
func letters(s string) int { return len(s) }

func project(p ai4j.Projection, msgs []chat.Message) (string, []string) {
	made := ai4j.New(ai4j.Config{Projection: p, Count: letters})
	a, out := made.Project(prompt.Assembly{}, msgs)
	var notes []string
	for _, n := range a.Notes {
		notes = append(notes, n.Name+": "+n.Reason)
	}
	return words(out), notes
}

func TestProjection(t *testing.T) {
	tests := []struct {
		name       string
		p          ai4j.Projection
		have, want string
		notes      string
	}{
		{"nothing asked", ai4j.Projection{}, "u:1 c:a r:a a:2", "u:1 c:a r:a a:2", ""},
		{"all fits", ai4j.Projection{MaxMessages: 4}, "u:1 c:a r:a a:2", "u:1 c:a r:a a:2", ""},
		{"calls go with all their results", ai4j.Projection{MaxMessages: 3}, "u:1 c:a,b r:a r:b a:2", "u:1 a:2", "history: 3 of the 5 messages of the history are not sent"},
		{"a unit above the limit is sent if it is the newest", ai4j.Projection{MaxMessages: 2}, "u:1 c:a,b r:a r:b", "u:1 c:a,b r:a r:b", ""},
		{"the input of the turn stays", ai4j.Projection{MaxMessages: 3}, "u:0 a:0 u:1 c:a r:a c:b r:b c:c r:c", "u:1 c:c r:c", "history: 6 of the 9 messages of the history are not sent"},
		{"no gaps", ai4j.Projection{MaxTokens: 16}, "u:x a:yy u:" + strings.Repeat("b", 20) + " a:cc u:d", "a:cc u:d", "history: 3 of the 5 messages of the history are not sent"},
		{"pinned come before newer ones", ai4j.Projection{MaxMessages: 3, Pinned: 2}, "u:0 a:0 u:1 a:1 u:2", "u:0 a:0 u:2", "history: 2 of the 5 messages of the history are not sent"},
		{"a summary stays", ai4j.Projection{MaxMessages: 2}, "n:sum u:0 a:0 u:1", "n:sum u:1", "history: 2 of the 4 messages of the history are not sent"},
		{"whole turns", ai4j.Projection{MaxMessages: 2, WholeTurns: true}, "u:0 a:0 u:1 c:a r:a a:1", "u:1 c:a r:a a:1", "history: 2 of the 6 messages of the history are not sent"},
		{"no turn to begin with", ai4j.Projection{MaxMessages: 1, WholeTurns: true}, "a:0 a:1", "a:1", "history: 1 of the 2 messages of the history are not sent"},
		{"results", ai4j.Projection{RecentResults: 1}, "u:1 c:a,b r:a r:b", "u:1 c:a,b r:a,[tool result cleared: w(a)],0 r:b", "history: the texts of old results are not sent: w(a)"},
		{"all results", ai4j.Projection{RecentResults: -1}, "u:1 c:a r:a", "u:1 c:a r:a,[tool result cleared: w(a)],0", "history: the texts of old results are not sent: w(a)"},
		{"reasoning", ai4j.Projection{ClearReasoning: true}, "u:1 t:old t: u:2 t:new", "u:1 a:old u:2 t:new", "history: the reasoning of 2 earlier answers is not sent"},
		{"nothing", ai4j.Projection{MaxMessages: 1, RecentResults: 1, ClearReasoning: true, WholeTurns: true, Pinned: 3}, "", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			have := history(strings.Fields(tt.have)...)
			got, notes := project(tt.p, have)
			diff(t, "sent", got, tt.want)
			diff(t, "notes", strings.Join(notes, "; "), tt.notes)
			diff(t, "the history is not changed", words(have), words(history(strings.Fields(tt.have)...)))
		})
	}
}

// Under a budget the history gets what the prompt and the tools leave.
func TestBudget(t *testing.T) {
	made := ai4j.New(ai4j.Config{Budget: 40, Count: letters})
	a := prompt.Assembly{Sections: []prompt.Section{{Name: "base", Text: span.Of(strings.Repeat("s", 10), nil)}},
		Tools: []chat.ToolSpec{{Name: "tool", Description: "does"}}}
	_, out := made.Project(a, history("u:0000", "a:0000", "u:1111", "a:1111")) // eight each
	diff(t, "sent", words(out), "u:1111 a:1111")
	a.Tools = nil
	_, out = made.Project(a, history("u:0000", "a:0000", "u:1111", "a:1111"))
	diff(t, "without the tool", words(out), "a:0000 u:1111 a:1111")
}

// Whatever is cut, calls and results are sent together, in their order, and the
// last input and the newest message are there.
func FuzzProjection(f *testing.F) {
	f.Add([]byte("uccaru"), 3, 20, 1, 1, true, true)
	f.Fuzz(func(t *testing.T, kinds []byte, messages, tokens, pinned, results int, reasoning, whole bool) {
		var msgs []string
		for i, k := range kinds {
			switch k % 5 {
			case 0:
				msgs = append(msgs, fmt.Sprintf("u:%d", i))
			case 1:
				msgs = append(msgs, fmt.Sprintf("t:%d", i))
			case 2:
				msgs = append(msgs, fmt.Sprintf("c:%d", i), fmt.Sprintf("r:%d", i))
			case 3:
				msgs = append(msgs, fmt.Sprintf("c:%d,%dx", i, i), fmt.Sprintf("r:%d", i), fmt.Sprintf("r:%dx", i))
			case 4:
				msgs = append(msgs, fmt.Sprintf("n:%d", i))
			}
		}
		have := history(msgs...)
		made := ai4j.New(ai4j.Config{Count: letters, Projection: ai4j.Projection{MaxMessages: messages, MaxTokens: tokens, Pinned: pinned,
			RecentResults: results, ClearReasoning: reasoning, WholeTurns: whole}})
		a, got := made.Project(prompt.Assembly{}, have)
		_, again := made.Project(prompt.Assembly{}, have)
		diff(t, "again", words(again), words(got))
		diff(t, "the history is not changed", words(have), words(history(msgs...)))
		if len(got) < len(have) && len(a.Notes) == 0 {
			t.Error("something is missing and no note says so")
		}
		var open, all []string
		for _, m := range got {
			for _, c := range m.Calls() {
				open = append(open, c.ID)
			}
			for _, r := range m.Results() {
				if len(open) == 0 || open[0] != r.ID {
					t.Fatalf("the result %s has no call: %s", r.ID, words(got))
				}
				open = open[1:]
			}
			all = append(all, m.Text().String())
		}
		if len(open) > 0 {
			t.Fatalf("calls without results: %s", words(got))
		}
		last := ""
		for _, m := range msgs {
			if text, ok := strings.CutPrefix(m, "u:"); ok {
				last = text
			}
		}
		if last != "" && !slices.Contains(all, last) {
			t.Errorf("the last input %s is not sent: %s", last, words(got))
		}
	})
}
