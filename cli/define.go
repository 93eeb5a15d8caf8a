package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/preset/agentscope"
	"github.com/proemhq/proem/preset/ai4j"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source/clock"
	envfacts "github.com/proemhq/proem/source/env"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/source/memory"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/stage"
	"github.com/proemhq/proem/tool"
	toolmemory "github.com/proemhq/proem/tool/memory"
	"github.com/proemhq/proem/tool/memory/store"
)

// presetNames are the composition models that --preset knows.
func presetNames() []string { return []string{"standard", deepseekName, agentScope, "ai4j"} }

// compose returns the registry and the preset that the configuration names.
func (c *command) compose(b *bench) (*registry.Registry, preset.Preset, error) {
	cfg := b.cfg
	if err := stage.CheckOrder(cfg.Tools.Order); err != nil {
		return nil, preset.Preset{}, fmt.Errorf("tools.order: %w", err)
	}
	switch cfg.Preset {
	case "", "standard":
		return registry.New(), standard.New(standard.Config{
			ToolOrder: cfg.Tools.Order, Visibility: visibility(cfg.Tools), Root: b.place.root, KeepMissing: cfg.VariablesMissing == "keep",
			Budget: cfg.Budget.InputTokens, Count: b.counter.Count, Refresh: refresh(cfg.Refresh),
		}), nil
	case deepseekName:
		return b.composeDeepSeek()
	case "ai4j":
		return registry.New(), ai4j.New(ai4j.Config{
			ToolOrder: cfg.Tools.Order, Visibility: visibility(cfg.Tools), Path: standard.FencePath(b.place.root), KeepMissing: cfg.VariablesMissing == "keep",
			Budget: cfg.Budget.InputTokens, Count: b.counter.Count, Refresh: refresh(cfg.Refresh),
		}), nil
	case agentScope:
		return registry.New(), agentscope.New(b.agentScopeConfig()), nil
	}
	return nil, preset.Preset{}, fmt.Errorf("preset %q: not there; the presets are %q", cfg.Preset, presetNames())
}

// refresh returns when the prefix follows what it is made from; nil: as the preset
// has it.
func refresh(name string) *preset.Refresh {
	r, ok := map[string]preset.Refresh{"delta": preset.EachSession, "call": preset.EachTurn, "step": preset.EachStep}[name]
	if !ok {
		return nil
	}
	return &r
}

// visibility returns the rules for tools.allow and tools.deny.
func visibility(t config.Tools) []stage.VisibilityRule {
	var rules []stage.VisibilityRule
	if t.Allow != nil {
		rules = append(rules, stage.VisibilityRule{Name: "tools.allow", Tool: "*"})
		for _, n := range t.Allow {
			rules = append(rules, stage.VisibilityRule{Name: "tools.allow", Tool: n, Show: true})
		}
	}
	for _, n := range t.Deny {
		rules = append(rules, stage.VisibilityRule{Name: "tools.deny", Tool: n})
	}
	return rules
}

// shows reports whether tools.allow and tools.deny let the model see a tool.
func shows(t config.Tools, name string) bool {
	named := func(list []string) bool {
		return slices.ContainsFunc(list, func(pattern string) bool {
			ok, _ := path.Match(pattern, name)
			return ok
		})
	}
	return (t.Allow == nil || named(t.Allow)) && !named(t.Deny)
}

