package cli

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/spawn"
	"github.com/proemhq/proem/preset/agentscope"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/tool/skill"
	"github.com/proemhq/proem/tool/subagent"
	"github.com/proemhq/proem/tool/todo"
)

// projectSubagents are the folders of a project's declarations.
func (b *bench) projectSubagents() []subagents.Place {
	places := []subagents.Place{{Scope: "project", Root: b.place.root, Dir: ".proem/subagents", Trust: span.Workspace}}
	if at, ok := b.ownHome(); ok {
		places = append(places, subagents.Place{Scope: "workspace", Root: at.root, Dir: path.Join(at.dir, "subagents"), Trust: span.Workspace})
	}
	return places
}

// declarations returns the source of subagent declarations.
func (b *bench) declarations(l *load.Loader) *subagents.Source {
	c := subagents.Config{Env: b.env, Loader: l, Tool: subagent.SpawnName}
	if b.cfg.Preset == agentScope {
		c.Builtin = []subagents.Declaration{agentscope.General()}
	}
	if b.place.userConfig != "" {
		c.Places = append(c.Places, subagents.Place{Scope: "user", Root: b.place.userConfig, Dir: "subagents", Trust: span.User})
	}
	if b.trusted {
		c.Places = append(c.Places, b.projectSubagents()...)
	}
	return subagents.New(c)
}

// findSubagents sets the declarations if one can be started. With none the agent
// has neither the list nor the tools, until the next start: tools that appear
// within a session would move its prefix.
func (b *bench) findSubagents(ctx context.Context, l *load.Loader) error {
	src := b.declarations(l)
	cat, err := src.Catalog(ctx)
	if err != nil {
		return err
	}
	startable := func(e subagents.Entry) bool { return e.ShadowedBy == "" && e.Mode != subagents.Primary }
	if shows(b.cfg.Tools, subagent.SpawnName) && slices.ContainsFunc(cat.Entries, startable) {
		b.subagents = src
	}
	return nil
}

// spawning returns what runs the subagents of an agent; nil: there are none. The
// store is that of both.
func (c *command) spawning(b *bench, o options, l *load.Loader, store session.Store, p *agent.Permissions) (*spawn.Spawner, error) {
	if b.subagents == nil {
		return nil, nil
	}
	return spawn.New(spawn.Config{Declarations: b.subagents, Store: store, Permissions: p,
		Build: func(ctx context.Context, d *subagents.Declaration, _ int) (agent.Config, error) {
			return c.child(ctx, b, o, l, d)
		}})
}

// child returns what a subagent is made of: what its parent could have, of which
// its declaration leaves it a part.
func (c *command) child(ctx context.Context, b *bench, o options, l *load.Loader, d *subagents.Declaration) (agent.Config, error) {
	own := *b
	own.subagents, own.diagnostics, own.child = nil, nil, true
	if d.Model != "" {
		var err error
		if own.model, err = c.named(b.cfg, b.env, d.Model); err != nil {
			return agent.Config{}, err
		}
		own.model.spec = d.Model
		own.counter = token.NewMemo(token.ForModel(own.model.name), 0)
	}
	reg, p, err := c.compose(&own)
	if err != nil {
		return agent.Config{}, err
	}
	if err := c.define(&own, reg, l); err != nil {
		return agent.Config{}, err
	}
	tools, err := c.toolsOf(ctx, &own, o)
	if err != nil {
		return agent.Config{}, err
	}
	tools = slices.DeleteFunc(tools, func(t tool.Tool) bool { // its task is one step of its parent's list, and of the plan
		name := t.Spec().Name
		return (name == todo.Name || name == plan.EnterName || name == plan.WriteName || name == plan.ExitName) && !slices.Contains(d.Tools, name)
	})
	if !slices.Contains(d.Inherit, subagents.Skills) && !slices.Contains(d.Tools, skill.Name) { // it is not shown the list
		tools = slices.DeleteFunc(tools, func(t tool.Tool) bool { return tool.RuleName(t) == skill.Name })
	}
	own.preset = p
	left := slices.DeleteFunc(slices.Clone(tools), func(t tool.Tool) bool { return d.Tools != nil && !slices.Contains(d.Tools, t.Spec().Name) })
	if err := own.deepseekParts(reg.Global(), left); err != nil {
		return agent.Config{}, err
	}
	cfg := agent.Config{
		Model: own.model.Model, ModelName: own.model.name, Registry: reg, Preset: &p, Env: b.env, Tools: tools, Nested: own.nested,
		Request: agent.Request{Placement: placement(b.cfg.Placement), Options: requestOptions(b.cfg, o.noStream), Cache: cacheOf(b.cfg)},
		Limits:  limits(b.cfg, own.model.spec), Compaction: compaction(&own), ToolChanges: toolChanges(b.cfg),
		Trace: agent.Tracing{Sink: b.tracing.Sink, Name: d.Name, Contents: b.tracing.Contents}, Lock: b.lock,
	}
	if d.Model == "" {
		cfg.Fallback, err = c.fallback(&own)
	}
	return cfg, err
}

// storeOf returns the store of a bench, or one in memory.
func storeOf(b *bench) session.Store {
	if b.store == nil {
		return &memory.Store{}
	}
	return b.store
}

// parentOf returns whose child a session is; nil: nobody's.
func parentOf(ctx context.Context, store session.Store, id string) (*session.Parent, error) {
	for e, err := range store.Events(ctx, id) {
		return e.Parent, err
	}
	return nil, nil
}

// asChild takes the subagent in the place of the agent if the session is one's.
func (b *bench) asChild(ctx context.Context, id string) error {
	p, err := parentOf(ctx, b.store, id)
	if err != nil || p == nil {
		return err
	}
	if b.spawner == nil {
		return fmt.Errorf("session %s is that of the subagent %s, which is not declared here", id, p.Agent)
	}
	a, _, err := b.spawner.Agent(ctx, id)
	if err != nil {
		return fmt.Errorf("session %s: %w", id, err)
	}
	b.agent = a
	return nil
}

// outstanding waits for subagents in the background, and reports whether the agent
// is to be told of some.
func (c *command) outstanding(ctx context.Context, b *bench, id string) (bool, error) {
	if b.spawner == nil {
		return false, nil
	}
	if n := b.spawner.Working(id); n > 0 {
		c.say("info subagent: waiting for %s in the background", plural(n, "subagent"))
	}
	n, err := b.spawner.Outstanding(ctx, id)
	return n > 0, err
}
