package config

import "time"

// DeepSeek holds the options of the preset of that name.
type DeepSeek struct {
	Identity       bool   // say who runs the agent
	RuntimeContext bool   // show the contexts
	PersonaPrefix  string // a template before the system prompt
	PersonaSuffix  string // a template behind it
	ContextHeading string // above the contexts; empty: the preset's own
}

// AgentScope holds the options of the preset of that name.
type AgentScope struct {
	TaskList       bool   // guidance on task lists
	PlanMode       bool   // banner of the plan mode
	SkillsStyle    string // "list" or "xml"
	SubagentsPlace string // "before" or "after" the system prompt
}

// Project says how the project and its instruction files are found.
type Project struct {
	RootMarkers   []string // names that mark the root
	Names         []string // of instruction files, in order of preference
	Fallbacks     []string // names that count where no other is found
	Load          string   // "first" name per directory, or "all"
	MaxBytes      int      // over all instruction files
	ImportDepth   int      // of @path imports; 0: none
	StripComments bool     // drop HTML comments outside code
}

// Skills says where skills lie.
type Skills struct {
	// Roots are directories, as written: those of a project lie below its root.
	// Nil: the project's and the user's usual ones.
	Roots        []string
	ListMaxBytes int // of the list in the prompt
}

// Workspace describes the agent's home.
type Workspace struct {
	Dir        string   // relative to the project's root, or absolute
	ExtraFiles []string // relative to Dir
	MaxTokens  int      // of the injected files
}

// Budget bounds a request.
type Budget struct {
	InputTokens int // 0: by model
}

// Tools says which tools the model sees and how.
type Tools struct {
	Order   []string // names and "<unlisted-tools>"; nil: by name
	Allow   []string // nil: all
	Deny    []string // not shown
	Changes string   // "live", or "frozen" for a run
}

// Steps bounds a run.
type Steps struct {
	Max int // model requests per run
}

// Limits bounds a run. Zero is no limit.
type Limits struct {
	Time   time.Duration // of the whole run
	Tokens int           // input and output together
	Cost   float64       // in the currency of the prices
}

// Sampling holds the parameters of a request. What is nil or zero is not sent.
type Sampling struct {
	Temperature     *float64 // 0 to 2
	TopP            *float64 // 0 to 1
	MaxOutputTokens int      // the longest answer
	Reasoning       string   // the effort, in the provider's words
}

// Scripted configures the scripted model.
type Scripted struct {
	File string // absolute; empty: none
}

// Todo configures the reminder of open tasks.
type Todo struct {
	Every int // steps between reminders; 0: never
}

// Sources configures the reading of sources.
type Sources struct {
	Timeout time.Duration // per source
}

// Cache configures the provider's prompt cache.
type Cache struct {
	TTL time.Duration // 0: the provider's
}