// define registers what the configuration and the place give to a prompt.
func (c *command) define(b *bench, reg *registry.Registry, l *load.Loader) error {
	cfg, scope := b.cfg, reg.Global()
	t := standard.Texts{Orders: b.preset.Orders}
	var err error
	if t.Base, err = b.text(l, "system_prompt", cfg.SystemPrompt, cfg.SystemPromptFile); err != nil {
		return err
	}
	if t.Instructions, err = b.text(l, "instructions", cfg.Instructions, cfg.InstructionsFile); err != nil {
		return err
	}
	fc := b.files()
	fc.Loader = l
	if !b.trusted {
		fc.Cwd, fc.Root = "", ""
	}
	instructions := files.New(fc)
	t.Files = instructions
	if b.trusted {
		b.nested = instructions
	}
	b.skills = b.skillSet(l)
	t.Skills = b.skills
	if b.subagents != nil {
		t.Subagents = b.subagents
	}
	if b.trusted {
		b.memory = memory.New(b.homeConfig(l))
		t.Workspace = b.memory
		b.remembers = b.memoryStore(l)
	}
	if !b.portable {
		t.Date = clock.New(clock.Config{Env: b.env})
		about := envfacts.Config{Cwd: b.place.cwd}
		if b.preset.Name != deepseekName { // there a context of its own says it
			about.Root, about.Paths = b.place.root, b.space().Describe()
		}
		t.Environment = envfacts.New(about)
	}
	if cfg.Preset == agentScope {
		if err := b.defineAgentScope(scope, l, &t); err != nil {
			return err
		}
	}
	if err := standard.Define(scope, t); err != nil {
		return err
	}
	for _, v := range cfg.Variables {
		if _, err := scope.Variable(v.Name, v.Value); err != nil {
			return fmt.Errorf("variables.%s: %w", v.Name, err)
		}
	}
	for i, p := range cfg.Sections {
		if err := b.part(l, scope, fmt.Sprintf("sections[%d]", i), p); err != nil {
			return err
		}
	}
	for i, p := range cfg.Contexts {
		if err := b.part(l, scope, fmt.Sprintf("contexts[%d]", i), p); err != nil {
			return err
		}
	}
	return nil
}

