// Package config reads what a person and a project want of proem: one typed
// value out of built-in defaults, files, the environment and the command line.
//
// A configuration is a stack of layers. Each is a YAML map, and the later one
// wins: maps merge key by key, lists and scalars replace.
//
//	default      the table of keys in this package
//	user         the user's config.yaml
//	project      .proem/agent.yaml, and the agent that was chosen; trusted projects only
//	config       the file named by --config
//	environment  PROEM_PROJECT_MAX_BYTES=1000
//	set          --set project.max_bytes=1000
//
// There is one table of keys, returned by [Keys]: it names each key, its type,
// its default and what it means. Reading, the environment, --set and the schema
// all go by it.
//
//	c, notes, err := config.Load(config.Options{
//		UserFile:    "/home/u/.config/proem/config.yaml",
//		ProjectFile: "/w/.proem/agent.yaml", Root: "/w", TrustProject: true,
//		Environ: []string{"PROEM_STEPS_MAX=20"},
//		Set:     []string{"sampling.temperature=0"},
//		Cwd:     "/w",
//	})
//	// err is a Faults: every fault with its file, line and column
//	c.Steps.Max                     // 20
//	c.Origin("steps.max").Layer     // "environment"
//
// Reading is strict: an unknown key, a wrong type, an alias, a duplicate key are
// faults with a place, all reported at once. A null takes a key back to its
// default. Endpoints and credentials are the user's own: a project that names
// one is refused.
//
// Nothing is read but the files of the options. Files that the configuration
// names, such as system_prompt_file, become absolute paths and stay unread.
package config

// A Config is a whole configuration. Its fields are the keys of [Keys], under
// the same names; it has as many as there are top-level keys, because it mirrors
// the file. The zero value lacks the defaults: use [Load], which without options
// returns them. A Config is not changed after Load and may be shared.
type Config struct {
	Model   string // "provider:name"; empty: the first that is found
	Dialect string // empty: by provider
	Preset  string // the composition model

	Name        string // the agent
	Description string // what the agent is for
	Extends     string // the agent it stands on; empty: none

	SystemPrompt     string // text
	Instructions     string // text
	SystemPromptFile File   // instead of SystemPrompt
	InstructionsFile File   // instead of Instructions
	Sections         []Part // further sections
	Contexts         []Part // further contexts

	Variables        []Pair // values for templates, in the order written
	VariablesMissing string // "error" or "keep"

	Placement string // "auto", "split" or "merged"
	Refresh   string // "delta", "step" or "call"; empty: by preset

	DeepSeek   DeepSeek   // options of the preset deepseek
	AgentScope AgentScope // options of the preset agentscope
	Project    Project    // the project and its instruction files
	Skills     Skills     // where skills lie
	Workspace  Workspace  // the agent's home
	Budget     Budget     // bounds of a request
	Tools      Tools      // what the model sees of the tools
	Steps      Steps      // steps of a run
	Limits     Limits     // bounds of a run
	Sampling   Sampling   // parameters of a request

	Permissions []Permission // rules; the first deny, then the first ask, then the first allow holds
	Providers   []Provider   // endpoints, in the order written
	Scripted    Scripted     // the scripted model
	Todo        Todo         // reminders of open tasks
	Sources     Sources      // reading the world
	Fallback    []string     // models to try next
	Cache       Cache        // the provider's prompt cache
	Prices      []Price      // in the order written; empty: the built-in table

	origins map[string]Origin
}
