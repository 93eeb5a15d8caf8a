package ai4j

import (
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/stage"
)

// Config holds the preset's options. The zero value is the original's default:
// ReAct, all tools shown, the history sent whole.
type Config struct {
	// Runtime says how the loop works; empty: [ReAct]. An agent that brings a runtime
	// of its own keeps its text.
	Runtime   string
	NoRuntime bool // say nothing of the loop
	// Projection says what of the history is sent.
	Projection Projection
	Visibility []stage.VisibilityRule // which tools are shown; the last rule that matches decides
	ToolOrder  []string               // names and stage.Unlisted; empty: by name
	Hooks      []stage.Hook           // assembly hooks
	// KeepMissing leaves references to unknown variables in the text, with a warning.
	KeepMissing bool
	// Path is what the fence of a file shows; nil: as [stage.FenceConfig] has it.
	Path func(prompt.Section) string
	// Budget is how many tokens a request may have: sections and tools first, and the
	// history what they leave. 0: no limit.
	Budget int
	Count  func(string) int // counts tokens; nil: a quarter of the bytes, rounded up
	// Refresh, if not nil, takes the place of preset.EachStep.
	Refresh *preset.Refresh
}

// New returns the preset. A wrong tool order is reported at every assembly;
// [stage.CheckOrder] tells beforehand.
func New(cfg Config) preset.Preset {
	stages := cfg.stages()
	p := preset.Preset{
		Name:     "ai4j",
		Stages:   func([]string) []prompt.Stage { return stages },
		Project:  projector{cfg.Projection, cfg.Budget, cfg.Count}.project,
		Contexts: preset.Deltas,
		Traced:   true,
	}
	if cfg.Refresh != nil {
		p.Refresh = *cfg.Refresh
	}
	return p
}

func (cfg Config) stages() []prompt.Stage {
	stages := []prompt.Stage{stage.ToolOrder(cfg.ToolOrder)}
	if len(cfg.Visibility) > 0 {
		stages = append(stages, stage.Visibility(cfg.Visibility...))
	}
	stages = append(stages,
		stage.Protect(cfg.Hooks...),
		Runtime(cfg.runtime()),
		stage.Interpolate(stage.InterpolateConfig{Optional: true, Keep: cfg.KeepMissing}),
		stage.DropBlank(),
		stage.Fence(stage.FenceConfig{Path: cfg.Path}),
	)
	if cfg.Budget > 0 {
		stages = append(stages, stage.Budget(stage.BudgetConfig{Tokens: cfg.Budget, Count: cfg.Count, Tools: true}))
	}
	return stages
}

func (cfg Config) runtime() string {
	switch {
	case cfg.NoRuntime:
		return ""
	case cfg.Runtime == "":
		return ReAct
	}
	return cfg.Runtime
}
