package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/inspect/cache"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/provider/scripted"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/anthropic"
	"github.com/proemhq/proem/wire/openaichat"
)

// ModelName is the model that the requests of a run name.
const ModelName = "scenario"

// A Run plays a scenario with one design.
type Run struct {
	Scenario Scenario
	Design   Design
	Count    func(string) int // by which texts get their size
	// Model answers, as Script says; nil: one that plays it in this process and
	// speaks Dialect.
	Model   provider.Model
	Dialect wire.Dialect // zero: openaichat.Dialect
}

// Bodies runs the agent and returns the bodies that it sent.
func (r Run) Bodies(ctx context.Context) ([]cache.Recorded, error) {
	w := &World{scenario: r.Scenario, write: &writer{count: r.Count, sizes: map[string]int{}}}
	p, reg, err := r.Design.New(w)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Design.Name, err)
	}
	model := r.Model
	if model == nil {
		model = r.player()
	}
	tap := &recording{Model: model}
	cfg := agent.Config{
		Model: tap, ModelName: ModelName, Preset: &p, Registry: reg, Tools: w.tools(),
		Env:    &env.Env{Clock: env.Fixed(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), IDs: &env.Sequence{}},
		Limits: agent.Limits{Steps: r.Scenario.Steps + 1},
	}
	for _, b := range w.Parts(Base) {
		cfg.System += w.write.part(b, 1)
	}
	a, err := agent.New(cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", r.Design.Name, err)
	}
	defer a.Close()
	for turn := range r.Scenario.Turns {
		text := w.write.write(fmt.Sprintf("input %d", turn+1), r.Scenario.Input)
		for _, err := range a.Run(ctx, "scenario", agent.Text(text)) {
			if err != nil {
				return nil, fmt.Errorf("%s, turn %d: %w", r.Design.Name, turn+1, err)
			}
		}
	}
	if len(tap.bodies) != r.Scenario.Steps {
		return nil, fmt.Errorf("%s: %d requests were made instead of %d", r.Design.Name, len(tap.bodies), r.Scenario.Steps)
	}
	return tap.bodies, nil
}

// Script returns what the model of the scenario says: every step of a turn calls
// a tool, and the last one answers.
func (s Scenario) Script(count func(string) int) scripted.Script {
	w := &writer{count: count, sizes: map[string]int{}}
	var out scripted.Script
	for step := 1; step <= s.Steps; step++ {
		name := fmt.Sprintf("answer %d", step)
		if step%s.PerTurn() == 0 {
			out.Turns = append(out.Turns, scripted.Turn{Text: w.write(name, s.Answer)})
			continue
		}
		args, _ := json.Marshal(map[string]string{"path": fmt.Sprintf("dir/file%d.go", step)}) // it cannot fail
		call := scripted.Call{Tool: toolName(step % s.Tools.Count), Args: args, ID: fmt.Sprintf("call_%d", step)}
		text := w.write(name, max(1, s.Answer-count(call.Tool+" "+string(args))))
		out.Turns = append(out.Turns, scripted.Turn{Text: text, Calls: []scripted.Call{call}})
	}
	return out
}

// player returns a model that plays the script and speaks the dialect.
func (r Run) player() provider.Model {
	m := scripted.New(r.Scenario.Script(r.Count))
	m.Cap.CacheKey = true
	if r.Dialect.Name != "" {
		m.Dialect = r.Dialect
	}
	if r.Dialect.Name == anthropic.Name {
		m.Cap = wire.Lookup("anthropic", "claude-sonnet-4-5")
	}
	return m
}

// A recording model keeps the bodies that it sends.
type recording struct {
	provider.Model
	mu     sync.Mutex
	bodies []cache.Recorded
}

// Capability implements [provider.Informer].
func (m *recording) Capability() wire.Capability {
	if i, ok := m.Model.(provider.Informer); ok {
		return i.Capability()
	}
	return wire.Capability{}
}

// Send implements [provider.Model].
func (m *recording) Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	m.mu.Lock()
	m.bodies = append(m.bodies, cache.Recorded{Body: slices.Clone(b.JSON), Marks: slices.Clone(b.Marks)})
	m.mu.Unlock()
	return m.Model.Send(ctx, b)
}

// A reader is a tool that returns a text of the scenario's size.
type reader struct {
	spec chat.ToolSpec
	w    *World
}

func (t reader) Spec() chat.ToolSpec { return t.spec }

func (t reader) Call(_ context.Context, args json.RawMessage) (tool.Result, error) {
	return tool.Text(t.w.write.write("result of "+string(args), t.w.scenario.Result)), nil
}

func toolName(n int) string { return fmt.Sprintf("tool_%02d", n) }

// tools returns the tools, each of the scenario's size together with its schema
// and what the protocol puts around both.
func (w *World) tools() []tool.Tool {
	const schema = `{"properties":{"path":{"type":"string"}},"required":["path"],"type":"object"}`
	out := make([]tool.Tool, w.scenario.Tools.Count)
	for i := range out {
		name := toolName(i)
		around := w.write.count(fmt.Sprintf(`{"type":"function","function":{"name":%q,"description":"","parameters":%s}}`, name, schema))
		text := strings.ReplaceAll(w.write.write(name, max(1, w.scenario.Tools.Tokens-around)), "\n", " ")
		out[i] = reader{chat.ToolSpec{Name: name, Description: text, Parameters: json.RawMessage(schema)}, w}
	}
	return out
}

// Analyze runs the agent and says what a cache finds of its requests.
func (r Run) Analyze(ctx context.Context) (cache.Report, error) {
	bodies, err := r.Bodies(ctx)
	if err != nil {
		return cache.Report{}, err
	}
	a := cache.New(r.Count)
	for _, b := range bodies {
		if err := a.Add(b); err != nil {
			return cache.Report{}, err
		}
	}
	return a.Report(r.Design.Name), nil
}

// analyze is Analyze for the protocols whose caches are simulated.
func (r Run) analyze(ctx context.Context) (cache.Report, error) {
	r.Dialect = openaichat.Dialect
	report, err := r.Analyze(ctx)
	if err != nil {
		return report, err
	}
	r.Dialect = anthropic.Dialect
	other, err := r.Analyze(ctx)
	report.Anthropic(other)
	return report, err
}

// Compare plays a scenario with each design. The bound is what the standard preset
// costs if nothing changes.
func Compare(ctx context.Context, s Scenario, designs []Design, count func(string) int) (reports []cache.Report, bound cache.Report, err error) {
	bound, err = Run{Scenario: s.Still(), Design: Design{"bound", newStandard}, Count: count}.analyze(ctx)
	if err != nil {
		return nil, bound, err
	}
	for _, d := range designs {
		r, err := Run{Scenario: s, Design: d, Count: count}.analyze(ctx)
		if err != nil {
			return nil, bound, err
		}
		r.Against(bound)
		reports = append(reports, r)
	}
	bound.Against(bound)
	return reports, bound, nil
}
