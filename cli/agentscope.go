package cli

import (
	"path/filepath"
	"runtime"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/agent/attach"
	"github.com/proemhq/proem/preset/agentscope"
	"github.com/proemhq/proem/preset/agentscope/toolset"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source/load"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/tool/skill"
	"github.com/proemhq/proem/vfs"
)

// agentScope is the name of the preset that lays the agent's home over the project
// and has tools under other names.
const agentScope = "agentscope"

// agentScopeConfig returns the options of the preset.
func (b *bench) agentScopeConfig() agentscope.Config {
	o := b.cfg.AgentScope
	c := agentscope.Config{
		ToolOrder: b.cfg.Tools.Order, Visibility: visibility(b.cfg.Tools), NoTaskList: !o.TaskList, NoPlan: !o.PlanMode,
		SubagentsAfter: o.SubagentsPlace == "after", KeepMissing: b.cfg.VariablesMissing == "keep", Refresh: refresh(b.cfg.Refresh),
		KeepLoop: b.child, Place: agentscope.Place{Project: b.place.root, Workspace: b.place.workspace},
	}
	if b.portable {
		c.Place.Project, c.Place.Workspace = ".", b.shownHome()
	}
	return c
}

// ownHome returns where the agent's home lies if the preset looks there for skills
// and subagents besides the folders that every preset has.
func (b *bench) ownHome() (homeAt, bool) {
	at := b.homeAt()
	return at, b.cfg.Preset == agentScope && filepath.Join(at.root, filepath.FromSlash(at.dir)) != filepath.Join(b.place.root, ".proem")
}

// shownHome returns the agent's home from the project's root, which is the same on
// every machine; one that lies elsewhere is not named.
func (b *bench) shownHome() string {
	if at := b.homeAt(); at.root == b.place.root {
		return at.dir
	}
	return ""
}

// defineAgentScope registers what the preset adds to the base prompt, and takes it
// out of what the standard one would.
func (b *bench) defineAgentScope(scope *registry.Scope, l *load.Loader, t *standard.Texts) error {
	// The session's id is left out: it would be another one in the request than in
	// what proem prompt shows.
	s := &agentscope.Session{Env: b.env, Name: b.agentName, NoDate: b.portable, NoID: true}
	if b.agentName == "default" {
		s.Name = ""
	}
	if !b.portable {
		s.OS, s.Workspace = runtime.GOOS, b.place.workspace
	}
	parts := agentscope.Parts{Session: s, Home: t.Files, Skills: b.skills, Subagents: b.subagents,
		Todos: agentscope.SessionTodos, Plan: agentscope.SessionPlan(agentscope.DefaultPlanFile),
		List: agentscope.List{XML: b.cfg.AgentScope.SkillsStyle == "xml", Tool: b.skillTool().Spec().Name, Shell: "execute",
			MaxBytes: budget(b.cfg.Skills.ListMaxBytes)}}
	if !b.portable {
		for _, t := range b.skillTiers(l) {
			parts.List.Disk = append(parts.List.Disk, t.scope)
		}
	}
	if b.trusted {
		home := agentscope.NewHome(b.homeConfig(l), t.Files)
		b.memory, parts.Home = home.Files(), home
	}
	t.Subagents = nil
	t.Files, t.Skills, t.Workspace, t.Date, t.Environment = nil, nil, nil, nil, nil
	return agentscope.Define(scope, parts)
}

// agentScopeTools returns the tools that the preset has of its own: for files, with
// the agent's home laid over the project, and for plans, which are kept there.
func (b *bench) agentScopeTools() []tool.Tool {
	c := b.agentScopeFiles()
	return append(toolset.Files(c), toolset.Plan(c, agentscope.DefaultPlanFile)...)
}

// attaching returns the hook that adds to an input the files that it names.
func (b *bench) attaching() agent.Hook {
	c := b.agentScopeFiles()
	c.Images = false
	return attach.Paths{Read: toolset.Files(c)[0], Home: b.place.home}
}

func (b *bench) agentScopeFiles() toolset.Config {
	c := toolset.Config{Env: b.env, Project: b.place.root, Workspace: b.place.workspace, Images: true, Resolve: b.resolve}
	c.Allow = func(tool string) toolset.Ask { return allows(b.policy, tool) }
	if dir := b.place.results(); dir != "" {
		c.Roots = []vfs.Root{{Dir: filepath.Clean(dir), Name: "long results", ReadOnly: true}}
	}
	return c
}

// skillTool returns the tool that loads a skill.
func (b *bench) skillTool() tool.Tool {
	if b.cfg.Preset == agentScope {
		return toolset.LoadSkill(b.skills)
	}
	return skill.Load(b.skills)
}

// presented returns tools as the preset presents them.
func (b *bench) presented(tools []tool.Tool) []tool.Tool {
	if b.cfg.Preset == agentScope {
		return toolset.Rename(tools...)
	}
	return tools
}
