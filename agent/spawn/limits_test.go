package spawn_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/spawn"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/tool"
)

func TestLimitOfRunning(t *testing.T) {
	open := make(gate)
	s := play(t, "turns:\n"+spawns(5, true)+"  - text: ok\n", nil)
	s.tools = []tool.Tool{open}
	s.child(t, "turns:\n"+strings.Repeat("  - calls: [{id: g, tool: gate}]\n", 4)+"  - text: done\n")
	got := results(s.begin(t).run(t, agent.Text("go")))
	n := 0
	for i, r := range got[:4] { // the numbers follow the calls
		if want := fmt.Sprintf("c%d: The subagent worker works in the background as s-%d.", i+1, i+1); !strings.HasPrefix(r, want) {
			t.Errorf("%q, want %q", r, want)
		}
	}
	for _, r := range got {
		if strings.Contains(r, "not started: 4 subagents may run at the same time, and as many do; wait for one of them") {
			n++
		}
	}
	same(t, "refused", n, 1)
	close(open)
	same(t, "told", len(ids(s.settle(t))), 4)
}

func TestLimitOfTotal(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, false)+spawns(1, false)+spawns(1, false)+"  - text: ok\n", nil)
	s.child(t, "turns: [{text: done}]")
	s.begin(t, func(c *spawn.Config, _ *agent.Config) { c.MaxTotal = 2 })
	got := results(s.run(t, agent.Text("go")))
	if !strings.HasPrefix(got[2], "!c1: not started: a session may have 2 subagents") {
		t.Errorf("got %q", got)
	}
}

// Children have the tools only where they may use them, and are refused in the
// background.
func TestLimitOfDepth(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, false)+"  - text: top\n", map[string]string{"worker.md": strings.Replace(worker, "inherit: []", "tools: [agent_spawn]", 1)})
	child := s.child(t, "turns:\n"+spawns(1, true)+spawns(1, false)+"  - text: LEAF\n  - text: MIDDLE\n")
	s.begin(t)
	got := results(s.run(t, agent.Text("go")))
	if len(got) != 1 || !strings.Contains(got[0], "MIDDLE") {
		t.Errorf("got %q", got)
	}
	inner := results(s.log(t, "s-1"))
	same(t, "in the background", inner[0], "!c1: not started: a subagent cannot start others in the background; leave background out")
	if !strings.Contains(inner[1], "The subagent worker (s-1-1) answers:") || !strings.Contains(inner[1], "LEAF") {
		t.Errorf("inner %q", inner)
	}
	for i, want := range []bool{true, true, false, true} {
		if got := strings.Contains(string(child.Requests()[i].Body), `"agent_spawn"`) && strings.Contains(string(child.Requests()[i].Body), `"tools":[`); got != want {
			t.Errorf("request %d: tools %v, want %v", i, got, want)
		}
	}
	same(t, "depth", s.log(t, "s-1-1")[0].Parent.Depth, 2)

	// One that calls a tool that it was not shown is refused by name.
	s = play(t, "turns:\n"+spawns(1, false)+"  - text: top\n", nil)
	s.child(t, "turns:\n"+spawns(1, false)+"  - text: ok\n")
	s.begin(t, func(c *spawn.Config, _ *agent.Config) { c.MaxDepth = 1 })
	s.run(t, agent.Text("go"))
	if got := results(s.log(t, "s-1")); !strings.HasPrefix(got[0], `!c1: there is no tool "agent_spawn"`) {
		t.Errorf("got %q", got)
	}
}

// What children take counts to the limits of the parent's turn.
func TestLimitOfTokens(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, false)+"  - text: NEVER\n", nil)
	s.tools = []tool.Tool{make(gate)}
	s.child(t, `turns: [{calls: [{id: g, tool: nothing}], usage: {input: 900, output: 200}}, {text: "NOR THIS"}]`)
	s.begin(t, func(_ *spawn.Config, c *agent.Config) { c.Limits.Tokens = 1000 })
	all := s.run(t, agent.Text("go"))
	stop := all[len(all)-1].Stop
	if stop.Reason != agent.StopTokens {
		t.Errorf("stop %+v", stop)
	}
	if got := results(all); !strings.Contains(got[0], "ended without a complete answer: the turn took ") {
		t.Errorf("got %q", got)
	}
	view, err := session.Fold(s.log(t, "s"))
	filetest.Must(t, err)
	if *view.Spent.Usage.Input < 900 {
		t.Errorf("spent %d", *view.Spent.Usage.Input)
	}
}

// steps bounds a child.
func TestCase43Steps(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, false)+"  - text: ok\n", map[string]string{"worker.md": "---\ndescription: d\nsteps: 2\nmaxIters: 9\nmode: odd\n---\nx\n"})
	s.child(t, "turns: [{calls: [{id: a, tool: gate}]}]")
	open := make(gate)
	close(open)
	s.tools = []tool.Tool{open}
	got := results(s.begin(t).run(t, agent.Text("go")))
	if !strings.Contains(got[0], "max_steps: the turn took 2 model requests, which is the limit") {
		t.Errorf("got %q", got)
	}
}

// A declaration names the tools; what it cannot have is said.
func TestTools(t *testing.T) {
	s := play(t, "turns:\n"+spawns(1, false)+"  - text: ok\n", map[string]string{"worker.md": "---\ndescription: d\ntools: [gate, Read]\n---\nx\n"})
	child := s.child(t, "turns: [{text: done}]")
	s.tools = []tool.Tool{make(gate)}
	all := s.begin(t).run(t, agent.Text("go"))
	same(t, "tools", child.Requests()[0].Summary.Tools, []string{"gate"})
	i := slices.IndexFunc(all, func(e session.Event) bool {
		return e.Kind == session.Diagnostic && e.Diagnostic.Code == "subagent.tool"
	})
	if i < 0 || !strings.Contains(all[i].Diagnostic.Message, `asks for the tool "Read"`) {
		t.Error("nothing is said of the tool that there is not")
	}
}

func TestConfig(t *testing.T) {
	build := func(context.Context, *subagents.Declaration, int) (agent.Config, error) { return agent.Config{}, nil }
	src := subagents.New(subagents.Config{})
	for _, c := range []spawn.Config{{}, {Declarations: src}, {Declarations: src, Build: build}} {
		if _, err := spawn.New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
