package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/session"
)

func TestFallback(t *testing.T) {
	for _, tt := range []struct {
		name, first string
		want        string // the answer; empty: the first model's error
	}{
		{"overloaded", `error: {status: 529}`, "from the second"},
		{"too long", `error: {status: 400, code: context_length_exceeded, message: maximum context length is 10 tokens}`, "from the second"},
		{"another error", `error: {status: 401}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := agent.New(agent.Config{
				Model: script(t, "turns:\n  - "+tt.first+"\n"), ModelName: "one",
				Fallback: []agent.Alternative{{Model: script(t, "turns:\n  - text: from the second\n"), Name: "two"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			var text, shown, models string
			var failed error
			for e, err := range a.Run(context.Background(), "s", agent.Text("hi")) {
				if failed = err; err != nil {
					break
				}
				switch e.Kind {
				case session.Answer:
					text = e.Message.Text().String()
				case session.Diagnostic:
					shown += e.Diagnostic.Code + " "
				case session.Requested:
					models += e.Request.Model + " "
				}
			}
			switch {
			case tt.want == "" && (failed == nil || models != "one "):
				t.Errorf("got error %v after requests to %s", failed, models)
			case tt.want != "" && (failed != nil || text != tt.want || !strings.Contains(shown, "model.fallback") || models != "one two "):
				t.Errorf("got %q, error %v, diagnostics %s, requests to %s", text, failed, shown, models)
			}
		})
	}
}
