package config

import (
	"math"
	"slices"
)

// Values that several keys allow.
var (
	dialects  = []string{"openai-chat", "openai-responses", "anthropic"}
	unbounded = math.Inf(1)
)

// Builtin are the providers that are known without a configuration.
var builtin = []string{"openai", "anthropic", "deepseek", "openrouter", "ollama", "openai-compatible", "scripted"}

// The one table. The tree in schema.go is made of it.
var table = slices.Concat(agentKeys, parts("sections"), parts("contexts"), presetKeys, placeKeys, runKeys, userKeys)

var agentKeys = []Key{
	{Name: "model", Type: String, Otherwise: "the first of the environment's keys or local servers found", Meaning: "the model, as provider:name",
		field: of(func(c *Config) any { return &c.Model })},
	{Name: "dialect", Type: String, Values: dialects, Otherwise: "by provider", Meaning: "the protocol of the provider",
		field: of(func(c *Config) any { return &c.Dialect })},
	{Name: "preset", Type: String, Default: "standard", Values: []string{"standard", "deepseek", "agentscope", "ai4j"}, Meaning: "the composition model",
		field: of(func(c *Config) any { return &c.Preset })},
	{Name: "name", Type: String, Default: "default", Meaning: "the agent's name",
		field: of(func(c *Config) any { return &c.Name })},
	{Name: "description", Type: String, Meaning: "what the agent is for",
		field: of(func(c *Config) any { return &c.Description })},
	{Name: "extends", Type: String, Otherwise: "default, for every agent but that one", Meaning: "the agent whose file is read before; empty: none",
		field: of(func(c *Config) any { return &c.Extends })},
	{Name: "system_prompt", Type: String, Meaning: "text of the system prompt",
		field: of(func(c *Config) any { return &c.SystemPrompt })},
	{Name: "system_prompt_file", Type: Files, Inside: true, Meaning: "file of the system prompt, or a file by model",
		field: of(func(c *Config) any { return &c.SystemPromptFile })},
	{Name: "instructions", Type: String, Meaning: "text of the instructions",
		field: of(func(c *Config) any { return &c.Instructions })},
	{Name: "instructions_file", Type: Files, Inside: true, Meaning: "file of the instructions, or a file by model",
		field: of(func(c *Config) any { return &c.InstructionsFile })},
	{Name: "variables", Type: Pairs, Meaning: "values for template sections, by name",
		field: of(func(c *Config) any { return &c.Variables })},
	{Name: "variables_missing", Type: String, Default: "error", Values: []string{"error", "keep"}, Meaning: "what a reference to an unknown variable is",
		field: of(func(c *Config) any { return &c.VariablesMissing })},
	{Name: "placement", Type: String, Default: "auto", Values: []string{"auto", "split", "merged"}, Meaning: "where system and instructions go; obeyed on every host unless auto",
		field: of(func(c *Config) any { return &c.Placement })},
	{Name: "refresh", Type: String, Values: []string{"delta", "step", "call"}, Otherwise: "by preset", Meaning: "when what changed reaches the model",
		field: of(func(c *Config) any { return &c.Refresh })},
}

var presetKeys = []Key{
	{Name: "deepseek.identity", Type: Bool, Default: "true", Meaning: "say who runs the agent",
		field: of(func(c *Config) any { return &c.DeepSeek.Identity })},
	{Name: "deepseek.runtime_context", Type: Bool, Default: "true", Meaning: "show the contexts",
		field: of(func(c *Config) any { return &c.DeepSeek.RuntimeContext })},
	{Name: "deepseek.persona_prefix", Type: String, Meaning: "a template before the system prompt",
		field: of(func(c *Config) any { return &c.DeepSeek.PersonaPrefix })},
	{Name: "deepseek.persona_suffix", Type: String, Meaning: "a template behind the system prompt",
		field: of(func(c *Config) any { return &c.DeepSeek.PersonaSuffix })},
	{Name: "deepseek.context_heading", Type: String, Otherwise: "the preset's own", Meaning: "the line above the contexts",
		field: of(func(c *Config) any { return &c.DeepSeek.ContextHeading })},
	{Name: "agentscope.task_list", Type: Bool, Default: "true", Meaning: "guidance on task lists",
		field: of(func(c *Config) any { return &c.AgentScope.TaskList })},
	{Name: "agentscope.plan_mode", Type: Bool, Default: "true", Meaning: "the banner of the plan mode",
		field: of(func(c *Config) any { return &c.AgentScope.PlanMode })},
	{Name: "agentscope.skills_style", Type: String, Default: "list", Values: []string{"list", "xml"}, Meaning: "how the skill list is written",
		field: of(func(c *Config) any { return &c.AgentScope.SkillsStyle })},
	{Name: "agentscope.subagents_place", Type: String, Default: "before", Values: []string{"before", "after"}, Meaning: "where the subagent block stands to the system prompt",
		field: of(func(c *Config) any { return &c.AgentScope.SubagentsPlace })},
}

