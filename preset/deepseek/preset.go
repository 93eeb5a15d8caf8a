package deepseek

import (
	"slices"
	"sync"

	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/stage"
)

// The names of the built-in sections. They are registered globally, so another
// global section of the name is refused; a scope replaces one by registering its
// own.
const (
	IdentitySection      = "harness:identity"
	PersonaPrefixSection = "deployment:persona-prefix"
	PersonaSuffixSection = "deployment:persona-suffix"
)

// Ties are the preset's rules for equal orders.
var Ties = prompt.Ties{Names: prompt.ByUTF16, ByPosition: [prompt.Channels]bool{prompt.Context: true}, KeepTools: true}

// A Preset is a registry with the built-in sections and the assembly hooks. Its
// methods may be called concurrently.
type Preset struct {
	Registry *registry.Registry
	cfg      Config
	plain    []prompt.Stage // without hooks: the same for everybody

	mu    sync.Mutex
	hooks []*hook // in the order in which they run
	epoch int     // grows when hooks change
}

// New returns a preset with the built-in sections registered.
func New(cfg Config) (*Preset, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	p := &Preset{Registry: registry.New(), cfg: cfg}
	p.plain = slices.Clip(p.allStages(nil))
	return p, p.Register(p.Registry.Global())
}

// Register registers the preset's built-in sections in a scope.
func (p *Preset) Register(g *registry.Scope) error {
	defs := []prompt.SectionDef{
		{Name: PersonaPrefixSection, Order: DeploymentPersonaPrefix.Order(), Body: prompt.Body{Literal: p.cfg.PersonaPrefix, Template: true}},
		{Name: PersonaSuffixSection, Order: DeploymentPersonaSuffix.Order(), Body: prompt.Body{Literal: p.cfg.PersonaSuffix, Template: true}},
	}
	if !p.cfg.NoIdentity {
		identity := p.cfg.Identity
		if identity == "" {
			identity = DefaultIdentity
		}
		defs = append(defs, prompt.SectionDef{Name: IdentitySection, Order: HarnessIdentity.Order(), Body: prompt.Body{Literal: identity, Template: true}})
	}
	for _, d := range defs {
		if _, err := g.Section(d); err != nil {
			return err
		}
	}
	if p.cfg.NoRuntimeContext {
		if _, err := g.Mute(prompt.Context); err != nil {
			return err
		}
	}
	return nil
}

// HookOptions say where and for whom a hook runs.
type HookOptions struct {
	Scope   string // only for this scope and those below it; empty: always
	Prepend bool   // before the hooks added so far
	Global  bool   // run whatever the scope
}

type hook struct {
	stage.Hook
	HookOptions
}

// Hook adds an assembly hook. It runs around those added after it, unless they
// were prepended. The returned function removes it.
func (p *Preset) Hook(h stage.Hook, o HookOptions) (remove func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	added := &hook{h, o}
	if o.Prepend {
		p.hooks = append([]*hook{added}, p.hooks...)
	} else {
		p.hooks = append(slices.Clone(p.hooks), added)
	}
	p.epoch++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if i := slices.Index(p.hooks, added); i >= 0 {
			p.hooks = slices.Delete(slices.Clone(p.hooks), i, i+1)
			p.epoch++
		}
	}
}

// hooksFor returns the hooks that run for a lineage, and the epoch they are of.
func (p *Preset) hooksFor(lineage []string) ([]stage.Hook, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []stage.Hook
	for _, h := range p.hooks {
		if h.Global || h.Scope == "" || slices.Contains(lineage, h.Scope) {
			out = append(out, h.Hook)
		}
	}
	return out, p.epoch
}

func (p *Preset) hookEpoch() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.epoch
}

// AssembleStages are the stages of an assembly whose texts are not interpolated
// yet, as assembly hooks and [RenderPrompt] see it.
func (p *Preset) AssembleStages(lineage []string) []prompt.Stage {
	hooks, _ := p.hooksFor(lineage)
	return p.assembleStages(hooks)
}

func (p *Preset) assembleStages(hooks []stage.Hook) []prompt.Stage {
	return []prompt.Stage{stage.ToolOrder(p.cfg.ToolOrder), stage.Protect(hooks...)}
}

// Stages are all stages of the preset: what they give is ready to be encoded.
func (p *Preset) Stages(lineage []string) []prompt.Stage {
	hooks, _ := p.hooksFor(lineage)
	return p.stages(hooks)
}

func (p *Preset) stages(hooks []stage.Hook) []prompt.Stage {
	if len(hooks) == 0 {
		return p.plain
	}
	return p.allStages(hooks)
}

func (p *Preset) allStages(hooks []stage.Hook) []prompt.Stage {
	return append(p.assembleStages(hooks), templates, stage.Interpolate(stage.InterpolateConfig{}),
		stage.Heading(prompt.Context, p.heading()))
}

func (p *Preset) heading() string {
	if p.cfg.ContextHeading != "" {
		return p.cfg.ContextHeading
	}
	return DefaultContextHeading
}

// Input returns the input for a scope; "" sees the global layer only. In this
// preset the failure of any source is a fault.
func (p *Preset) Input(scope string, facts *prompt.Facts) prompt.Input {
	return prompt.Input{Lineage: p.Registry.Lineage(scope), Facts: facts, Ties: Ties, Strict: true}
}

// Assemble returns the assembly of a scope with its texts as they were
// registered, references included, for [RenderPrompt] and its siblings.
func (p *Preset) Assemble(scope string, facts *prompt.Facts) (prompt.Assembly, error) {
	in := p.Input(scope, facts)
	return prompt.Assemble(p.Registry.Snapshot(), in, p.AssembleStages(in.Lineage)...)
}

// Cleared is sent once when a session's contexts have gone.
const Cleared = "There is no runtime context any more. Disregard every earlier one."

// Preset returns the model for an agent: with the stages of [Preset.Stages] and
// whole snapshots of the contexts whenever they changed. Visibility rules, which
// the original does not have, hide tools before they are ordered.
func (p *Preset) Preset(rules ...stage.VisibilityRule) preset.Preset {
	return preset.Preset{
		Name: "deepseek", Ties: Ties, Strict: true, Epoch: p.hookEpoch, Contexts: preset.Snapshots(Cleared), Orders: orders,
		Stages: func(lineage []string) []prompt.Stage {
			stages := p.Stages(lineage)
			if len(rules) > 0 {
				stages = append([]prompt.Stage{stage.Visibility(rules...)}, stages...)
			}
			return append(slices.Clip(stages), shownTools, stage.Fence(stage.FenceConfig{}))
		},
	}
}