// budget returns a configured budget as the sources understand it: there zero is
// the default, here it is none.
func budget(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// files says where the instruction files of user and project are looked for.
func (b *bench) files() files.Config {
	p := b.cfg.Project
	c := files.Config{Env: b.env, Cwd: b.place.cwd, Root: b.place.root, Names: p.Names, Fallbacks: p.Fallbacks,
		Markers: p.RootMarkers, LoadAll: p.Load == "all", MaxBytes: budget(p.MaxBytes), ImportDepth: p.ImportDepth, StripComments: p.StripComments}
	if c.ImportDepth == 0 {
		c.ImportDepth = -1 // none; the source's zero is its default
	}
	if b.place.userConfig != "" {
		c.UserFile, c.UserDir = filepath.Join(b.place.userConfig, "AGENTS.md"), b.place.home
		if rel, err := filepath.Rel(b.place.home, b.place.userConfig); err != nil || !filepath.IsLocal(rel) {
			c.UserDir = b.place.userConfig // XDG_CONFIG_HOME is somewhere else
		}
	}
	return c
}

// A homeAt says where the agent's home lies, and what stands before its names in a
// prompt.
type homeAt struct{ root, dir, shown string }

func (b *bench) homeAt() homeAt {
	rel, err := filepath.Rel(b.place.root, b.place.workspace)
	if err != nil || !filepath.IsLocal(rel) {
		return homeAt{b.place.workspace, ".", ""}
	}
	at := homeAt{root: b.place.root, dir: filepath.ToSlash(rel)}
	if at.dir != "." && b.cfg.Preset != agentScope { // there the home is laid over the project
		at.shown = at.dir + "/"
	}
	return at
}

// homeConfig says where the agent's home is.
func (b *bench) homeConfig(l *load.Loader) memory.Config {
	at := b.homeAt()
	c := memory.Config{Env: b.env, Loader: l, Root: at.root, Dir: at.dir, Shown: at.shown, ExtraFiles: b.cfg.Workspace.ExtraFiles,
		MaxTokens: budget(b.cfg.Workspace.MaxTokens)}
	if b.counter != nil {
		c.Count = b.counter.Count
	}
	return c
}

// memoryStore returns what the memory tools work on; nil: the agent has no home yet.
func (b *bench) memoryStore(l *load.Loader) *store.Store {
	root, err := b.env.Files.OpenRoot(b.place.workspace)
	if err != nil {
		return nil
	}
	root.Close()
	at := b.homeAt()
	return store.New(store.Config{Env: b.env, Loader: l, Root: at.root, Dir: at.dir, Shown: at.shown, Shared: true, Zone: b.env.Clock.Now().Location(),
		Allow: allows(b.policy, toolmemory.SearchName)})
}

// guide registers what is said of the memory tools that the model is shown.
func (b *bench) guide(scope *registry.Scope, tools []tool.Tool) error {
	if b.cfg.Preset == agentScope { // it says this in its own words
		return nil
	}
	var specs []chat.ToolSpec
	for _, t := range tools {
		if spec := t.Spec(); shows(b.cfg.Tools, spec.Name) {
			specs = append(specs, spec)
		}
	}
	g := toolmemory.GuidanceFor(specs, false)
	for i, text := range []string{g.Recall(), g.Persistence()} {
		if text == "" {
			continue
		}
		name := []string{"memory-recall", "memory-persistence"}[i]
		d := prompt.SectionDef{Name: name, Order: b.preset.Order(name, standard.OrderRuntime-50+float64(i)), Body: prompt.Body{Literal: text}}
		if _, err := scope.Section(d); err != nil {
			return err
		}
	}
	return nil
}

// resolve returns where a name of the agent's home lies for whom a tool is
// called, so that what the prompt lists can be opened.
func (b *bench) resolve(ctx context.Context, name string) (root, below string, ok bool) {
	if b.memory == nil {
		return "", "", false
	}
	dir, err := filepath.Rel(b.place.root, b.place.workspace)
	if err != nil || !filepath.IsLocal(dir) {
		dir = ""
	}
	rest, ok := strings.CutPrefix(filepath.ToSlash(filepath.Clean(filepath.FromSlash(name))), filepath.ToSlash(dir)+"/")
	if dir == "" || !ok && b.cfg.Preset == agentScope {
		rest, ok = name, true
	}
	if !ok {
		return "", "", false
	}
	at, err := b.memory.Resolve(ctx, tool.Who(ctx), rest)
	if err != nil {
		return "", "", false
	}
	return at.Root, at.Name, true
}

// part registers a section that the configuration adds.
func (b *bench) part(l *load.Loader, scope *registry.Scope, key string, p config.Part) error {
	d := prompt.SectionDef{Name: p.Name, Channel: p.Channel, Order: p.Order, Class: p.Class, Required: p.Required, Priority: p.Priority,
		Trust: b.trust(key), Path: b.cfg.Origin(key).Path, Source: "config", Body: prompt.Body{Literal: p.Text, Template: p.Template}}
	if p.File != "" {
		f, err := b.read(l, key+".file", p.File)
		if err != nil {
			return err
		}
		d.Body.Literal, d.Path, d.Source = f.Text, f.Path, "file"
	}
	if _, err := scope.Section(d); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// trust returns who wrote a key. What a trusted project's agent.yaml says of the
// agent speaks with the user's voice, because the user chose the agent.
func (b *bench) trust(key string) span.Trust { return min(b.cfg.Origin(key).Trust, span.User) }

// text returns a text of the configuration: that of the file for the model if
// files are named, else the literal one.
func (b *bench) text(l *load.Loader, key, literal string, f config.File) (standard.Literal, error) {
	if f.IsZero() {
		return standard.Literal{Text: literal, Source: "config", Path: b.cfg.Origin(key).Path, Trust: b.trust(key)}, nil
	}
	spec := b.model.spec
	if spec == "" {
		spec = b.model.name
	}
	name := f.Pick(spec)
	if name == "" {
		return standard.Literal{}, fmt.Errorf("%s_file: no file for the model %s and no default", key, b.model.name)
	}
	got, err := b.read(l, key+"_file", name)
	if err != nil {
		return standard.Literal{}, err
	}
	return standard.Literal{Text: got.Text, Source: "file", Path: got.Path, Trust: b.trust(key + "_file")}, nil
}

// maxPart is how long a file of one section may be.
const maxPart = 1 << 20

// read reads a file that the configuration names. A missing one is a fault. A
// file of the project may not lead out of the project, any other not out of its
// directory.
func (b *bench) read(l *load.Loader, key, name string) (*load.File, error) {
	dir, base := filepath.Dir(name), filepath.Base(name)
	if rel, err := filepath.Rel(b.place.root, name); err == nil && filepath.IsLocal(rel) {
		dir, base = b.place.root, filepath.ToSlash(rel)
	}
	root, err := l.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %s does not exist", key, name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	defer root.Close()
	f, err := l.Load(root, base, maxPart)
	var refused *load.Refusal
	switch {
	case errors.As(err, &refused):
		return nil, fmt.Errorf("%s: %s: %s", key, refused.Diagnostic.Path, refused.Diagnostic.Message)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %s does not exist", key, name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", key, err)
	case f.Partial:
		return nil, fmt.Errorf("%s: %s is longer than %d bytes", key, name, maxPart)
	}
	b.diagnostics = append(b.diagnostics, f.Diagnostics...)
	return f, nil
}
