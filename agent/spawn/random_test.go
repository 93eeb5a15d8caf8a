package spawn_test

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/providertest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
	"github.com/proemhq/proem/wire/openairesponses"
)

var (
	seeds = flag.Uint64("seeds", 1, "how many sessions by chance are played for each protocol")
	from  = flag.Uint64("from", 20, "the first of their seeds")
)

// turn runs one input, which Preview must have foretold.
func (h *house) turn(in agent.Input) {
	t, ctx := h.t, h.t.Context()
	_, err := h.spawner.Outstanding(ctx, "s")
	filetest.Must(t, err)
	var p agent.Preview
	if len(in.Replies) == 0 {
		p, err = h.agent.Preview(ctx, "s", in)
		filetest.Must(t, err)
	}
	before := len(h.main.Requests())
	first, short := "", false
	left := 1 << 30 // events until it is broken off
	if h.rnd.IntN(6) == 0 {
		left = h.rnd.IntN(40)
	}
	if h.rnd.IntN(8) == 0 { // with a form of the answer, which Preview does not know
		_, err := agent.RunAs[struct{ Answer string }](ctx, h.agent, "s", in)
		if _, ok := errors.AsType[*agent.AnswerError](err); err != nil && !ok && !strings.Contains(err.Error(), "529") {
			t.Errorf("typed turn: %v", err)
		}
		return
	}
	for e, err := range h.agent.Run(ctx, "s", in) {
		if err != nil {
			if !strings.Contains(err.Error(), "529") {
				t.Errorf("turn: %v", err)
			}
			break
		}
		switch e.Kind {
		case session.Pruned, session.Compacted:
			short = short || first == ""
		case session.Requested:
			if first == "" {
				first = e.Request.Body
			}
		}
		if left--; left <= 0 {
			break
		}
	}
	if len(in.Replies) > 0 || short || first == "" {
		return
	}
	if now := session.Sum(p.Body.JSON); now != first {
		sent := "(not sent)"
		if r := h.main.Requests(); before < len(r) {
			sent = string(r[before].Body)
		}
		t.Errorf("Preview differs (chain %v, frozen %v):\n%s", h.chain, h.frozen, firstDiff(string(p.Body.JSON), sent))
	}
}

func firstDiff(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	lo := max(i-200, 0)
	return fmt.Sprintf("at %d of %d, %d\n preview: %s\n    sent: %s", i, len(a), len(b), a[lo:min(i+300, len(a))], b[lo:min(i+300, len(b))])
}

// replies answers what is asked.
func (h *house) replies(asked []session.Ask) (out []session.Reply) {
	for _, a := range asked {
		r := session.Reply{Call: a.Call, Digest: a.Digest}
		if a.Text != "" {
			r.Text = []string{"yes", "no", "other", "once", "session", "deny"}[h.rnd.IntN(6)]
		} else {
			r.Verdict = []string{"once", "session", "deny"}[h.rnd.IntN(3)]
		}
		out = append(out, r)
	}
	return out
}

// Sessions by chance, with everything on: what Preview shows is what is sent, every
// request can be made again byte for byte, the prefix stays, and reminders are never
// kept.
func TestEverything(t *testing.T) {
	for _, d := range []wire.Dialect{openaichat.Dialect, openairesponses.Dialect, anthropic.Dialect} {
		for seed := *from; seed < *from+*seeds; seed++ {
			t.Run(fmt.Sprint(d.Name, " ", seed), func(t *testing.T) { playAll(t, seed, d) })
		}
	}
}

