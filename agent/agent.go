package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/trace"
	"github.com/proemhq/proem/wire"
)

// Config says what an agent is. Model is required. So is ModelName, but New does
// not miss it: the first request fails without.
type Config struct {
	Model     provider.Model
	ModelName string // as the host calls it; sent with every request
	// Fallback are the models to go on with, in order, when the one before is
	// overloaded, or the conversation does not fit into it even after a compaction.
	Fallback []Alternative
	// System is the base prompt, and Instructions what the task asks for. Both are
	// literal texts; register a section to use a template.
	System       string
	Instructions string
	Tools        []tool.Tool
	// Sets are tools that may change while sessions run; see also [Agent.AddSet].
	// No two have the same name, and a tool of Tools comes before one of a set.
	Sets []tool.Set
	// ToolChanges says what becomes of the tools block when they do.
	ToolChanges ToolChanges
	// Preset is the composition model; nil: standard.
	Preset *preset.Preset
	// Registry holds further sections, variables and tools; nil: an empty one. The
	// agent registers its own in the layer of Scope.
	Registry *registry.Registry
	Scope    string        // whose lineage is assembled; empty: the global layer
	Store    session.Store // nil: in memory
	Env      *env.Env      // nil: the operating system
	Request  Request
	Limits   Limits
	// Compaction makes long conversations shorter.
	Compaction Compaction
	// RefuseBusy refuses an input for a session in which a turn runs, with ErrBusy.
	// Without it the input waits.
	RefuseBusy bool
	// Hooks take part in the turns, in this order.
	Hooks  []Hook
	Nested Nested // nil: nothing is handed over with results
	// Permissions decide which calls run; nil: every call does.
	Permissions *Permissions
	// Trace says who is told how a turn goes.
	Trace Tracing
	// Lock is the SHA-256 sum in hex of what pins the prompts, such as proem.lock. It
	// stands in request events and spans.
	Lock string
	// Runtime lets the model act by its answers, such as by code; nil: by tool calls.
	Runtime Runtime
}

// Nested finds documents that hold for a path and are not in the prompt, such as
// the instruction file of a subdirectory. When a tool touched the path, they are
// handed over with its result, each once in a session; the prompt's prefix does
// not move. It may be called concurrently.
type Nested interface {
	Near(ctx context.Context, path string) ([]prompt.Doc, []prompt.Diagnostic, error)
}

// Request are the parameters of every request.
type Request struct {
	Options   wire.Options
	Placement wire.Placement
	Cache     wire.Cache // for protocols with cache breakpoints
	// Chain lets the provider keep the conversation, where the protocol knows that:
	// a request then sends only what came since the last response. A turn that
	// begins in another process sends all once.
	Chain bool
}

// An Agent runs sessions. Make one with New.
type Agent struct {
	cfg      Config
	preset   preset.Preset
	env      *env.Env
	tools    map[string]tool.Tool
	scope    *registry.Scope
	hooks    hooks
	sets     toolSets
	passages passages
	tracer   *trace.Tracer // nil: there is no sink

	mu   sync.Mutex
	live map[string]*live
}

// New returns an agent. It reads nothing and starts nothing. The error says what
// of the configuration cannot be registered.
func New(cfg Config) (*Agent, error) {
	if cfg.Model == nil {
		return nil, errors.New("agent: no model; set Config.Model, for instance to a provider.HTTP")
	}
	hooks, err := chains(cfg.Hooks)
	if err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	if cfg.Registry == nil {
		cfg.Registry = registry.New()
	}
	if cfg.Store == nil {
		cfg.Store = &memory.Store{}
	}
	for _, err := range []error{cfg.Limits.check(), cfg.Permissions.check(), cfg.Compaction.check()} {
		if err != nil {
			return nil, fmt.Errorf("agent: %w", err)
		}
	}
	a := &Agent{cfg: cfg, env: env.OrSystem(cfg.Env), tools: map[string]tool.Tool{}, live: map[string]*live{},
		scope: cfg.Registry.Scope(cfg.Scope), hooks: hooks}
	if cfg.Trace.Sink != nil {
		a.tracer = &trace.Tracer{Sink: cfg.Trace.Sink, Env: a.env}
	}
	if cfg.Preset != nil {
		a.preset = *cfg.Preset
	} else {
		a.preset = standard.New(standard.Config{})
	}
	if a.preset.Contexts == nil {
		a.preset.Contexts = preset.Deltas
	}
	if err := a.register(); err != nil {
		a.scope.Dispose()
		return nil, fmt.Errorf("agent: %w", err)
	}
	return a, nil
}

// register puts the agent's own texts and tools into its layer.
func (a *Agent) register() error {
	texts := standard.Texts{Base: standard.Literal{Text: a.cfg.System}, Instructions: standard.Literal{Text: a.cfg.Instructions},
		Tools: len(a.cfg.Tools)+len(a.cfg.Sets) > 0, Orders: a.preset.Orders}
	if a.cfg.Runtime != nil {
		texts.Runtime = standard.Literal{Text: a.cfg.Runtime.Text()}
	}
	if err := standard.Define(a.scope, texts); err != nil {
		return err
	}
	specs := make([]chat.ToolSpec, 0, len(a.cfg.Tools))
	for _, t := range a.cfg.Tools {
		spec := t.Spec()
		if spec.Name == "" {
			return fmt.Errorf("a tool of type %T has no name", t)
		}
		if a.tools[spec.Name] != nil {
			return fmt.Errorf("two tools are named %q", spec.Name)
		}
		if spec.From == nil {
			spec.From = &span.Origin{Section: spec.Name, Source: "tool", Scope: a.cfg.Scope}
		}
		a.tools[spec.Name] = t
		specs = append(specs, spec)
		if err := a.addPassages(t); err != nil {
			return err
		}
	}
	if len(specs) > 0 {
		if _, err := a.scope.Tools(prompt.ToolDef{Specs: specs}); err != nil {
			return err
		}
	}
	for _, set := range a.cfg.Sets {
		if _, err := a.addSet(set); err != nil {
			return err
		}
	}
	return nil
}

// Close takes the agent's own texts and tools out of the registry. Turns in
// progress go on; later ones have neither.
func (a *Agent) Close() { a.scope.Dispose() }

// Registry returns the registry that the agent composes from.
func (a *Agent) Registry() *registry.Registry { return a.cfg.Registry }

// Preset returns the composition model.
func (a *Agent) Preset() preset.Preset { return a.preset }
