package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/spawn"
	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/cli/trust"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/redact"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/subagents"
	"github.com/proemhq/proem/token"
	"github.com/proemhq/proem/tool"
	toolmemory "github.com/proemhq/proem/tool/memory"
	"github.com/proemhq/proem/tool/memory/store"
	"github.com/proemhq/proem/tool/permit"
)

// options are what a command wants of setup.
type options struct {
	run      bool   // the agent will run: the project's files are used only if it is trusted, and servers are looked for
	collect  bool   // note what the project's files say, to trust them
	model    string // from --model
	maxSteps int    // from --max-steps; 0: as configured
	noStream bool
	portable bool // leave out what belongs to the machine, the user or the moment
	permit   permitFlags
	trace    traceFlags
	pause    bool                               // a question to a person stops the run; else it is a refusal where nobody is at a terminal
	store    func(place) (session.Store, error) // nil: in memory
	recorded *session.Request                   // what is shown again, filled in by store; nil: nothing is
}

// A bench is everything a command works with.
type bench struct {
	place       place
	cfg         config.Config
	env         *env.Env
	model       resolved
	preset      preset.Preset
	counter     token.Counter // for the model
	agentName   string
	agent       *agent.Agent
	store       session.Store // nil: the agent's own
	trusted     bool          // the project's files are used
	tracing     agent.Tracing
	lock        string       // the sum of proem.lock
	guard       *trust.Guard // holds back what a recorded trust does not cover; nil: nothing
	skills      *skills.Set
	memory      *memory.Source    // the agent's home; nil: not used
	remembers   *store.Store      // what the memory tools work on; nil: there are none
	subagents   *subagents.Source // declarations; nil: none can be started
	spawner     *spawn.Spawner    // runs them; nil: none
	nested      agent.Nested      // finds instruction files below the working directory; nil: none are used
	rules       []permit.Rule     // of the configuration
	policy      *permit.Policy    // decides about calls
	portable    bool              // nothing of the machine goes into the prompt
	child       bool              // the agent is a subagent
	held        []string          // project files that are held back, or that run would hold back
	diagnostics []prompt.Diagnostic
}

// setup reads the configuration and builds the agent. It sends nothing, and
// writes nothing unless the store does.
func (c *command) setup(ctx context.Context, o options) (*bench, error) {
	b := &bench{}
	machine := *c.p.Env
	machine.Count = &env.Counters{}
	if !c.flags.clock.IsZero() {
		machine.Clock = env.Fixed(c.flags.clock)
	}
	b.env = env.OrSystem(&machine)
	if err := c.configure(b, o); err != nil {
		return nil, err
	}
	var err error
	if b.held, err = b.heldBack(); err != nil {
		return nil, err
	}
	c.hidden = redact.New(c.secrets(b.cfg)...)
	if b.tracing, err = c.tracing(b, o); err != nil {
		return nil, err
	}
	if b.lock, err = c.lockSum(b, o); err != nil {
		return nil, err
	}
	if b.model, err = c.resolve(ctx, b.cfg, b.env, o.run); err != nil {
		return nil, err
	}
	if o.store != nil {
		if b.store, err = o.store(b.place); err != nil {
			return nil, err
		}
	}
	counted := b.model.name
	if o.recorded != nil {
		counted = o.recorded.Model
	}
	b.counter = token.NewMemo(token.ForModel(counted), 0)
	if b.policy, err = c.policy(b, o.permit); err != nil {
		return nil, err
	}
	permissions := b.permissions(!o.pause && !c.asks())
	if made, ok := c.builtIn(b.cfg.Name); ok {
		b.held = slices.DeleteFunc(b.held, func(p string) bool { return p != b.place.projectFile() }) // what else it reads is its own affair
		return b, c.buildIn(b, made, permissions)
	}
	return b, c.buildAgent(ctx, b, o, permissions)
}

// configure finds the place and loads the configuration. The root markers are
// taken from what the user says, because the project's own file lies below the
// root that they find.
func (c *command) configure(b *bench, o options) error {
	set := append([]string{}, c.flags.set...)
	if c.flags.preset != "" {
		set = append(set, "preset="+c.flags.preset)
	}
	if o.model != "" {
		if !strings.Contains(o.model, ":") {
			return usage(fmt.Errorf("--model %s: write PROVIDER:NAME, for instance openai:gpt-5", o.model))
		}
		set = append(set, "model="+quoted(o.model))
	}
	if o.maxSteps > 0 {
		set = append(set, fmt.Sprintf("steps.max=%d", o.maxSteps))
	}
	userConfig, _ := c.userPlace()
	opt := config.Options{Env: b.env, ConfigFile: c.absolute(c.flags.config), Environ: c.p.Environ, Set: set, Cwd: c.absolute(c.flags.cwd)}
	if userConfig != "" {
		opt.UserFile = filepath.Join(userConfig, "config.yaml")
	}
	user, _, err := config.Load(opt)
	if err != nil {
		return err
	}
	if b.place, err = c.findPlace(b.env, user.Project.RootMarkers); err != nil {
		return err
	}
	if err := c.decide(b, o); err != nil {
		return err
	}
	opt.Root, opt.ProjectFile = b.place.root, b.place.projectFile()
	if opt.TrustProject, err = b.configTrusted(opt.ProjectFile, c.flags.agent); err != nil {
		return err
	}
	if _, ok := c.builtIn(c.flags.agent); !ok {
		opt.Agent = c.flags.agent
	}
	cfg, notes, err := config.Load(opt)
	if err != nil {
		return c.nameAgents(err)
	}
	b.cfg, b.diagnostics = cfg, append(b.diagnostics, notes...)
	b.rules, notes = configured(user, cfg)
	b.diagnostics = append(b.diagnostics, notes...)
	if c.flags.agent != "" {
		b.cfg.Name = c.flags.agent
	}
	b.agentName = b.cfg.Name
	b.place.workspace = b.cfg.Workspace.Dir
	if !filepath.IsAbs(b.place.workspace) {
		b.place.workspace = filepath.Join(b.place.root, filepath.FromSlash(b.place.workspace))
	}
	return nil
}