func playAll(t *testing.T, seed uint64, d wire.Dialect) {
	h := newHouse(t, seed, d)
	defer func() { h.closeAll() }()
	ctx := t.Context()
	for i := range 50 {
		if t.Failed() {
			t.Logf("at op %d", i)
			break
		}
		asked := h.view().Asked
		switch n := h.rnd.IntN(20); {
		case len(asked) > 0 && n < 14:
			h.turn(agent.Input{Replies: h.replies(asked)})
		case n < 9:
			in := agent.Input{Text: fmt.Sprintf("input %d", i), FreshPrefix: h.rnd.IntN(6) == 0}
			if h.rnd.IntN(8) == 0 {
				in.ModelName = "three"
			}
			if h.rnd.IntN(8) == 0 {
				in.Who = prompt.Who{User: "ann"}
			}
			if h.rnd.IntN(8) == 0 {
				in.Vars = map[string]string{"who": "x"}
			}
			h.turn(in)
		case n < 15:
			h.change()
		case n < 16:
			if h.rnd.IntN(2) == 0 {
				h.crash()
			}
			h.open()
		case n < 18:
			_, err := h.agent.SetPlan(ctx, "s", h.rnd.IntN(2) == 0)
			filetest.Must(t, err)
		case n < 19 && h.rnd.IntN(3) == 0:
			_, err := h.spawner.Outstanding(ctx, "s")
			filetest.Must(t, err)
			id := fmt.Sprint("s-", 1+h.rnd.IntN(4))
			h.open()
			filetest.Must(t, h.store.Delete(ctx, id))
		default:
			_, err := h.agent.Compact(ctx, "s")
			filetest.Must(t, err)
		}
	}
	_, err := h.spawner.Outstanding(ctx, "s")
	filetest.Must(t, err)
	h.check()
}

// What proem itself says to a model stays short, with everything on that has a text:
// what the tools say of themselves, the lists of skills and subagents, the guide to
// the memory, plan mode and the list of todos.
func TestFixedText(t *testing.T) {
	h := newHouse(t, 1, openaichat.Dialect)
	defer func() { h.closeAll() }()
	h.main = providertest.New(t, providertest.Config{Script: providertest.Script(t, `
turns:
  - calls: [{tool: todo_write, args: {todos: [{content: one}]}}, {tool: plan_enter}]
  - calls: [{tool: agent_list}]
  - calls: [{tool: agent_list}]
  - text: ok
`)})
	h.open()
	for _, err := range h.agent.Run(t.Context(), "s", agent.Text("go")) {
		filetest.Must(t, err)
	}
	p, err := h.agent.Preview(t.Context(), "s", agent.Text("on"))
	filetest.Must(t, err)
	text := ""
	for _, c := range []prompt.Channel{prompt.System, prompt.Instructions, prompt.Reminder} {
		text += p.Assembly.Render(c) + "\n\n"
	}
	for _, part := range []string{"<block ", "deploy", "rev", "plan_enter", "todo_write", "memory_search", "Plan mode is on.", "Open items", standard.RuntimeText} {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %q in it", part)
		}
	}
	if n := token.O200K.Count(text); n >= 1500 {
		t.Errorf("%d tokens:\n%s", n, text)
	} else {
		t.Logf("%d tokens:\n%s", n, text)
	}
}

// Two sessions of one agent at the same time, with everything that may be asked of
// one meanwhile.
func TestTwoAtOnce(t *testing.T) {
	h := newHouse(t, 3, openaichat.Dialect)
	defer func() { h.closeAll() }()
	ctx := t.Context()
	var all sync.WaitGroup
	for _, id := range []string{"s", "z"} {
		done := make(chan struct{})
		all.Go(func() {
			defer close(done)
			for i := range 12 {
				in := agent.Text(fmt.Sprint("input ", i))
				if asked, _ := h.agent.Asked(ctx, id); len(asked) > 0 {
					in = agent.Input{}
					for _, a := range asked {
						r := session.Reply{Call: a.Call, Digest: a.Digest, Text: "yes"}
						if a.Text == "" {
							r.Text, r.Verdict = "", "once"
						}
						in.Replies = append(in.Replies, r)
					}
				}
				for _, err := range h.agent.Run(ctx, id, in) {
					if err != nil && !strings.Contains(err.Error(), "529") && !strings.Contains(err.Error(), "nothing is asked") {
						t.Errorf("%s: %v", id, err)
					}
				}
			}
		})
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				case <-time.After(3 * time.Millisecond):
				}
				var err error
				switch i % 4 {
				case 0, 1:
					_, err = h.agent.Preview(ctx, id, agent.Text("what if"))
				case 2:
					_, err = h.agent.SetPlan(ctx, id, i%8 == 2)
				case 3:
					_, err = h.agent.Compact(ctx, id)
				}
				if err != nil {
					t.Errorf("%s: %v", id, err)
				}
			}
		})
	}
	all.Wait()
	h.check()
}
