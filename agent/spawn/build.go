package spawn

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/subagent"
)

// build makes the agent of a declaration.
func (s *Spawner) build(ctx context.Context, d *subagents.Declaration, depth int, background bool) (*agent.Agent, []prompt.Diagnostic, error) {
	cfg, err := s.cfg.Build(ctx, d, depth)
	if err != nil {
		return nil, nil, fmt.Errorf("subagent %s: %w", d.Name, err)
	}
	cfg.Store, cfg.Permissions = s.cfg.Store, s.cfg.Permissions
	if p := cfg.Permissions; p != nil && background {
		own := *p
		own.Unattended = true
		cfg.Permissions = &own
	}
	if d.Steps > 0 {
		cfg.Limits.Steps = d.Steps
	}
	notes := s.choose(&cfg, d, depth)
	if cfg.Registry == nil {
		cfg.Registry = registry.New()
	}
	if _, err := cfg.Registry.Scope(cfg.Scope).Section(prompt.SectionDef{Name: OwnSection, Order: standard.OrderBase, Required: true,
		Trust: min(d.Trust, span.User), Source: "subagent", Path: d.Path, Body: prompt.Body{Literal: strings.TrimRight(d.Prompt.String(), "\n")}}); err != nil {
		return nil, nil, fmt.Errorf("subagent %s: %w", d.Name, err)
	}
	p := standard.New(standard.Config{})
	if cfg.Preset != nil {
		p = *cfg.Preset
	}
	cfg.Preset = narrowed(p, d)
	if !inherits(d, subagents.Project) {
		cfg.Nested = nil
	}
	a, err := agent.New(cfg)
	if err != nil {
		return nil, nil, fmt.Errorf("subagent %s: %w", d.Name, err)
	}
	return a, notes, nil
}

// choose leaves a child the tools that its declaration names, and those that begin
// others only where that is possible.
func (s *Spawner) choose(cfg *agent.Config, d *subagents.Declaration, depth int) []prompt.Diagnostic {
	own := s.Tools()
	cfg.Tools = slices.DeleteFunc(slices.Clone(cfg.Tools), func(t tool.Tool) bool { return isOurs(t.Spec().Name) })
	if depth < s.cfg.MaxDepth {
		cfg.Tools = append(cfg.Tools, own...)
	}
	if d.Tools == nil {
		return nil
	}
	have := map[string]bool{}
	cfg.Tools = slices.DeleteFunc(cfg.Tools, func(t tool.Tool) bool {
		for _, name := range []string{t.Spec().Name, tool.RuleName(t)} { // as it is shown, or as every preset knows it
			if slices.Contains(d.Tools, name) {
				have[name] = true
				return false
			}
		}
		return true
	})
	cfg.Sets = nil // their tools come and go; a declaration names what it wants
	var notes []prompt.Diagnostic
	for _, name := range d.Tools {
		if !have[name] {
			notes = append(notes, prompt.Diagnostic{Severity: prompt.Warning, Code: "subagent.tool", Path: d.Path,
				Message: fmt.Sprintf("%s asks for the tool %.80q, which it cannot have", d.Name, name)})
		}
	}
	return notes
}

func isOurs(name string) bool {
	return name == subagent.SpawnName || name == subagent.SendName || name == subagent.ListName
}

// narrowed returns the preset with a first stage that leaves out what the
// declaration does not inherit.
func narrowed(p preset.Preset, d *subagents.Declaration) *preset.Preset {
	stages, transform := p.Stages, p.Transform
	p.Stages = func(lineage []string) []prompt.Stage { return append([]prompt.Stage{Inherit(d)}, stages(lineage)...) }
	if transform != nil {
		p.Transform = func(lineage []string, hosts []preset.Transformer) []prompt.Stage {
			return append([]prompt.Stage{Inherit(d)}, transform(lineage, hosts)...)
		}
	}
	return &p
}

// Preview returns what the first request of a subagent would be, but for its task.
// Its sections, and the notes of [InheritStage], say what it inherits.
func (s *Spawner) Preview(ctx context.Context, name, task string) (agent.Preview, []prompt.Diagnostic, error) {
	d, err := s.cfg.Declarations.Find(ctx, name)
	if err != nil {
		return agent.Preview{}, nil, err
	}
	alone := &Spawner{cfg: s.cfg}
	alone.cfg.Store = &memory.Store{}
	a, notes, err := alone.build(ctx, d, 1, false)
	if err != nil {
		return agent.Preview{}, nil, err
	}
	defer a.Close()
	p, err := a.Preview(ctx, "preview", agent.Input{Text: task})
	return p, notes, err
}

// Agent returns the agent of a child, to run a turn of it directly, and false if
// the session is nobody's child.
func (s *Spawner) Agent(ctx context.Context, id string) (*agent.Agent, bool, error) {
	c := &child{id: id}
	if _, err := s.read(ctx, c); err != nil || c.parent.Agent == "" {
		return nil, false, err
	}
	d, err := s.cfg.Declarations.Find(ctx, c.parent.Agent)
	if err != nil {
		return nil, true, err
	}
	a, _, err := s.build(ctx, d, c.parent.Depth, false)
	return a, true, err
}
