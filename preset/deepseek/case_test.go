package deepseek_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/preset/deepseek"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
)

// TestCase holds the handed cases that the preset alone decides.
func TestCase(t *testing.T) {
	t.Run("S25", caseS25)
}

// A message is one of a body for openai-chat.
type message struct{ Role, Content string }

// bodies keeps the messages of the requests that are sent.
type bodies struct {
	t    *testing.T
	sent [][]message
}

func (*bodies) Name() string { return "bodies" }

func (b *bodies) AroundModel(ctx context.Context, _ agent.At, body wire.Body, next func(context.Context) iter.Seq2[wire.Event, error]) iter.Seq2[wire.Event, error] {
	var r struct{ Messages []message }
	if err := json.Unmarshal(body.JSON, &r); err != nil {
		b.t.Error(err)
	}
	b.sent = append(b.sent, r.Messages)
	return next(ctx)
}

// The runtime context is read again for each request of a turn, and told where it
// changed.
func caseS25(t *testing.T) {
	p := newPreset(t, deepseek.Config{})
	policy := "read only"
	done(t)(p.Registry.Global().Dynamic(prompt.SectionDef{Name: deepseek.ApprovalContext, Channel: prompt.Context, Order: deepseek.ApprovalPolicy.Order()},
		source.Func(func(context.Context, source.Query) (prompt.Fact, error) { return prompt.Fact{Text: policy}, nil })))
	set, err := tool.New("set_policy", "Sets the policy.", func(_ context.Context, a struct {
		To string `json:"to"`
	}) (tool.Result, error) {
		policy = a.To
		return tool.Text("set"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	script, err := scripted.Parse([]byte(`turns:
  - calls: [{tool: set_policy, args: {to: anything}}]
  - calls: [{tool: set_policy, args: {to: anything}}]
  - text: done
  - text: done
`), "s25")
	if err != nil {
		t.Fatal(err)
	}
	seen := &bodies{t: t}
	rules := p.Preset()
	a, err := agent.New(agent.Config{Model: scripted.New(*script), ModelName: "m", Preset: &rules, Registry: p.Registry, Tools: []tool.Tool{set}, Hooks: []agent.Hook{seen}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, err := range a.Run(t.Context(), "s", agent.Text("hi")) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	snapshot := func(policy string) message {
		return message{"user", deepseek.DefaultContextHeading + "\n\n" + policy}
	}
	var roles []string
	for i, m := range seen.sent {
		check(t, "system text", m[0], seen.sent[0][0])
		var of strings.Builder
		for _, x := range m[max(1, len(seen.sent[max(0, i-1)])*min(i, 1)):] { // what is new
			of.WriteString(x.Role + " ")
		}
		roles = append(roles, of.String())
	}
	check(t, "what each request adds", roles, []string{"user user ", "assistant tool user ", "assistant tool ", "assistant user "})
	last := func(i int) message { return seen.sent[i][len(seen.sent[i])-1] }
	check(t, "end of the first request", last(0), snapshot("read only"))
	check(t, "end of the second", last(1), snapshot("anything"))
	check(t, "end of the third", last(2).Content, "set")
	check(t, "end of the next turn", last(3), message{"user", "hi"})
}