// quoted returns a string as a YAML scalar.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func (c *command) absolute(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.p.Dir, path)
}

// builtIn returns an agent of the app: the named one, or the first if none is
// named.
func (c *command) builtIn(name string) (Agent, bool) {
	for i, a := range c.app.Agents {
		if a.Name == name || i == 0 && c.flags.agent == "" {
			return a, true
		}
	}
	return Agent{}, false
}

func (c *command) buildIn(b *bench, made Agent, p *agent.Permissions) error {
	var err error
	b.agentName = made.Name
	b.agent, err = made.New(Setup{Cwd: b.place.cwd, Root: b.place.root, Env: b.env, Model: b.model.Model, ModelName: b.model.name, Store: b.store,
		Trusted: b.trusted, Permissions: p, Trace: b.tracing, Lock: b.lock})
	if err != nil {
		return fmt.Errorf("agent %s: %w", made.Name, err)
	}
	b.preset = b.agent.Preset()
	if want := c.flags.preset; want != "" && want != b.preset.Name {
		c.say("warning preset.fixed: agent %s is built in Go and keeps its preset %s; %s is not used", made.Name, b.preset.Name, want)
	}
	return nil
}

// nameAgents adds the agents of the app to the fault that there is no such agent.
func (c *command) nameAgents(err error) error {
	var faults config.Faults
	if len(c.app.Agents) == 0 || !errors.As(err, &faults) {
		return err
	}
	names := make([]string, len(c.app.Agents))
	for i, a := range c.app.Agents {
		names[i] = a.Name
	}
	faults = slices.Clone(faults)
	for i, f := range faults {
		if f.Code == config.CodeAgent && f.Path == "--agent" {
			faults[i].Message += "; built in: " + strings.Join(names, ", ")
		}
	}
	return faults
}

// loader returns what reads files: of the project, those that its trust covers.
func (b *bench) loader(o options) *load.Loader {
	l := load.New(b.env)
	l.Once = !o.run
	if b.guard != nil {
		l.Allow = b.guard.Allow
	}
	return l
}

// buildAgent builds the agent that the configuration describes.
func (c *command) buildAgent(ctx context.Context, b *bench, o options, permissions *agent.Permissions) error {
	b.portable = o.portable
	reg, p, err := c.compose(b)
	if err != nil {
		return err
	}
	b.preset = p
	loader := b.loader(o)
	if err := b.findSubagents(ctx, loader); err != nil {
		return err
	}
	if err := c.define(b, reg, loader); err != nil {
		return err
	}
	tools, err := c.toolsOf(ctx, b, o)
	if err != nil {
		return err
	}
	if err := b.guide(reg.Global(), tools); err != nil {
		return err
	}
	if err := b.deepseekParts(reg.Global(), tools); err != nil {
		return err
	}
	fallback, err := c.fallback(b)
	if err != nil {
		return err
	}
	store := storeOf(b)
	var hooks []agent.Hook
	if b.spawner, err = c.spawning(b, o, loader, store, permissions); err != nil {
		return err
	}
	if b.spawner != nil {
		tools, hooks = append(tools, b.presented(b.spawner.Tools())...), append(hooks, b.spawner)
	}
	if b.cfg.Preset == agentScope && !b.child {
		hooks = append(hooks, b.attaching())
	}
	b.agent, err = agent.New(agent.Config{
		Model: b.model.Model, ModelName: b.model.name, Fallback: fallback, Registry: reg, Preset: &p, Store: store, Env: b.env,
		Tools: tools, Hooks: hooks,
		Request:     agent.Request{Placement: placement(b.cfg.Placement), Options: requestOptions(b.cfg, o.noStream), Cache: cacheOf(b.cfg)},
		Limits:      limits(b.cfg, b.model.spec),
		Compaction:  compaction(b),
		Nested:      b.nested,
		Permissions: permissions,
		ToolChanges: toolChanges(b.cfg),
		Trace:       b.tracing,
		Lock:        b.lock,
	})
	return err
}

// toolsOf returns the tools of a configured agent, but for those that start
// others.
func (c *command) toolsOf(ctx context.Context, b *bench, o options) ([]tool.Tool, error) {
	tools, err := c.builtins(b)
	if err != nil {
		return nil, err
	}
	catalog, err := b.skills.Catalog(ctx, prompt.Who{})
	if err != nil {
		return nil, fmt.Errorf("skills: %w", err)
	}
	if len(catalog.Entries) > 0 {
		tools = append(tools, b.skillTool())
	}
	if b.remembers != nil {
		for _, t := range toolmemory.Tools(b.remembers) {
			if b.guard != nil && !o.collect && t.Spec().Name == toolmemory.SaveName {
				t = trustedSave{t, c, b}
			}
			tools = append(tools, t)
		}
	}
	return tools, nil
}