var placeKeys = []Key{
	{Name: "project.root_markers", Type: Strings, Default: "[.git]", Inside: true, Meaning: "names that mark the project's root",
		field: of(func(c *Config) any { return &c.Project.RootMarkers })},
	{Name: "project.names", Type: Strings, Default: "[AGENTS.override.md, AGENTS.md]", Inside: true, Meaning: "names of instruction files, in order of preference",
		field: of(func(c *Config) any { return &c.Project.Names })},
	{Name: "project.fallbacks", Type: Strings, Default: "[]", Inside: true, Meaning: "names that count where no other is found",
		field: of(func(c *Config) any { return &c.Project.Fallbacks })},
	{Name: "project.load", Type: String, Default: "first", Values: []string{"first", "all"}, Meaning: "the first name per directory, or all",
		field: of(func(c *Config) any { return &c.Project.Load })},
	{Name: "project.max_bytes", Type: Int, Default: "32768", Meaning: "budget over all instruction files",
		field: of(func(c *Config) any { return &c.Project.MaxBytes })},
	{Name: "project.import_depth", Type: Int, Default: "5", Max: 100, Meaning: "how deep @path imports may nest; 0: none",
		field: of(func(c *Config) any { return &c.Project.ImportDepth })},
	{Name: "project.strip_comments", Type: Bool, Default: "false", Meaning: "drop HTML comments outside code",
		field: of(func(c *Config) any { return &c.Project.StripComments })},
	{Name: "skills.roots", Type: Strings, Inside: true, Otherwise: ".proem/skills, .agents/skills, the user's", Meaning: "directories of skills",
		field: of(func(c *Config) any { return &c.Skills.Roots })},
	{Name: "skills.list_max_bytes", Type: Int, Default: "8000", Meaning: "budget of the skill list",
		field: of(func(c *Config) any { return &c.Skills.ListMaxBytes })},
	{Name: "workspace.dir", Type: String, Default: ".proem", Inside: true, Meaning: "the agent's home, relative to the project's root",
		field: of(func(c *Config) any { return &c.Workspace.Dir })},
	{Name: "workspace.extra_files", Type: Strings, Default: "[]", Inside: true, Meaning: "further files to inject, relative to the workspace",
		field: of(func(c *Config) any { return &c.Workspace.ExtraFiles })},
	{Name: "workspace.max_tokens", Type: Int, Default: "8000", Meaning: "budget of the injected workspace files",
		field: of(func(c *Config) any { return &c.Workspace.MaxTokens })},
}

var userKeys = []Key{
	{Name: "providers", Type: Map, UserOnly: true, Otherwise: "the known providers", Meaning: "endpoints, by the name before the colon of a model",
		field: of(func(c *Config) any { return &c.Providers })},
	{Name: "providers.*.base_url", Type: String, UserOnly: true, Otherwise: "the provider's own", Meaning: "the endpoint, an http or https URL",
		field: of(func(p *Provider) any { return &p.BaseURL })},
	{Name: "providers.*.headers", Type: Pairs, UserOnly: true, Meaning: "further headers of a request",
		field: of(func(p *Provider) any { return &p.Headers })},
	{Name: "providers.*.key_env", Type: String, UserOnly: true, Otherwise: "the provider's own", Meaning: "the environment variable that holds the key",
		field: of(func(p *Provider) any { return &p.KeyEnv })},
	{Name: "providers.*.dialect", Type: String, UserOnly: true, Values: dialects, Otherwise: "the provider's own", Meaning: "the protocol of the endpoint",
		field: of(func(p *Provider) any { return &p.Dialect })},
	{Name: "scripted.file", Type: PathType, Inside: true, Meaning: "the script of the scripted model",
		field: of(func(c *Config) any { return &c.Scripted.File })},
	{Name: "prices", Type: Map, Otherwise: "a dated built-in table", Meaning: "prices per million tokens, by model or glob",
		field: of(func(c *Config) any { return &c.Prices })},
	{Name: "prices.*.input", Type: Float, Max: unbounded, Otherwise: "not known", Meaning: "input that is not cached",
		field: of(func(p *Price) any { return &p.Input })},
	{Name: "prices.*.cached", Type: Float, Max: unbounded, Otherwise: "not known", Meaning: "input read from the cache",
		field: of(func(p *Price) any { return &p.Cached })},
	{Name: "prices.*.cache_write", Type: Float, Max: unbounded, Otherwise: "not known", Meaning: "input written to the cache",
		field: of(func(p *Price) any { return &p.CacheWrite })},
	{Name: "prices.*.output", Type: Float, Max: unbounded, Otherwise: "not known", Meaning: "output",
		field: of(func(p *Price) any { return &p.Output })},
	{Name: "prices.*.source", Type: String, Meaning: "where the numbers are from",
		field: of(func(p *Price) any { return &p.Source })},
	{Name: "prices.*.date", Type: String, Meaning: "when they held",
		field: of(func(p *Price) any { return &p.Date })},
}
