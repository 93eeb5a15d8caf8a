package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool"
)

// effectful is a fake that tells its effect.
type effectful struct {
	fake
	effect tool.Effect
}

func (e *effectful) Effect(context.Context, json.RawMessage) tool.Effect { return e.effect }

// Calls that only read run at the same time, others by themselves; the results
// come in the order of the calls.
func TestCallsTogether(t *testing.T) {
	for _, tt := range []struct {
		effect tool.Effect
		want   int32 // calls that ran at the same time
	}{
		{tool.Effect{ReadOnly: true}, 3},
		{tool.Effect{}, 1},
	} {
		var now, most, n atomic.Int32
		release := make(chan struct{})
		tools := &effectful{effect: tt.effect, fake: fake{name: "look", call: func(ctx context.Context, args json.RawMessage) (tool.Result, error) {
			running := now.Add(1)
			defer now.Add(-1)
			for m := most.Load(); running > m && !most.CompareAndSwap(m, running); m = most.Load() {
			}
			if n.Add(1) == tt.want {
				close(release)
			}
			if tt.want > 1 {
				select {
				case <-release:
				case <-time.After(5 * time.Second):
				}
			}
			return tool.Text(string(args)), nil
		}}}
		a := newAgent(t, agent.Config{Tools: []tool.Tool{tools}, Model: script(t,
			"turns:\n  - calls: [{tool: look, args: {n: 1}}, {tool: look, args: {n: 2}}, {tool: look, args: {n: 3}}]\n  - text: done\n")})
		var got []string
		for e, err := range a.Run(context.Background(), "s", agent.Text("go")) {
			if err != nil {
				t.Fatal(err)
			}
			switch e.Kind {
			case session.Call:
				got = append(got, "call")
			case session.Result:
				got = append(got, e.Message.Results()[0].Text.String())
			}
		}
		want := `call call call {"n":1} {"n":2} {"n":3}`
		if tt.want == 1 {
			want = `call {"n":1} call {"n":2} call {"n":3}`
		}
		if s := strings.Join(got, " "); s != want || most.Load() != tt.want {
			t.Errorf("read-only %v: got %s, %d at the same time", tt.effect.ReadOnly, s, most.Load())
		}
	}
}

// A tool that does not notice the end of its turn does not hold it up.
func TestDeafTool(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	ctx, cancel := context.WithCancel(context.Background())
	deaf := &fake{name: "deaf", call: func(context.Context, json.RawMessage) (tool.Result, error) {
		cancel()
		<-hang
		return tool.Text("late"), nil
	}}
	a := newAgent(t, agent.Config{Tools: []tool.Tool{deaf}, Model: script(t, "turns:\n  - calls: [{tool: deaf, args: {}}, {tool: deaf, args: {}}]\n  - text: done\n")})
	var results []string
	start := time.Now()
	for e, err := range a.Run(ctx, "s", agent.Text("go")) {
		if err != nil {
			break
		}
		if e.Kind == session.Result {
			results = append(results, e.Message.Results()[0].Text.String())
		}
	}
	if d := time.Since(start); d > 2*time.Second {
		t.Errorf("the turn took %v", d)
	}
	if len(results) != 2 || !strings.Contains(results[0], "outcome is unknown") || !strings.HasPrefix(results[1], "not run") {
		t.Errorf("got results %s", fmt.Sprintf("%q", results))
	}
}
