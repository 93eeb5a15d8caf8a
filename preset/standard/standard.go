// Package standard is proem's own composition model.
//
// Its stages, in order: tools are ordered and filtered, assembly hooks run, text
// that changes at every request is moved from the system channels to the
// context channel, references of templates are replaced, blank sections are
// dropped, what others wrote is fenced, and a budget is kept:
//
//	p := standard.New(standard.Config{Budget: 100_000, Count: count})
//	standard.Define(reg.Scope("agent"), standard.Texts{Base: "You are a careful Go programmer."})
//
// Names break ties, byte by byte. A session keeps its prefix: the context channel
// reaches the model as deltas of its sections behind the history, and so does what
// changed in the system and the instructions since the session began.
package standard

import (
	"strings"

	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/stage"
)

// Orders of the built-in sections in the system channel. Other sections may
// stand anywhere between them; contexts and reminders are ordered among
// themselves by order and name.
const (
	OrderBase         = 100 // who the agent is
	OrderRole         = 200 // role and modes
	OrderInstructions = 300 // instruction files of user and project
	OrderSkills       = 400
	OrderWorkspace    = 500 // files of the agent's home
	OrderSubagents    = 600
	OrderTools        = 800 // what changing sets of tools say of themselves
	OrderRuntime      = 900 // how the runtime works
	OrderToolTexts    = 950 // what the agent's own tools say of themselves
)

// Config holds the preset's options. The zero value is the default.
type Config struct {
	ToolOrder  []string // names and stage.Unlisted; empty: by name
	Visibility []stage.VisibilityRule
	Hooks      []stage.Hook
	// Root is the project's root. The fence of a file below it shows the path from
	// there, by which tools open it; that of another file shows its name.
	Root        string
	KeepMissing bool // leave references to unknown variables in the text, with a warning
	// Budget is the most tokens that the sections and tools may have together; 0:
	// no limit. It needs Count.
	Budget int
	Count  func(string) int
	// Refresh, if not nil, takes the place of preset.EachSession.
	Refresh *preset.Refresh
}

// New returns the preset. A wrong tool order is reported at every assembly;
// [stage.CheckOrder] tells beforehand.
func New(cfg Config) preset.Preset {
	stages := []prompt.Stage{
		stage.ToolOrder(cfg.ToolOrder),
	}
	if len(cfg.Visibility) > 0 {
		stages = append(stages, stage.Visibility(cfg.Visibility...))
	}
	stages = append(stages,
		stage.Protect(cfg.Hooks...),
		stage.MoveTurn(),
		stage.Interpolate(stage.InterpolateConfig{Optional: true, Keep: cfg.KeepMissing}),
		stage.DropBlank(),
		stage.Fence(stage.FenceConfig{Path: FencePath(cfg.Root)}),
	)
	if cfg.Budget > 0 && cfg.Count != nil {
		stages = append(stages, stage.Budget(stage.BudgetConfig{Tokens: cfg.Budget, Count: cfg.Count, Tools: true}))
	}
	refresh := preset.EachSession
	if cfg.Refresh != nil {
		refresh = *cfg.Refresh
	}
	return preset.Preset{
		Name:     "standard",
		Stages:   func([]string) []prompt.Stage { return stages },
		Contexts: preset.Deltas,
		Refresh:  refresh,
	}
}

// FencePath returns what the fence of a section shows in a project with that root.
func FencePath(root string) func(prompt.Section) string {
	return func(s prompt.Section) string { return fencePath(root, s) }
}

// fencePath returns what a fence calls a section: the path from the project's
// root, which is the same on every machine, or the name.
func fencePath(root string, s prompt.Section) string {
	if s.From != nil && root != "" {
		if rel, ok := strings.CutPrefix(s.From.Path, strings.TrimRight(root, `/\`)); ok && rel != "" && (rel[0] == '/' || rel[0] == '\\') {
			return strings.ReplaceAll(rel[1:], `\`, "/")
		}
	}
	if s.Doc == nil {
		return s.Name
	}
	if _, path, ok := strings.Cut(s.Name, ":"); ok {
		return path
	}
	return s.Name
}
