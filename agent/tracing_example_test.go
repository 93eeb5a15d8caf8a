package agent_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/trace"
	"github.com/proemhq/proem/trace/jsonl"
)

// traced is an agent whose turns are written to a file.
func traced(model provider.Model, f *os.File, apiKey string) agent.Config {
	return agent.Config{
		Model: model, ModelName: "a-model", System: "You review Go.",
		Trace: agent.Tracing{
			Name: "reviewer",
			Sink: &jsonl.Sink{
				W:        f, // opened to append
				Resource: []trace.Attr{trace.String("service.name", "shop")},
				Redact:   trace.NewRedactor(apiKey),
			},
		},
	}
}

// timeline is a sink of one's own: it prints what ended, and how long it took.
type timeline struct{}

func (timeline) End(s trace.Span) {
	took := s.End.Sub(s.Begin)
	if s.Failed {
		fmt.Println(s.Name, took, "failed:", s.Get(trace.ErrorType))
		return
	}
	fmt.Println(s.Name, took)
}

// A sink is given each span when it is over, children before their parents.
func ExampleTracing() {
	script, err := scripted.Parse([]byte("turns: [{calls: [{tool: upper, args: {text: quiet}}]}, {text: QUIET}]"), "script.yaml")
	if err != nil {
		log.Fatal(err)
	}
	cfg := traced(scripted.New(*script), nil, "")
	cfg.Tools, cfg.Trace.Sink, cfg.Env = []tool.Tool{upper{}}, timeline{}, &env.Env{Clock: env.Fixed(t0)}
	a, err := agent.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	for _, err := range a.Run(context.Background(), "s", agent.Text("Louder!")) {
		if err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// chat a-model 0s
	// execute_tool upper 0s
	// step 0s
	// chat a-model 0s
	// step 0s
	// invoke_agent reviewer 0s
}
