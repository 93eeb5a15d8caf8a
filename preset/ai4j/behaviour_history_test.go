package ai4j_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/jsonl"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// sent is what a projection sends of a history, in the form of projection_test.go.
func sent(p ai4j.Projection, have string) string {
	got, _ := project(p, history(strings.Fields(have)...))
	return got
}

var projecting = []behaviour{
	{"55 the first and the newest messages stay", func(t *testing.T) {
		diff(t, "sent", sent(ai4j.Projection{MaxMessages: 3, Pinned: 1}, "u:1 u:2 u:3 u:4 u:5"), "u:1 u:4 u:5")
	}},
	{"56 a limit of size leaves no gaps", func(t *testing.T) {
		b := strings.Repeat("b", 20)
		limit := 9 + 4*3 // each message costs four beside its text
		diff(t, "as in the original", sent(ai4j.Projection{MaxTokens: limit, Pinned: 1}, "u:aaaa a:"+b+" u:cc u:dd"), "u:aaaa u:cc u:dd")
		diff(t, "where that would jump", sent(ai4j.Projection{MaxTokens: 30}, "u:aaaa a:"+b+" u:cc u:dd"), "u:cc u:dd")
	}},
	{"57 a result is never sent without its call", func(t *testing.T) {
		diff(t, "sent", sent(ai4j.Projection{MaxMessages: 2}, "u:1 c:a r:a a:text"), "u:1 a:text")
	}},
	{"58 old results are cleared", func(t *testing.T) {
		got := sent(ai4j.Projection{RecentResults: 2}, "u:1 c:a r:a c:b r:b c:c r:c c:d r:d c:e r:e")
		diff(t, "cleared", strings.Count(got, "[tool result cleared: w("), 3)
		diff(t, "the newest", got[len(got)-15:], "c:d r:d c:e r:e")
	}},
	{"59 a window begins where a turn does", func(t *testing.T) {
		for _, limit := range []int{3, 2} { // would begin at the messages 4 and 5
			diff(t, "sent", sent(ai4j.Projection{MaxMessages: limit, WholeTurns: true}, "u:0 a:1 a:2 u:3 a:4 a:5 a:6"), "u:3 a:4 a:5 a:6")
		}
	}},
	{"60 one long turn is made shorter, too", func(t *testing.T) {
		var have []string
		for _, id := range strings.Split("abcdefgh", "") {
			have = append(have, "c:"+id, "r:"+id)
		}
		diff(t, "sent", sent(ai4j.Projection{MaxMessages: 4}, "u:1 "+strings.Join(have, " ")), "u:1 c:h r:h")
		m := script(t, "turns: ["+strings.Repeat("{calls: [{tool: w}]}, ", 8)+"{text: done}]")
		a := newAgent(t, ai4j.Config{Projection: ai4j.Projection{MaxMessages: 4}}, agent.Config{Model: m, Tools: []tool.Tool{&fake{name: "w"}}, Limits: agent.Limits{Repeats: -1}})
		turn(t, a, "s", "hi")
		diff(t, "messages of the last request", m.messages(t, 8)[1:], []string{"user: hi", "assistant: <calls>", "tool: result of w"})
	}},
	{"66 a plan is there with and without streaming, and behind the hooks of inputs", func(t *testing.T) {
		planner := onInput{"planner", func(in agent.Input) (agent.Input, error) {
			in.Text = ai4j.Plan("look", "answer "+in.Text) + "\n\n" + in.Text
			return in, nil
		}}
		for _, quiet := range []bool{false, true} {
			m := script(t, "turns: [{text: ok}]")
			a := newAgent(t, ai4j.Config{Runtime: ai4j.DeepResearch}, agent.Config{Model: m, Hooks: []agent.Hook{planner}})
			events, err := run(t, a, "s", agent.Input{Text: "why", Options: wire.Options{NoStream: quiet}})
			check(t, err)
			diff(t, "messages", m.messages(t, 0), []string{"system: " + ai4j.DeepResearch, "user: Plan:\n1. look\n2. answer why\n\nwhy"})
			diff(t, "attributed", of(events, session.Input)[0].Message.Text()[0].From.Stage, "planner")
		}
	}},
	{"67 damage of a log is told by its event", func(t *testing.T) {
		log := journal(t)
		lines := bytes.SplitAfter(log, []byte("\n"))
		at := len(lines[0]) + len(lines[1])/2 // within the second event
		log[at] ^= 1
		lost := losses(t, log)
		diff(t, "lost", []uint64{lost[0].First, lost[0].Last}, []uint64{2, 2})
	}},
	{"68 a log that was cut is mended and said to be", func(t *testing.T) {
		log := journal(t)
		dir := t.TempDir()
		check(t, os.WriteFile(filepath.Join(dir, "s.jsonl"), log[:len(log)-3], 0o600))
		store, err := jsonl.Open(jsonl.Config{Dir: dir})
		check(t, err)
		defer store.Close()
		turn(t, newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, "turns: [{text: ok}]"), Store: store}), "s", "hi")
		diff(t, "repairs", len(store.Repairs()), 1)
	}},
}

// journal returns the file of a session with one turn.
func journal(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	store, err := jsonl.Open(jsonl.Config{Dir: dir})
	check(t, err)
	turn(t, newAgent(t, ai4j.Config{}, agent.Config{Model: script(t, "turns: [{text: ok}]"), Store: store}), "s", "hi")
	check(t, store.Close())
	data, err := os.ReadFile(filepath.Join(dir, "s.jsonl"))
	check(t, err)
	return data
}

// losses are those of a file that is read as the log of a session.
func losses(t *testing.T, log []byte) (out []session.Loss) {
	t.Helper()
	dir := t.TempDir()
	check(t, os.WriteFile(filepath.Join(dir, "s.jsonl"), log, 0o600))
	store, err := jsonl.Open(jsonl.Config{Dir: dir})
	check(t, err)
	defer store.Close()
	for e, err := range store.Events(context.Background(), "s") {
		check(t, err)
		if e.Loss != nil {
			out = append(out, *e.Loss)
		}
	}
	return out
}
